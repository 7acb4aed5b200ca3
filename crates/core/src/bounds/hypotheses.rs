//! The hypotheses of the bounds: kernel, mask, n, R and norms of the weights, but no tokens.

use super::exponents::Exponents;
use super::heads::{Combination, HeadNorms, Mixing, has_isotropic_scores, head_norms_at, leading_heads};
use super::isotropic::in_few_dimensions;
use super::lower::centre_direction::{self, CentreDirection};
use super::lower::exponent::HeadGrowth;
use super::lower::line::{AdversarialLine, Line, adversarial_line, lines};
use super::lower::variant_witnesses::{DotWitnesses, with_scale};
use super::lower::witness_direction::{WitnessDirection, directions};
use super::variant::Variant;
use crate::attention::Normalizer;
use crate::experiment::{Attention, Experiment, MaskKind, Normalization, Scope};
use crate::extremum::largest;
use crate::spectral::largest_singular_value;
use crate::weights::{L2Mha, Weights};
use nalgebra::DMatrix;
use std::sync::Arc;

/// What the bounds depend on: kernel, mask, n, R and constants of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypotheses {
    /// The kernel.
    pub attention: Attention,
    /// The mask.
    pub mask: MaskKind,
    /// ln n; n may exceed every integer type.
    pub ln_n: f64,
    /// R of the ball: the experiment's R, or sqrt d under a normaliser.
    pub radius: f64,
    /// The norms of each head.
    pub heads: Vec<HeadNorms>,
    /// Ways to bound several heads behind an output matrix.
    pub(crate) mixings: Vec<Mixing>,
    /// The dimension of the tokens.
    pub(crate) d: usize,
    /// Of each head whether A is a multiple of the identity.
    pub(crate) isotropic: Vec<bool>,
    /// How the bounds of single heads combine.
    pub combination: Combination,
    /// An upper bound on the norm of the normaliser's Jacobian in scope `composed`; otherwise 1.
    pub outer_factor: f64,
    /// Lines through the origin on which the lower bounds place tokens; empty if no lower bound applies.
    pub(crate) lines: Vec<Line>,
    /// Directions in which `sink` and `fork` look for their witnesses; empty if no lower bound applies.
    pub(crate) directions: Vec<WitnessDirection>,
    /// The exponents of each head.
    pub(crate) exponents: Vec<Exponents>,
    /// Directions of the tokens of `centre`; empty if it does not apply.
    pub(crate) centres: Vec<CentreDirection>,
    /// The constants of the adversarial tokens; `None` if no lower bound applies, if A has no real eigenvalue, and with
    /// several heads and an output matrix.
    pub(crate) adversarial: Option<AdversarialLine>,
    /// The norms of \[K\]'s matrices, if the weights are those of L2 multi-head attention.
    pub(crate) kim: Option<KimNorms>,
    /// The normaliser.
    pub(crate) normalization: Normalization,
    /// Whether the Jacobian includes the normaliser.
    pub(crate) scope: Scope,
    /// Whether the attention is that of the two papers.
    pub(crate) papers: Papers,
    /// Scores, weights and norms as the bounds on every variant need them; `None` for dot-product attention without steps
    /// beyond those of the two papers, which has bounds of its own.
    pub(crate) variant: Option<Arc<Variant>>,
}

/// Whether attention has steps beyond those of the two papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Papers {
    /// The papers have this attention.
    Covered,
    /// It has further steps.
    FurtherSteps,
}

