//! A map of a layer ([`MapKind`]) as steps one after another: its value at tokens, and its Jacobian there.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::attention_map::{AttentionMap, value_direction};
use super::dense::MlpRule;
use super::jacobian::{BranchJacobian, MapJacobian, StepJacobian};
use super::mlp::MlpJacobian;
use super::model::{FeedForward, Model};
use super::token_norm::{NormJacobian, TokenNorm, in_window};
use super::weight_norms::WeightNorms;
use crate::config::family::BlockShape;
use crate::config::map_kind::{Heads, MapKind};
use crate::config::residual::Residual;
use lipscope_core::experiment::{InputError, Order};

/// A map of a layer, with its biases.
#[derive(Clone, Debug)]
pub struct LayerMap {
    steps: Vec<Step>,
    /// What the outputs of branches are multiplied by before they are added.
    factor: f64,
    /// For attention alone, the direction (d numbers) of which the start vector of the iteration is made.
    value_direction: Option<Vec<f64>>,
    /// The norms of the weights of the last layer's heads, where they are asked for.
    weight_norms: Vec<WeightNorms>,
}

/// Attention or the MLP, alone or with its residual connection.
#[derive(Clone, Debug)]
struct Step {
    branch: Branch,
    /// The norms of the residual connection, if the step has one.
    residual: Option<Residual<TokenNorm>>,
    /// A branch of the same tokens that is added too: the MLP beside attention.
    beside: Option<(Branch, Residual<TokenNorm>)>,
}

#[derive(Clone, Debug)]
enum Branch {
    Attention(Box<AttentionMap>),
    Mlp(Arc<FeedForward>, MlpRule),
}

/// A map evaluated at given tokens.
#[derive(Clone, Debug)]
pub struct MapAtTokens {
    /// f(X), d_out x n.
    pub value: DMatrix<f64>,
    /// The Jacobian of f at X.
    pub jacobian: MapJacobian<f64>,
}

impl LayerMap {
    /// A map of a layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the model has no such layer or head; [`InputError::Conflict`] for a single head of a
    /// map with a residual connection.
    pub fn new(model: &Model, layer: usize, kind: MapKind, heads: Heads) -> Result<Self, InputError> {
        LayerMap::of(model, (layer, heads), kind, |layer| AttentionMap::new(model, layer, kind, heads))
    }

    /// A map of a layer, given the attention of all layers that the map includes.
    ///
    /// # Errors
    /// As [`LayerMap::new`].
    pub(crate) fn of(
        model: &Model,
        (layer, heads): (usize, Heads),
        kind: MapKind,
        mut attention: impl FnMut(usize) -> Result<AttentionMap, InputError>,
    ) -> Result<Self, InputError> {
        kind.check_heads(heads)?;
        if kind.is_attention_alone() {
            let branch = Branch::Attention(Box::new(attention(layer)?));
            let step = Step { branch, residual: None, beside: None };
            let value_direction = Some(value_direction(model, layer, kind, heads)?);
            return Ok(LayerMap { steps: vec![step], factor: 1.0, value_direction, weight_norms: Vec::new() });
        }
        let mut steps = Vec::new();
        for layer in kind.first_layer(layer)..=layer {
            if kind.has_attention() {
                let residual = Some(model.block(layer)?.attention.norms.clone());
                let branch = Branch::Attention(Box::new(attention(layer)?));
                steps.push(Step { branch, residual, beside: None });
            }
            if kind.has_mlp() {
                let mlp = model.mlp(layer)?;
                let branch = Branch::Mlp(Arc::clone(mlp), MlpRule::of(&model.config));
                match steps.last_mut() {
                    Some(step) if kind.has_attention() && model.config.block_shape() == BlockShape::Parallel => {
                        step.beside = Some((branch, mlp.norms.clone()));
                    }
                    _ => steps.push(Step { branch, residual: Some(mlp.norms.clone()), beside: None }),
                }
            }
        }
        let factor = model.config.residual_factor;
        Ok(LayerMap { steps, factor, value_direction: None, weight_norms: Vec::new() })
    }

