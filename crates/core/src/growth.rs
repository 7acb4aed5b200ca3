//! Growth of the Lipschitz constant with n, for n from 2 to 1e300: every bound on the ball as a curve, and the exact
//! norms of the adversarial tokens as token measures. It shows two theorems of \[C\] in one plot.

use std::ops::Range;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::attention::Normalizer;
use crate::bounds::{Bound, BoundId, Domain, HeadNorms, Hypotheses, Norm, Side, TwoClusterCurve, norm_of_clusters};
use crate::cost::{self, BASE, Cost, Shape, gathered, largest, parts, product, shape_of, sum};
use crate::experiment::Phrase;
use crate::experiment::{
    Attention, Experiment, InputError, Mask, Memory, Normalization, RandomTokens, Scope, TokenSource,
};
use crate::phrase;
use crate::tokens::{self, AdversarialDirection};
use crate::weights::{HeadWeights, Inputs, Weights, check_sizes, inputs, weights_for};

/// How R depends on n.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Spacing {
    /// R is constant.
    Fixed,
    /// R_n = R sqrt(ln n / ln n_0), with the experiment's R at n_0, so that a is proportional to ln n.
    SqrtLog {
        /// n_0, where R is the experiment's own.
        from_n: f64,
    },
}

/// Input of a growth plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthPlan {
    /// The n, ascending, each at least 2.
    pub lengths: Vec<f64>,
    /// How R depends on n.
    pub spacing: Spacing,
}

/// The bounds at one n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowthRow {
    /// Number of tokens.
    pub n: f64,
    /// R.
    pub radius: f64,
    /// The bounds on the ball, and the skew witness.
    pub bounds: Vec<Bound>,
}

/// The crossover at which the sqrt(n) growth ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crossover {
    /// Gamma(A), the natural logarithm of that n: the largest R |A x| - x.A x over the ball and the heads, at most 2a and
    /// equal to it for A = -I.
    pub ln_n: f64,
    /// The largest a = ||A||_2 R^2 over the heads at that n.
    pub a: f64,
}

/// The bounds on the Lipschitz constant as functions of n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// One row per n.
    pub rows: Vec<GrowthRow>,
    /// Where the sqrt(n) growth ends; `None` if it does not.
    pub crossover: Option<Crossover>,
}

/// The exact norm at the adversarial tokens of one length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyPoint {
    /// Number of tokens.
    pub n: f64,
    /// ||J||_2.
    pub spectral: f64,
}

/// The most rows of a plan.
pub const MOST_ROWS: usize = 2000;
/// The largest n.
pub const MOST_N: f64 = 1e300;
/// The largest d for which exact norms at the adversarial tokens are computed.
const MOST_FAMILY_DIM: usize = 64;

impl GrowthPlan {
    /// `count` lengths from `first` to `last`, evenly spaced in ln n and rounded to integers below 2^53.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if the range is empty or outside 2 to 1e300.
    pub fn new(first: f64, last: f64, count: usize, spacing: Spacing) -> Result<Self, InputError> {
        let bad = |key: Phrase, found: f64| {
            Err(InputError::bad_value(
                key,
                found.to_string(),
                phrase!("number_tokens_from_2", "a number of tokens from 2 to 1e300"),
            ))
        };
        let is_length = |n: &f64| (2.0..=MOST_N).contains(n);
        if !is_length(&first) {
            return bad(phrase!("first_n", "The first n"), first);
        }
        if !is_length(&last) || last < first {
            return bad(phrase!("last_n", "The last n"), last);
        }
        let count = count.clamp(1, MOST_ROWS);
        let (low, high) = (first.ln(), last.ln());
        let mut lengths: Vec<f64> = (0..count)
            .map(|at| (low + (high - low) * at as f64 / (count - 1).max(1) as f64).exp().round())
            .map(|n| n.clamp(first, last))
            .collect();
        lengths.dedup();
        Ok(GrowthPlan { lengths, spacing })
    }
}

