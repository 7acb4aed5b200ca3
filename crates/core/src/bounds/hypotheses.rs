//! What the bounds depend on: the experiment without its tokens.

use super::kim::KimNorms;
use super::line::{Line, adversarial_line, lines};
use super::logarithms::ln_sum;
use crate::attention::Normalizer;
use crate::experiment::{Attention, Experiment, Mask, Normalization, Scope};
use crate::spectral::norm_of_product;
use crate::weights::Weights;

/// The hypotheses and constants of the bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypotheses {
    /// The kernel.
    pub attention: Attention,
    /// The mask.
    pub mask: Mask,
    /// Natural logarithm of the number of tokens, which may pass any integer.
    pub ln_n: f64,
    /// R: largest token norm, or sqrt d under a normaliser.
    pub radius: f64,
    /// The heads.
    pub heads: Vec<HeadNorms>,
    /// How heads add up.
    pub combination: Combination,
    /// What the normaliser's Jacobian multiplies in scope `composed`; else 1.
    pub outer_factor: f64,
    /// Lines through the origin on which token sets are tried; none where no lower bound applies.
    pub(super) lines: Vec<Line>,
    /// The line of the adversarial tokens, where there is one.
    pub(super) adversarial: Option<AdversarialLine>,
    /// The norms of [K]'s matrices, where the weights are those of L2 multi-head attention.
    pub(super) kim: Option<KimNorms>,
    /// Whether a normaliser is part of the map.
    pub(super) scope: Scope,
}

/// The constants of one head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadNorms {
    /// ||A||_2.
    pub a_norm: f64,
    /// ||V||_2, or ||O_h V||_2 where there is an output matrix.
    pub v_norm: f64,
}

/// What the adversarial tokens see of the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AdversarialLine {
    /// gamma = max(-lambda_min, lambda_max / 8) over the real eigenvalues of the first head's A.
    pub(super) gamma: f64,
    /// |V u| (|O V u| with an output matrix).
    pub(super) gain: f64,
}

/// How the bounds of heads add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// With an output matrix: the sum.
    Sum,
    /// Concatenated: the root of the sum of squares.
    RootOfSquares,
}

impl Hypotheses {
    /// The setting of an experiment with these weights, e^ln_n tokens, and a normaliser at some of them; `largest_norm`
    /// is the largest norm of a token before it.
    #[must_use]
    pub fn new(
        experiment: &Experiment,
        weights: &Weights,
        normalizer: &Normalizer<f64>,
        largest_norm: f64,
        ln_n: f64,
    ) -> Self {
        let d = normalizer.outputs().nrows();
        let normalized = experiment.normalization != Normalization::None;
        let heads = head_norms(weights);
        // The token sets of the lower bounds fill a ball, which no normaliser reaches.
        let has_lower = experiment.attention == Attention::Dot && !normalized;
        Hypotheses {
            attention: experiment.attention,
            mask: experiment.mask,
            ln_n,
            radius: radius_of_ball(experiment, d, largest_norm),
            lines: if has_lower { lines(weights, &heads) } else { Vec::new() },
            adversarial: if has_lower { adversarial_line(weights) } else { None },
            kim: weights.l2_mha.as_ref().map(KimNorms::of),
            scope: experiment.scope(),
            heads,
            combination: if weights.output.is_some() { Combination::Sum } else { Combination::RootOfSquares },
            outer_factor: match experiment.scope() {
                Scope::Composed => normalizer.jacobian_norm_bound(),
                Scope::Inputs => 1.0,
            },
        }
    }

    /// One head with the given norms, in the ball of a radius: what the tables of bounds are made of.
    #[must_use]
    pub fn of_norms(attention: Attention, mask: Mask, norms: HeadNorms, radius: f64, n: f64) -> Self {
        Hypotheses {
            attention,
            mask,
            ln_n: n.ln(),
            radius,
            heads: vec![norms],
            combination: Combination::RootOfSquares,
            outer_factor: 1.0,
            lines: Vec::new(),
            adversarial: None,
            kim: None,
            scope: Scope::Inputs,
        }
    }

    /// The same with the norms of [K]'s matrices, where the weights have them.
    #[must_use]
    pub fn with_l2_mha(&self, weights: &Weights) -> Self {
        Hypotheses { kim: weights.l2_mha.as_ref().map(KimNorms::of), ..self.clone() }
    }

    /// The number of tokens.
    #[must_use]
    pub fn n(&self) -> f64 {
        self.ln_n.exp()
    }

    /// The same at another number of tokens.
    #[must_use]
    pub fn with_n(&self, n: f64) -> Self {
        Hypotheses { ln_n: n.ln(), ..self.clone() }
    }

    /// The same at another radius.
    #[must_use]
    pub fn with_radius(&self, radius: f64) -> Self {
        Hypotheses { radius, ..self.clone() }
    }

    /// a = ||A||_2 R^2 of each head.
    pub fn a_of_heads(&self) -> impl Iterator<Item = f64> + '_ {
        self.heads.iter().map(|head| head.a_norm * self.radius * self.radius)
    }
}

/// R of the bounds: the largest token norm, or sqrt d under a normaliser.
#[must_use]
pub fn radius_of_ball(experiment: &Experiment, d: usize, largest_norm: f64) -> f64 {
    match experiment.normalization {
        Normalization::None => largest_norm,
        _ => (d as f64).sqrt(),
    }
}

impl Combination {
    /// The logarithm of the combined bound from those of the heads.
    pub(super) fn ln_combine(self, ln_heads: &[f64]) -> f64 {
        match self {
            Combination::Sum => ln_sum(ln_heads.iter().copied()),
            Combination::RootOfSquares => 0.5 * ln_sum(ln_heads.iter().map(|ln| 2.0 * ln)),
        }
    }
}

fn head_norms(weights: &Weights) -> Vec<HeadNorms> {
    let values = weights.values_through_output();
    weights
        .heads
        .iter()
        .zip(values)
        .map(|(head, (outer, value))| HeadNorms {
            // A = K^T Q / sqrt(k).
            a_norm: norm_of_product(&head.k, &head.q) / (head.q.nrows() as f64).sqrt(),
            v_norm: norm_of_product(&outer, value),
        })
        .collect()
}
