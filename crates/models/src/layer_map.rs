//! A map of a layer ([`MapKind`]) as steps one after another: its value at tokens, and its Jacobian there.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::attention_map::{AttentionMap, value_direction};
use super::config::{Activation, NormPlace};
use super::jacobian::{BranchJacobian, MapJacobian, StepJacobian};
use super::layer_norm::{LayerNorm, in_window};
use super::map_kind::{Heads, MapKind};
use super::mlp::MlpJacobian;
use super::parts::{FeedForward, Model};
use lipscope_core::experiment::{InputError, Order};

/// A map of a layer, with its biases.
#[derive(Clone, Debug)]
pub struct LayerMap {
    steps: Vec<Step>,
    /// For attention alone, the direction (d numbers) of which the start vector of the iteration is made.
    value_direction: Option<Vec<f64>>,
}

/// Attention or the MLP, alone or with its residual connection.
#[derive(Clone, Debug)]
struct Step {
    branch: Branch,
    residual: Option<Residual>,
}

#[derive(Clone, Debug)]
enum Branch {
    Attention(AttentionMap),
    Mlp(Arc<FeedForward>, Activation),
}

/// The layer norm of a residual connection.
#[derive(Clone, Debug)]
struct Residual {
    place: NormPlace,
    norm: LayerNorm,
    eps: f64,
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
    pub(super) fn of(
        model: &Model,
        (layer, heads): (usize, Heads),
        kind: MapKind,
        mut attention: impl FnMut(usize) -> Result<AttentionMap, InputError>,
    ) -> Result<Self, InputError> {
        kind.check_heads(heads)?;
        if kind.is_attention_alone() {
            let step = Step { branch: Branch::Attention(attention(layer)?), residual: None };
            let value_direction = Some(value_direction(model, layer, kind, heads)?);
            return Ok(LayerMap { steps: vec![step], value_direction });
        }
        let residual = |norm: &LayerNorm| {
            Some(Residual { place: model.config.norm_place(), norm: norm.clone(), eps: model.config.eps })
        };
        let mut steps = Vec::new();
        for layer in kind.first_layer(layer)..=layer {
            if kind.has_attention() {
                let norm = &model.block(layer)?.attention.norm;
                steps.push(Step { branch: Branch::Attention(attention(layer)?), residual: residual(norm) });
            }
            if kind.has_mlp() {
                let mlp = model.mlp(layer)?;
                let branch = Branch::Mlp(Arc::clone(mlp), model.config.activation);
                steps.push(Step { branch, residual: residual(&mlp.norm) });
            }
        }
        Ok(LayerMap { steps, value_direction: None })
    }

    /// Runs the map at tokens (d x n).
    ///
    /// # Errors
    /// [`InputError`] if there are too many tokens, or numbers overflow.
    pub fn at(&self, tokens: &DMatrix<f64>, mask: Order) -> Result<MapAtTokens, InputError> {
        let mut value = tokens.clone();
        let mut steps = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let (next, jacobian) = step.at(value, mask)?;
            value = next;
            steps.push(jacobian);
        }
        Ok(MapAtTokens { value, jacobian: MapJacobian::new(steps) })
    }

    /// For attention alone, the unit vector (d numbers) that O V stretches most.
    pub(super) fn value_direction(&self) -> Option<&[f64]> {
        self.value_direction.as_deref()
    }
}

impl Step {
    /// The value at tokens (d x n), and the Jacobian there.
    fn at(&self, tokens: DMatrix<f64>, mask: Order) -> Result<(DMatrix<f64>, StepJacobian<f64>), InputError> {
        let Some(Residual { place, norm, eps }) = &self.residual else {
            let (value, branch) = self.branch.at(&tokens, mask)?;
            return Ok((value, StepJacobian { branch, residual: None }));
        };
        let (value, branch, norm) = match place {
            NormPlace::First => {
                let mut normalized = tokens.clone();
                let norm = norm.apply(&mut normalized, *eps).map_err(in_this_window)?;
                let (value, branch) = self.branch.at(&normalized, mask)?;
                (value + tokens, branch, norm)
            }
            NormPlace::Last => {
                let (value, branch) = self.branch.at(&tokens, mask)?;
                let mut value = value + tokens;
                let norm = norm.apply(&mut value, *eps).map_err(in_this_window)?;
                (value, branch, norm)
            }
        };
        Ok((value, StepJacobian { branch, residual: Some((*place, norm)) }))
    }
}

/// The same error, naming the token's place in the window at which the map is evaluated.
fn in_this_window(problem: InputError) -> InputError {
    in_window(problem, &[])
}

impl Branch {
    fn at(&self, tokens: &DMatrix<f64>, mask: Order) -> Result<(DMatrix<f64>, BranchJacobian<f64>), InputError> {
        match self {
            Branch::Attention(attention) => {
                let (value, jacobian) = attention.at(tokens, mask)?;
                Ok((value, BranchJacobian::Attention(Box::new(jacobian))))
            }
            Branch::Mlp(part, activation) => {
                let (value, jacobian) = MlpJacobian::at(part, tokens, *activation).map_err(in_this_window)?;
                Ok((value, BranchJacobian::Mlp(jacobian)))
            }
        }
    }
}
