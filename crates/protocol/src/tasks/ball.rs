//! Bounds on the norm over a ball: those for n tokens in the ball, those for any number of tokens, and the worst known
//! tokens.

use lipscope_core::bounds::{
    Bound, CASTIN_GENERAL, Hypotheses, Norm, Side, all_bounds, best_lower, bounds_and_witnesses,
};
use lipscope_core::experiment::{Experiment, InputError, MaskKind, Memory};
use lipscope_core::extremum::largest;
use lipscope_core::fit::fit_power_law;
use lipscope_core::growth::{IdleStep, WorstTokens, hypotheses_of_ball_within, idle_steps, worst_tokens};
use lipscope_core::phrase;
use serde::{Deserialize, Serialize};

use crate::task::{Poll, Report, Task};

/// The ball that the bounds are about, and the number of tokens in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BallPlan {
    /// Gives the ball, the weights, the mask and the normaliser.
    pub experiment: Experiment,
    /// Number of tokens.
    pub n: f64,
}

/// The bounds on the ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// Number of tokens.
    pub n: f64,
    /// R of the ball.
    pub radius: f64,
    /// The bounds that apply to n tokens in it.
    pub bounds: Vec<Bound>,
    /// The upper bounds that hold for any number of tokens in it.
    pub limit: Vec<Bound>,
    /// The worst of the tokens that are tried, and the norm at them; `None` where this takes too long.
    pub worst: Option<WorstTokens>,
    /// The steps of attention that have no effect on n tokens of it.
    pub idle: Vec<IdleStep>,
    /// Gamma, the natural logarithm of the n at which growth like sqrt(n) ends. Only for dot-product attention without a
    /// mask, and only where the best lower bound grows like that up to this n.
    pub growth_ends: Option<f64>,
}

/// ln of a large n, and of a smaller one, on a ball of radius R: bounds grow with n, up to about n = exp(2 ||A|| R^2); a
/// bound that is equal at both has reached its limit.
fn most_tokens(hypotheses: &Hypotheses) -> [f64; 2] {
    let a = largest(hypotheses.a_of_heads()).min(1e300);
    [1e300f64.ln() + 4.0 * a, 1e200f64.ln() + 3.0 * a]
}

/// A bound that grows by at most this between the two n, in powers of ten, has reached its limit.
const SETTLED: f64 = 1e-9;

/// The upper bounds that hold for any number of tokens: those that grow with n and have reached their limit.
fn limits(hypotheses: &Hypotheses) -> Vec<Bound> {
    let [far, nearer] = most_tokens(hypotheses).map(|ln_n| hypotheses.with_ln_n(ln_n));
    let is_settled = |bound: &Bound| bound.id.at(&nearer).is_some_and(|near| bound.log10 - near.log10 <= SETTLED);
    let is_above = |bound: &Bound| bound.id.at(hypotheses).is_none_or(|here| here.log10 <= bound.log10 + SETTLED);
    let upper = all_bounds(&far).into_iter().filter(|bound| bound.side == Side::Upper);
    upper.filter(|bound| is_settled(bound) && is_above(bound)).collect()
}

/// The lengths at which growth is read begin here: at fewer tokens no curve looks like sqrt(n).
const GROWTH_FROM: f64 = 4.0;
/// Growth is read over at least a factor of two.
const LEAST_GROWTH_END: f64 = 8.0;
/// Growth is read up to this n at most: the bounds of any n say the same from far below it on.
const MOST_GROWTH_END: f64 = 1e15;
/// The number of these lengths.
const GROWTH_LENGTHS: usize = 5;
/// The slopes of log L on log n that count as growth like sqrt(n), whose slope is one half.
const LIKE_ROOT: std::ops::RangeInclusive<f64> = 0.4..=0.6;

/// Whether the best lower bound grows like sqrt(n) up to n = exp(`end`).
fn grows_like_root(hypotheses: &Hypotheses, end: f64) -> bool {
    let end = end.min(MOST_GROWTH_END.ln());
    if end < LEAST_GROWTH_END.ln() {
        return false;
    }
    let first = GROWTH_FROM.ln();
    let length = |at: usize| (first + (end - first) * at as f64 / (GROWTH_LENGTHS - 1) as f64).exp();
    let reached = |n: f64| {
        let bounds = all_bounds(&hypotheses.with_n(n));
        best_lower(&bounds, Norm::Spectral).map(|bound| (n, bound.log10))
    };
    let Some(logs) = (0..GROWTH_LENGTHS).map(length).map(reached).collect::<Option<Vec<_>>>() else { return false };
    // Bounds may be past the range of f64; the slope is that of their ratios.
    let points: Vec<(f64, f64)> = logs.iter().map(|(n, log10)| (*n, 10f64.powf(log10 - logs[0].1))).collect();
    // Over the whole range, and over both halves: a curve that rises early and is flat then has this slope in the mean.
    let half = points.len() / 2;
    [&points[..], &points[..=half], &points[half..]]
        .into_iter()
        .all(|part| fit_power_law(part).is_some_and(|fit| LIKE_ROOT.contains(&fit.exponent)))
}

/// The bounds, computed in one step.
#[derive(Debug)]
pub struct BallTask(BallPlan);

impl Task<Memory> for BallTask {
    type Plan = BallPlan;
    type Event = Ball;

    fn start(plan: BallPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(BallTask(plan))
    }

    fn step(&mut self, memory: &mut Memory, report: &mut Report<'_, Ball>) -> Result<Poll, InputError> {
        let BallPlan { experiment, n } = &self.0;
        // The page shows these bounds beside the measurement, and refuses both with the same sentence.
        let what = phrase!("measurement", "The measurement");
        let hypotheses = hypotheses_of_ball_within(experiment, what, *memory)?.with_n(*n);
        let (bounds, found) = bounds_and_witnesses(&hypotheses);
        let worst = worst_tokens(experiment, &hypotheses, &found, *memory)?;
        let idle = idle_steps(experiment, &hypotheses)?;
        // Weights that change with n make bounds that rise and fall with it: their value far out is no limit.
        let limit = if experiment.weighting.depends_on_n() { Vec::new() } else { limits(&hypotheses) };
        let is_open = hypotheses.mask == MaskKind::None;
        let has_growth = is_open && bounds.iter().any(|bound| bound.id == &CASTIN_GENERAL);
        let growth_ends = has_growth.then(|| hypotheses.exponent()).filter(|end| grows_like_root(&hypotheses, *end));
        report.event(Ball { n: *n, radius: hypotheses.radius, bounds, limit, worst, idle, growth_ends });
        Ok(Poll::Done)
    }
}