    /// The same map, with the norms of the weights of its last layer's heads.
    ///
    /// # Errors
    /// As [`LayerMap::new`].
    pub(crate) fn with_weight_norms(self, model: &Model, (layer, heads): (usize, Heads)) -> Result<Self, InputError> {
        Ok(LayerMap { weight_norms: WeightNorms::of_heads(model, layer, heads)?, ..self })
    }

    /// The norms of the weights of the last layer's heads; empty where they are not asked for.
    pub(crate) fn weight_norms(&self) -> &[WeightNorms] {
        &self.weight_norms
    }

    /// Runs the map at tokens (d x n).
    ///
    /// # Errors
    /// [`InputError`] if there are too many tokens, or numbers overflow.
    pub fn at(&self, tokens: &DMatrix<f64>, mask: Order) -> Result<MapAtTokens, InputError> {
        let mut value = tokens.clone();
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let (next, jacobian) = step.at(value, mask, self.factor)?;
            value = next;
            steps.push(jacobian);
        }
        Ok(MapAtTokens { value, jacobian: MapJacobian::new(steps) })
    }

    /// For attention alone, the unit vector (d numbers) that O V stretches most.
    pub(crate) fn value_direction(&self) -> Option<&[f64]> {
        self.value_direction.as_deref()
    }
}

impl Step {
    /// The value at tokens (d x n), and the Jacobian there.
    fn at(
        &self,
        tokens: DMatrix<f64>,
        mask: Order,
        factor: f64,
    ) -> Result<(DMatrix<f64>, StepJacobian<f64>), InputError> {
        let Some(norms) = &self.residual else {
            let (value, branch) = self.branch.at(&tokens, mask)?;
            return Ok((value, StepJacobian { branch, residual: None, beside: None, factor }));
        };
        let mut sum = tokens.clone();
        let (branch, residual) = self.branch.add_to(&mut sum, &tokens, norms, (mask, factor))?;
        let beside = match &self.beside {
            Some((branch, norms)) => Some(branch.add_to(&mut sum, &tokens, norms, (mask, factor))?),
            None => None,
        };
        Ok((sum, StepJacobian { branch, residual: Some(residual), beside, factor }))
    }
}

/// The same error, naming the token's place in the window at which the map is evaluated.
fn in_this_window(problem: InputError) -> InputError {
    in_window(problem, &[])
}

impl Branch {
    /// Adds what the branch makes of tokens to a sum, through the norms of its residual connection; the Jacobians there.
    fn add_to(
        &self,
        sum: &mut DMatrix<f64>,
        tokens: &DMatrix<f64>,
        norms: &Residual<TokenNorm>,
        (mask, factor): (Order, f64),
    ) -> Result<(BranchJacobian<f64>, Residual<NormJacobian<f64>>), InputError> {
        let mut entering = tokens.clone();
        let entered = norms.enter(&mut entering).map_err(in_this_window)?;
        let (value, branch) = self.at(&entering, mask)?;
        let residual = norms.leave(entered, sum, value, (&[], factor)).map_err(in_this_window)?;
        Ok((branch, residual))
    }

    fn at(&self, tokens: &DMatrix<f64>, mask: Order) -> Result<(DMatrix<f64>, BranchJacobian<f64>), InputError> {
        match self {
            Branch::Attention(attention) => {
                let (value, jacobian) = attention.at(tokens, mask)?;
                Ok((value, BranchJacobian::Attention(Box::new(jacobian))))
            }
            Branch::Mlp(part, rule) => {
                let (value, jacobian) = MlpJacobian::at(part, tokens, *rule).map_err(in_this_window)?;
                Ok((value, BranchJacobian::Mlp(jacobian)))
            }
        }
    }
}