impl GrowthPlan {
    /// What the curves of an experiment take.
    #[must_use]
    pub fn cost(&self, experiment: &Experiment) -> Cost {
        self.cost_of_shape(&shape_of(experiment))
    }

    fn check(&self, experiment: &Experiment, memory: Memory) -> Result<(), InputError> {
        check_sizes(experiment)?;
        cost::check(phrase!("growth_curves", "The growth curves"), &shape_of(experiment), memory, |shape| {
            self.cost_of_shape(shape)
        })
    }

    fn cost_of_shape(&self, shape: &Shape) -> Cost {
        /// Numbers of a bound, and operations to look for the best two clusters at one n.
        const BOUND: u64 = 16;
        const TWO_CLUSTERS: u64 = 100_000;
        let (inputs, hypotheses) = (parts::inputs(shape), cost::bounds::hypotheses(shape));
        let rows = product([self.lengths.len() as u64, BoundId::ALL.len() as u64, BOUND]);
        // The family is that of two positions.
        let family = if largest([shape.d, shape.d_out()]) <= MOST_FAMILY_DIM as u64 {
            let (n_rows, n_columns) = gathered::between(shape, 2);
            let values = parts::singular_values(n_rows, n_columns).peak();
            sum([gathered::clusters(shape, 2, 0).peak(), product([n_rows, n_columns]), values])
        } else {
            0
        };
        let peak = largest([inputs.besides, hypotheses.besides, family]);
        // Each n has its own copy of the lines.
        let held = sum([BASE, inputs.kept, product([3, hypotheses.kept]), rows]);
        let search = product([self.lengths.len() as u64, shape.heads, TWO_CLUSTERS]);
        Cost::of_numbers(sum([held, peak]), sum([inputs.operations, hypotheses.operations, search]))
    }
}

impl GrowthRow {
    /// The lowest upper bound on a norm on the ball.
    #[must_use]
    pub fn best_upper(&self, norm: Norm) -> Option<&Bound> {
        self.on_ball(norm, Side::Upper).min_by(|a, b| a.log10.total_cmp(&b.log10))
    }

    /// The highest lower bound on a norm on the ball at exactly this n.
    #[must_use]
    pub fn best_lower(&self, norm: Norm) -> Option<&Bound> {
        // The envelope bounds the largest constant over all lengths up to n, not the one at n.
        self.on_ball(norm, Side::Lower)
            .filter(|bound| bound.id != BoundId::AdversarialEnvelope)
            .max_by(|a, b| a.log10.total_cmp(&b.log10))
    }

    /// log10 of the best upper over the best lower bound.
    #[must_use]
    pub fn gap_log10(&self, norm: Norm) -> Option<f64> {
        Some(self.best_upper(norm)?.log10 - self.best_lower(norm)?.log10)
    }

    fn on_ball(&self, norm: Norm, side: Side) -> impl Iterator<Item = &Bound> {
        let is_on_ball = move |bound: &&Bound| bound.side == side && bound.id.is_about(norm);
        self.bounds.iter().filter(is_on_ball).filter(|bound| bound.id.domain() == Domain::Ball)
    }
}

/// The hypotheses of an experiment's weights and ball, independent of its tokens: the bounds hold for all tokens in the
/// ball, and in scope `composed` at the steepest point of the normaliser.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn hypotheses_of_ball(experiment: &Experiment) -> Result<Hypotheses, InputError> {
    let Ball { tokens, weights, radius } = Ball::of(experiment)?;
    let normalizer = Normalizer::new(experiment.normalization, experiment.eps, &tokens);
    let mut hypotheses = Hypotheses::new(experiment, &weights, &normalizer, radius, 2f64.ln());
    if experiment.scope() == Scope::Composed {
        // The normaliser's slope is 1/sqrt(eps) at a constant token; for eps = 0 it is infinite, and the bounds are
        // absent.
        hypotheses.outer_factor = 1.0 / experiment.eps.sqrt();
    }
    Ok(hypotheses)
}

/// Weights and radius of an experiment, without its n.
struct Ball {
    /// A few of its tokens, for the normaliser.
    tokens: DMatrix<f64>,
    weights: Weights,
    radius: f64,
}