impl Hypotheses {
    /// The hypotheses of an experiment with these weights and e^ln_n tokens. The normaliser is evaluated at some of the
    /// tokens, and `radius` is the radius of the ball that holds the tokens before the normaliser.
    #[must_use]
    pub fn new(
        experiment: &Experiment,
        weights: &Weights,
        normalizer: &Normalizer<f64>,
        radius: f64,
        ln_n: f64,
    ) -> Self {
        let d = normalizer.outputs().nrows();
        let normalized = experiment.normalization != Normalization::None;
        let heads = head_norms_at(weights, radius_of_ball(experiment, d, radius));
        // The witnesses of the lower bounds lie in a ball; the outputs of a normaliser do not fill one.
        let is_plain = experiment.is_plain();
        let is_dot = experiment.attention == Attention::Dot && !normalized;
        let of_variant = if is_plain { DotWitnesses::Absent } else { DotWitnesses::of(experiment, weights) };
        let has_lower = (is_plain && is_dot) || of_variant != DotWitnesses::Absent;
        let scaled = with_scale(experiment, weights);
        let few = in_few_dimensions(&scaled);
        let seen = few.as_ref().unwrap_or(&scaled);
        let leading = leading_heads(seen, &heads);
        let lines = if has_lower { lines(seen, &leading) } else { Vec::new() };
        let growth: Vec<HeadGrowth> = match experiment.attention {
            Attention::Dot => {
                let scale =
                    |at: usize| experiment.score.scale.map_or(1.0, |c| c * (weights.heads[at].q.nrows() as f64).sqrt());
                (0..heads.len()).map(|at| HeadGrowth::of(seen, &leading, at, heads[at].a_norm * scale(at))).collect()
            }
            _ => heads.iter().map(|head| HeadGrowth::of_norm(head.a_norm)).collect(),
        };
        let exponents: Vec<Exponents> = growth.iter().map(|head| head.exponents).collect();
        let directions = directions(seen, &leading, &lines, &growth);
        let centres = if is_plain && is_dot { centre_direction::directions(seen, &leading) } else { Vec::new() };
        let centres = centres.into_iter().map(|direction| direction.in_dimension(d)).collect();
        Hypotheses {
            attention: experiment.attention,
            mask: experiment.mask.kind(),
            ln_n,
            radius: radius_of_ball(experiment, d, radius),
            // Of a variant's witnesses only the fork has closed forms that hold.
            lines: lines.into_iter().filter(|_| is_plain).map(|line| line.in_dimension(d)).collect(),
            directions: directions
                .into_iter()
                .filter(|_| is_plain || of_variant == DotWitnesses::Fork)
                .map(|direction| direction.in_dimension(d))
                .collect(),
            centres,
            adversarial: if has_lower && of_variant != DotWitnesses::Fork { adversarial_line(seen) } else { None },
            kim: weights.l2_mha.as_ref().map(KimNorms::of),
            normalization: experiment.normalization,
            scope: experiment.scope(),
            papers: if is_plain { Papers::Covered } else { Papers::FurtherSteps },
            variant: (!is_plain || experiment.attention == Attention::L2)
                .then(|| Arc::new(Variant::of(experiment, weights, &heads, &exponents))),
            mixings: Mixing::of(weights, &heads),
            d,
            isotropic: weights.heads.iter().map(has_isotropic_scores).collect(),
            heads,
            exponents,
            combination: if weights.output.is_some() { Combination::Sum } else { Combination::RootOfSquares },
            outer_factor: match experiment.scope() {
                Scope::Composed => normalizer.jacobian_norm_bound(),
                Scope::Inputs => 1.0,
            },
        }
    }

    /// The same hypotheses with the largest slope of the normaliser at any token, not only at some tokens. In scope
    /// `composed` the bounds then hold for all tokens; in scope `inputs` they already do. The slope is at most 1/s, and
    /// s^2 is at least eps. It is 1/sqrt(eps) at a token with s^2 = eps: the zero token for RMSNorm, a token of equal
    /// entries for LayerNorm. For eps = 0 the largest slope is infinite, and the bounds are absent.
    #[must_use]
    pub fn for_all_tokens(self, eps: f64) -> Self {
        match self.scope {
            Scope::Composed => Hypotheses { outer_factor: 1.0 / eps.sqrt(), ..self },
            Scope::Inputs => self,
        }
    }

    /// One head with the given norms, in the ball of radius R of a plane.
    #[must_use]
    pub fn of_norms(attention: Attention, mask: MaskKind, norms: HeadNorms, radius: f64, n: f64) -> Self {
        Hypotheses {
            attention,
            mask,
            ln_n: n.ln(),
            radius,
            heads: vec![norms],
            mixings: Vec::new(),
            d: 2,
            isotropic: vec![false],
            combination: Combination::RootOfSquares,
            outer_factor: 1.0,
            lines: Vec::new(),
            directions: Vec::new(),
            centres: Vec::new(),
            exponents: vec![Exponents::of_norm(norms.a_norm)],
            adversarial: None,
            kim: None,
            normalization: Normalization::None,
            scope: Scope::Inputs,
            papers: Papers::Covered,
            variant: None,
        }
    }

    /// Adds the norms of \[K\]'s matrices, if the weights have them.
    #[must_use]
    pub fn with_l2_mha(&self, weights: &Weights) -> Self {
        Hypotheses { kim: weights.l2_mha.as_ref().map(KimNorms::of), ..self.clone() }
    }

