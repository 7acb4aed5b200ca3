//! What the bounds depend on: the experiment without its tokens.

use nalgebra::DMatrix;

use crate::attention::Normalizer;
use crate::experiment::{Attention, Experiment, Mask, Normalization, Scope};
use crate::spectral::norm_of_product;
use crate::weights::Weights;

/// The hypotheses and constants of the bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The kernel.
    pub attention: Attention,
    /// The mask.
    pub mask: Mask,
    /// Number of tokens; a real number, so that it may pass any integer.
    pub n: f64,
    /// R: largest token norm, or sqrt d under a normaliser.
    pub radius: f64,
    /// The heads.
    pub heads: Vec<HeadNorms>,
    /// How heads add up.
    pub combination: Combination,
    /// What the normaliser's Jacobian multiplies in scope `composed`; else 1.
    pub outer_factor: f64,
}

/// The constants of one head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadNorms {
    /// ||A||_2.
    pub a_norm: f64,
    /// ||V||_2, or ||O_h V||_2 where there is an output matrix.
    pub v_norm: f64,
}

/// How the bounds of heads add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// With an output matrix: the sum.
    Sum,
    /// Concatenated: the root of the sum of squares.
    RootOfSquares,
}

impl Setting {
    /// The setting of an experiment with these weights, at tokens that the normaliser has been applied to;
    /// `largest_norm` is the largest norm of a token before it.
    #[must_use]
    pub fn new(experiment: &Experiment, weights: &Weights, normalizer: &Normalizer<f64>, largest_norm: f64) -> Self {
        let (d, n) = normalizer.outputs().shape();
        let normalized = experiment.normalization != Normalization::None;
        let composed = normalized && experiment.normalization_scope == Scope::Composed;
        Setting {
            attention: experiment.attention,
            mask: experiment.mask,
            n: n as f64,
            radius: if normalized { (d as f64).sqrt() } else { largest_norm },
            heads: head_norms(weights),
            combination: if weights.output.is_some() { Combination::Sum } else { Combination::RootOfSquares },
            outer_factor: if composed { normalizer.jacobian_norm_bound() } else { 1.0 },
        }
    }

    /// The same at another number of tokens.
    #[must_use]
    pub fn with_n(&self, n: f64) -> Self {
        Setting { n, ..self.clone() }
    }

    /// The same at another radius.
    #[must_use]
    pub fn with_radius(&self, radius: f64) -> Self {
        Setting { radius, ..self.clone() }
    }
}

impl Combination {
    /// The logarithm of the combined bound from those of the heads.
    pub(super) fn ln_combine(self, ln_heads: &[f64]) -> f64 {
        let largest = ln_heads.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !largest.is_finite() {
            return largest;
        }
        match self {
            Combination::Sum => largest + ln_heads.iter().map(|ln| (ln - largest).exp()).sum::<f64>().ln(),
            Combination::RootOfSquares => {
                largest + 0.5 * ln_heads.iter().map(|ln| (2.0 * (ln - largest)).exp()).sum::<f64>().ln()
            }
        }
    }
}

fn head_norms(weights: &Weights) -> Vec<HeadNorms> {
    let mut column = 0;
    weights
        .heads
        .iter()
        .map(|head| {
            let d_v = head.v.nrows();
            let v_norm = match &weights.output {
                // O_h V = (O_h^T)^T V.
                Some(output) => norm_of_product(&output.columns(column, d_v).transpose(), &head.v),
                None => norm_of_product(&DMatrix::identity(d_v, d_v), &head.v),
            };
            column += d_v;
            // A = K^T Q / sqrt(k).
            let a_norm = norm_of_product(&head.k, &head.q) / (head.q.nrows() as f64).sqrt();
            HeadNorms { a_norm, v_norm }
        })
        .collect()
}