impl Ball {
    fn of(experiment: &Experiment) -> Result<Self, InputError> {
        match &experiment.tokens {
            TokenSource::Random(law) => Ok(Ball {
                tokens: tokens::random_tokens(&RandomTokens { n: 2, ..*law }),
                weights: weights_for(experiment, law.d)?,
                radius: law.radius,
            }),
            // Of a list, only the first tokens and the largest norm of all are needed.
            TokenSource::Explicit(rows) => {
                let tokens = tokens::listed_tokens(rows);
                Ok(Ball {
                    weights: weights_for(experiment, tokens.nrows())?,
                    radius: tokens::largest_norm(&tokens),
                    tokens: tokens.columns(0, 1).into_owned(),
                })
            }
            TokenSource::Adversarial { radius, .. } => {
                let tokens = TokenSource::Adversarial { n: 2, radius: *radius };
                let Inputs { tokens, weights, .. } = inputs(&Experiment { tokens, ..experiment.clone() })?;
                Ok(Ball { tokens, weights, radius: *radius })
            }
            TokenSource::Skew { .. } | TokenSource::Clusters { .. } => {
                let Inputs { tokens, weights, .. } = inputs(experiment)?;
                let radius = tokens::largest_norm(&tokens);
                Ok(Ball { tokens: tokens.columns(0, 1).into_owned(), weights, radius })
            }
        }
    }
}

/// The bound curves of an experiment, within the usual memory.
///
/// # Errors
/// [`InputError`] if the experiment cannot be built.
pub fn growth(experiment: &Experiment, plan: &GrowthPlan) -> Result<Growth, InputError> {
    growth_within(experiment, plan, Memory::default())
}

/// The same within some memory.
///
/// # Errors
/// As [`growth`]; [`InputError::TooCostly`] before anything is drawn.
pub fn growth_within(experiment: &Experiment, plan: &GrowthPlan, memory: Memory) -> Result<Growth, InputError> {
    growth_at(experiment, plan, 0..plan.lengths.len(), memory)
}

/// Some rows of the plan, with the digits that they have among all of them.
///
/// # Errors
/// As [`growth_within`].
pub fn growth_at(
    experiment: &Experiment,
    plan: &GrowthPlan,
    rows: Range<usize>,
    memory: Memory,
) -> Result<Growth, InputError> {
    plan.check(experiment, memory)?;
    let hypotheses = hypotheses_of_ball(experiment)?;
    let longest = plan.lengths.iter().copied().fold(2.0, f64::max);
    // At constant R, one search over ratios serves every n.
    let curve = match plan.spacing {
        Spacing::Fixed => TwoClusterCurve::new(&hypotheses, longest.ln()),
        Spacing::SqrtLog { .. } => None,
    };
    let rows = plan
        .lengths
        .get(rows)
        .unwrap_or_default()
        .iter()
        .map(|n| {
            let at = hypotheses.with_n(*n).with_radius(radius_at(hypotheses.radius, plan.spacing, *n));
            let mut bounds: Vec<Bound> = BoundId::ALL
                .into_iter()
                .filter_map(|id| match (id, &curve) {
                    (BoundId::TwoClusters, Some(curve)) => {
                        curve.at(at.ln_n).map(|found| Bound::of_ln(id, found.norm.ln()))
                    }
                    _ => id.at(&at),
                })
                .collect();
            bounds.extend(skew(&at));
            GrowthRow { n: *n, radius: at.radius, bounds }
        })
        .collect();
    Ok(Growth { rows, crossover: crossover(&hypotheses, plan.spacing) })
}

/// R at n.
fn radius_at(radius: f64, spacing: Spacing, n: f64) -> f64 {
    match spacing {
        Spacing::Fixed => radius,
        Spacing::SqrtLog { from_n } => radius * (n.ln() / from_n.max(2.0).ln()).sqrt(),
    }
}

