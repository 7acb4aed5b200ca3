//! Growth of the Lipschitz constant with n, for n from 2 to 1e300: every bound on the ball as a curve, and the exact
//! norms of the adversarial tokens as token measures. One plot shows both the general and the mean-field theorem of
//! \[C\].

mod ball;
mod candidates;
mod carry;
mod family;
mod idle;
mod more_tokens;
mod plan;
mod worst;

use std::ops::Range;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::bounds::{
    Bound, BoundsOverN, HeadNorms, Hypotheses, Norm, SKEW, UNIFIED, all_bounds, best_lower, best_upper,
    norm_of_clusters,
};
use crate::experiment::{Experiment, InputError, Memory};
use crate::extremum::{largest, maximum};
use crate::sweep::Spacing;
use crate::tokens;
use crate::weights::{HeadWeights, Weights};

pub use ball::{hypotheses_of_ball, hypotheses_of_ball_within};
pub use carry::carried;
pub use family::{Family, FamilyPoint};
pub use idle::{IdleStep, idle_steps};
pub use plan::{GrowthPlan, MOST_N, MOST_ROWS};
pub use worst::{WorstTokens, worst_tokens};

/// The bounds at one n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthRow {
    /// Number of tokens.
    pub n: f64,
    /// R of the ball; sqrt d at every n under a normaliser.
    pub radius: f64,
    /// The bounds on the ball, and the skew witness.
    pub bounds: Vec<Bound>,
}

/// The crossover at which the sqrt(n) growth ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossover {
    /// Gamma(A), the natural logarithm of that n: the largest R |A x| - x.A x over the ball and the heads, at most 2a
    /// and equal to it for A = -I.
    pub ln_n: f64,
    /// The largest a = ||A||_2 R^2 over the heads at that n.
    pub a: f64,
}

/// The bounds on the Lipschitz constant as functions of n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// One row per n.
    pub rows: Vec<GrowthRow>,
    /// Where the sqrt(n) growth ends; `None` where R grows with n, because then it ends at no single n.
    pub crossover: Option<Crossover>,
}

impl GrowthRow {
    /// The lowest upper bound on a norm on the ball.
    #[must_use]
    pub fn best_upper(&self, norm: Norm) -> Option<&Bound> {
        best_upper(&self.bounds, norm)
    }

    /// The highest lower bound on a norm on the ball at exactly this n.
    #[must_use]
    pub fn best_lower(&self, norm: Norm) -> Option<&Bound> {
        best_lower(&self.bounds, norm)
    }

    /// log10 of the best upper over the best lower bound.
    #[must_use]
    pub fn gap_log10(&self, norm: Norm) -> Option<f64> {
        Some(self.best_upper(norm)?.log10 - self.best_lower(norm)?.log10)
    }
}

/// The bound curves of an experiment, within the usual memory.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn growth(experiment: &Experiment, plan: &GrowthPlan) -> Result<Growth, InputError> {
    growth_within(experiment, plan, Memory::default())
}

/// As [`growth`], within a given memory.
///
/// # Errors
/// As [`growth`]; [`InputError::TooCostly`] before anything is drawn.
pub fn growth_within(experiment: &Experiment, plan: &GrowthPlan, memory: Memory) -> Result<Growth, InputError> {
    let mut growing = Growing::new(experiment, plan, 0..plan.lengths.len(), memory)?;
    let rows = std::iter::from_fn(|| growing.step()).collect();
    Ok(Growth { rows, crossover: growing.crossover() })
}

/// Computes the rows of a plan, one n per step.
#[derive(Clone, Debug)]
pub struct Growing {
    hypotheses: Hypotheses,
    /// At constant R, the parts of the bounds that all n share.
    over_n: Option<BoundsOverN>,
    /// How the radius of the bounds' ball depends on n.
    spacing: Spacing,
    lengths: std::vec::IntoIter<f64>,
}

impl Growing {
    /// The given rows of a plan, with the same digits as in a run over all of them.
    ///
    /// # Errors
    /// As [`growth_within`].
    pub fn new(
        experiment: &Experiment,
        plan: &GrowthPlan,
        rows: Range<usize>,
        memory: Memory,
    ) -> Result<Self, InputError> {
        plan.check(experiment, memory)?;
        let hypotheses = hypotheses_of_ball(experiment)?;
        let longest = plan.lengths.iter().copied().fold(2.0, maximum);
        let spacing = plan.spacing.of_ball(experiment.normalization);
        let over_n = match spacing {
            Spacing::Fixed => Some(BoundsOverN::new(hypotheses.clone(), longest)),
            Spacing::SqrtLog { .. } => None,
        };
        let lengths = plan.lengths.get(rows).unwrap_or_default().to_vec().into_iter();
        Ok(Growing { hypotheses, over_n, spacing, lengths })
    }

    /// The next row; `None` at the end.
    pub fn step(&mut self) -> Option<GrowthRow> {
        let n = self.lengths.next()?;
        let at = self.hypotheses.with_n(n).with_radius(self.spacing.radius_at(self.hypotheses.radius, n));
        let mut bounds = match &self.over_n {
            Some(over_n) => over_n.at(n),
            None => all_bounds(&at),
        };
        bounds.extend(skew(&at));
        Some(GrowthRow { n, radius: at.radius, bounds })
    }

    /// Where the sqrt(n) growth ends.
    #[must_use]
    pub fn crossover(&self) -> Option<Crossover> {
        crossover(&self.hypotheses, self.spacing)
    }
}

fn crossover(hypotheses: &Hypotheses, spacing: Spacing) -> Option<Crossover> {
    let a = largest(hypotheses.a_of_heads());
    // Of other attention no such exponent is known.
    if !hypotheses.is_plain() {
        return None;
    }
    match spacing {
        Spacing::Fixed => Some(Crossover { ln_n: hypotheses.exponent(), a }),
        // The exponent at n is Gamma ln n / ln n_0, which equals ln n for every n or for none.
        Spacing::SqrtLog { .. } => None,
    }
}

/// The exact norm of the skew witness with the ||A|| and ||V|| of the hypotheses, for one head without a mask and without
/// a normaliser, whose outputs do not fill a ball. `None` beyond the crossover n - 1 = e^(2a), where c reaches ||A||.
fn skew(hypotheses: &Hypotheses) -> Option<Bound> {
    let [HeadNorms { a_norm, v_norm }] = hypotheses.heads[..] else { return None };
    if hypotheses.is_normalized() || UNIFIED.at(hypotheses).is_none() || hypotheses.radius <= 0.0 || a_norm <= 0.0 {
        return None;
    }
    let ln_rest = (hypotheses.n() - 1.0).max(1.0).ln();
    if ln_rest > 2.0 * a_norm * hypotheses.radius * hypotheses.radius {
        return None;
    }
    let a = tokens::skew_matrix(a_norm, hypotheses.radius, ln_rest);
    let head = HeadWeights {
        q: DMatrix::identity(2, 2),
        k: a.transpose() * 2f64.sqrt(),
        v: DMatrix::identity(2, 2),
        second: None,
    };
    let norm = norm_of_clusters(
        &Weights { heads: vec![head], shared: Vec::new(), output: None, l2_mha: None },
        &tokens::skew_tokens(2, hypotheses.radius),
        &[0.0, ln_rest],
    )?;
    (norm > 0.0).then(|| Bound::of_ln(&SKEW, norm.ln() + v_norm.ln()))
}
