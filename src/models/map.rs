//! The attention of one layer as a map of its own, for the engine of this crate: f(X), J v and J^T u.

use nalgebra::DMatrix;

use super::config::MapKind;
use super::parts::{Linear, Model};
use crate::attention::{Forward, HeadBiases, Projections};
use crate::experiment::{Attention, InputError, Mask};
use crate::jacobian::JacobianOperator;
use crate::weights::{HeadWeights, Weights};

/// Which heads of a layer a map has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Heads {
    /// All.
    All,
    /// One, by its index.
    One(usize),
}

/// Self-attention of one layer, with its biases.
#[derive(Clone, Debug)]
pub struct AttentionMap {
    projections: Projections<f64>,
    /// b_O of all heads through the output matrix. A head alone has none: it belongs to their sum.
    output_bias: Option<Vec<f64>>,
}

/// An attention map at its tokens.
#[derive(Clone, Debug)]
pub struct MapAtTokens {
    forward: Forward<f64>,
    output_bias: Option<Vec<f64>>,
}

impl AttentionMap {
    /// The map of a layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] where the model has no such layer or head.
    pub fn new(model: &Model, layer: usize, kind: MapKind, heads: Heads) -> Result<Self, InputError> {
        let n_heads = model.config.heads;
        let block = model.block(layer)?;
        let listed = match heads {
            Heads::All => 0..n_heads,
            Heads::One(head) if head < n_heads => head..head + 1,
            Heads::One(head) => {
                return Err(InputError::BadValue {
                    key: "head".into(),
                    found: head.to_string(),
                    expected: format!("below {n_heads}, the number of heads"),
                });
            }
        };
        let k = model.config.head_dim();
        let part = &block.attention;
        let matrix = |linear: &Linear, head: usize| linear.weight.rows(head * k, k).map(f64::from);
        let bias = |linear: &Linear, head: usize| doubled(&linear.bias[head * k..(head + 1) * k]);
        let weights = Weights {
            heads: listed
                .clone()
                .map(|head| HeadWeights {
                    q: matrix(&part.query, head),
                    k: matrix(&part.key, head),
                    v: matrix(&part.value, head),
                })
                .collect(),
            output: match kind {
                MapKind::Attention => None,
                MapKind::WithOutput => {
                    Some(part.output.weight.columns(listed.start * k, listed.len() * k).map(f64::from))
                }
            },
            l2_mha: None,
        };
        let biases: Vec<HeadBiases> = listed
            .map(|head| HeadBiases { q: bias(&part.query, head), k: bias(&part.key, head), v: bias(&part.value, head) })
            .collect();
        let has_bias = kind == MapKind::WithOutput && heads == Heads::All;
        Ok(AttentionMap {
            projections: Projections::new(Attention::Dot, &weights).with_biases(&biases),
            output_bias: has_bias.then(|| doubled(&part.output.bias)),
        })
    }

    /// The map at tokens, d x n.
    ///
    /// # Errors
    /// [`InputError`] where there are too many tokens, or scores overflow.
    pub fn at(&self, tokens: &DMatrix<f64>, mask: Mask) -> Result<MapAtTokens, InputError> {
        let forward = Forward::of_projections(self.projections.clone(), mask, tokens)?;
        Ok(MapAtTokens { forward, output_bias: self.output_bias.clone() })
    }
}

impl MapAtTokens {
    /// f(X), d_out x n.
    #[must_use]
    pub fn value(&self) -> DMatrix<f64> {
        let mut value = self.forward.output();
        if let Some(bias) = &self.output_bias {
            value.column_iter_mut().for_each(|mut token| token.iter_mut().zip(bias).for_each(|(x, b)| *x += b));
        }
        value
    }

    /// The forward pass, for attention matrices.
    #[must_use]
    pub fn forward(&self) -> &Forward<f64> {
        &self.forward
    }

    /// Its Jacobian. Biases move P and the projections, nothing else of it.
    #[must_use]
    pub fn jacobian(self) -> JacobianOperator<f64> {
        JacobianOperator::new(self.forward)
    }
}

fn doubled(numbers: &[f32]) -> Vec<f64> {
    numbers.iter().map(|x| f64::from(*x)).collect()
}