fn crossover(hypotheses: &Hypotheses, spacing: Spacing) -> Option<Crossover> {
    let a = hypotheses.a_of_heads().fold(0.0, f64::max);
    match spacing {
        Spacing::Fixed => Some(Crossover { ln_n: hypotheses.exponent(), a }),
        // Gamma ln n / ln n_0 = ln n holds for every n or for none.
        Spacing::SqrtLog { .. } => None,
    }
}

/// The exact norm of the skew witness with the ||A|| and ||V|| of the hypotheses, for one head without a mask. Only up
/// to the crossover n - 1 = e^(2a), where c reaches ||A||.
fn skew(hypotheses: &Hypotheses) -> Option<Bound> {
    let [HeadNorms { a_norm, v_norm }] = hypotheses.heads[..] else { return None };
    if BoundId::Unified.at(hypotheses).is_none() || hypotheses.radius <= 0.0 || a_norm <= 0.0 {
        return None;
    }
    let ln_rest = (hypotheses.n() - 1.0).max(1.0).ln();
    if ln_rest > 2.0 * a_norm * hypotheses.radius * hypotheses.radius {
        return None;
    }
    let a = tokens::skew_matrix(a_norm, hypotheses.radius, ln_rest);
    let head = HeadWeights { q: DMatrix::identity(2, 2), k: a.transpose() * 2f64.sqrt(), v: DMatrix::identity(2, 2) };
    let norm = norm_of_clusters(
        &Weights { heads: vec![head], output: None, l2_mha: None },
        &tokens::skew_tokens(2, hypotheses.radius),
        &[0.0, ln_rest],
    )?;
    (norm > 0.0).then(|| Bound::of_ln(BoundId::Skew, norm.ln() + v_norm.ln()))
}

/// Computes the exact norms at the adversarial tokens, one n per step.
#[derive(Clone, Debug)]
pub struct Family {
    weights: Weights,
    line: AdversarialDirection,
    radius: f64,
    plan: GrowthPlan,
    next: usize,
}

impl Family {
    /// The adversarial tokens of an experiment's weights. `None` unless attention is dot-product without mask and
    /// normaliser, A has a real eigenvalue and d is at most 64.
    ///
    /// # Errors
    /// [`InputError`] if the experiment cannot be built.
    pub fn new(experiment: &Experiment, plan: &GrowthPlan) -> Result<Option<Self>, InputError> {
        Family::new_within(experiment, plan, Memory::default())
    }

    /// The same within some memory.
    ///
    /// # Errors
    /// As [`Family::new`]; [`InputError::TooCostly`] before anything is drawn.
    pub fn new_within(experiment: &Experiment, plan: &GrowthPlan, memory: Memory) -> Result<Option<Self>, InputError> {
        plan.check(experiment, memory)?;
        let applies = experiment.mask == Mask::None
            && experiment.normalization == Normalization::None
            && experiment.attention == Attention::Dot;
        if !applies {
            return Ok(None);
        }
        let Ball { weights, radius, .. } = Ball::of(experiment)?;
        if weights.d().max(weights.d_out()) > MOST_FAMILY_DIM {
            return Ok(None);
        }
        let line = weights.heads.first().and_then(|head| AdversarialDirection::of(head.query_key()).ok());
        let family = |line| Family { weights, line, radius, plan: plan.clone(), next: 0 };
        Ok(line.map(family))
    }

    /// The next point; `None` at the end.
    pub fn step(&mut self) -> Option<FamilyPoint> {
        let n = *self.plan.lengths.get(self.next)?;
        self.next += 1;
        let radius = radius_at(self.radius, self.plan.spacing, n);
        let AdversarialDirection { direction, first, others, .. } = &self.line;
        let positions = DMatrix::from_columns(&[direction * (radius * first), direction * (radius * others)]);
        let norm = norm_of_clusters(&self.weights, &positions, &[0.0, (n - 1.0).ln()]);
        // An n whose norm overflows is skipped.
        match norm {
            Some(spectral) => Some(FamilyPoint { n, spectral }),
            None => self.step(),
        }
    }
}