    /// Whether the attention is that of the two papers (see [`Experiment::is_plain`]).
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.papers == Papers::Covered
    }

    /// Whether a normaliser acts on the tokens.
    #[must_use]
    pub fn is_normalized(&self) -> bool {
        self.normalization != Normalization::None
    }

    /// The number of tokens.
    #[must_use]
    pub fn n(&self) -> f64 {
        self.ln_n.exp()
    }

    /// The same hypotheses at another number of tokens.
    #[must_use]
    pub fn with_n(&self, n: f64) -> Self {
        self.with_ln_n(n.ln())
    }

    /// The same hypotheses at another number of tokens, given as its natural logarithm.
    #[must_use]
    pub fn with_ln_n(&self, ln_n: f64) -> Self {
        Hypotheses { ln_n, ..self.clone() }
    }

    /// The same hypotheses at another radius.
    #[must_use]
    pub fn with_radius(&self, radius: f64) -> Self {
        Hypotheses { radius, ..self.clone() }
    }

    /// Gamma, the largest R |A x| - x.A x over the ball and the heads, from above: the sqrt(n) growth ends near n =
    /// e^Gamma.
    #[must_use]
    pub fn exponent(&self) -> f64 {
        let gamma = largest(self.exponents.iter().map(|head| head.gamma));
        gamma * self.radius * self.radius
    }

    /// The number of tokens that a table of its mask or biases is about, if it has one.
    pub(crate) fn table_size(&self) -> Option<usize> {
        self.variant.as_deref().and_then(Variant::table_size)
    }

    /// A head on the ball.
    pub(crate) fn head_on_ball(&self, head_idx: usize) -> HeadOnBall {
        let HeadNorms { a_norm, v_norm } = self.heads[head_idx];
        let exponents = self.exponents[head_idx].on_ball(self.radius);
        HeadOnBall { a: a_norm * self.radius * self.radius, v_norm, exponents }
    }

    /// a = ||A||_2 R^2 of each head.
    pub fn a_of_heads(&self) -> impl Iterator<Item = f64> + '_ {
        self.heads.iter().map(|head| head.a_norm * self.radius * self.radius)
    }
}

/// The constants of one head on the ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadOnBall {
    /// a = ||A||_2 R^2.
    pub(crate) a: f64,
    /// ||V||_2, or ||O_h V||_2.
    pub(crate) v_norm: f64,
    /// Gamma and the other exponents.
    pub(crate) exponents: Exponents,
}

/// R of the bounds: the radius of the ball that holds the tokens, or sqrt d under a normaliser.
#[must_use]
pub fn radius_of_ball(experiment: &Experiment, d: usize, radius: f64) -> f64 {
    match experiment.normalization {
        Normalization::None => radius,
        _ => (d as f64).sqrt(),
    }
}

/// The norms of \[K\]'s matrices that `kim_l2` and `kim_linf` need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct KimNorms {
    /// The number of columns of W_Q of one head.
    pub(crate) k: f64,
    /// max_h ||W_Q,h||_inf ||W_Q,h^T||_inf.
    pub(crate) query_linf: f64,
    /// max_h ||W_V,h^T||_inf.
    pub(crate) value_linf: f64,
    /// ||W_O^T||_inf.
    pub(crate) output_linf: f64,
    /// sum_h ||W_Q,h||_2^4 ||W_V,h||_2^2.
    pub(crate) heads: f64,
    /// ||W_O||_2.
    pub(crate) output: f64,
}

impl KimNorms {
    pub(crate) fn of(weights: &L2Mha) -> Self {
        let pairs = || weights.queries.iter().zip(&weights.values);
        KimNorms {
            k: weights.queries.first().map_or(1, DMatrix::ncols) as f64,
            query_linf: largest(weights.queries.iter().map(|q| row_sum(q) * column_sum(q))),
            value_linf: largest(weights.values.iter().map(column_sum)),
            output_linf: column_sum(&weights.output),
            heads: pairs().map(|(q, v)| largest_singular_value(q).powi(4) * largest_singular_value(v).powi(2)).sum(),
            output: largest_singular_value(&weights.output),
        }
    }
}

/// Largest absolute row sum.
fn row_sum(matrix: &DMatrix<f64>) -> f64 {
    largest(matrix.row_iter().map(|row| row.iter().map(|x| x.abs()).sum()))
}

/// Largest absolute column sum, the row sum of the transpose.
fn column_sum(matrix: &DMatrix<f64>) -> f64 {
    largest(matrix.column_iter().map(|column| column.iter().map(|x| x.abs()).sum()))
}
