//! What the ball holds at one n: the bounds on every list of n tokens in it, those on every list however long, and the
//! worst tokens known.

use lipscope_core::bounds::{Bound, BoundId, all_bounds, bounds_and_witnesses};
use lipscope_core::experiment::{Experiment, InputError, Memory, TokenSource};
use lipscope_core::sweep::hypotheses_of_draws;
use serde::{Deserialize, Serialize};

use crate::task::{Report, Task, Turn};

/// Of which ball, and for how many tokens.
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
    /// The bounds that apply to 1e300 tokens in it: as far as numbers go, and so to fewer tokens too.
    pub limit: Vec<Bound>,
    /// The tokens behind the largest of the lower bounds that have some.
    pub worst: Option<Worst>,
    /// Gamma, the natural logarithm of the n at which the known growth like sqrt(n) ends: for dot-product attention without a
    /// mask.
    pub growth_ends: Option<f64>,
}

/// Tokens that reach a lower bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// The bound.
    pub id: BoundId,
    /// The tokens.
    pub tokens: TokenSource,
}

/// As many tokens as numbers can say: every bound on the ball grows with n.
const MOST_TOKENS: f64 = 1e300;

/// The bounds, computed in one step.
#[derive(Debug)]
pub struct BallTask(BallPlan);

impl Task<Memory> for BallTask {
    type Plan = BallPlan;
    type Event = Ball;

    fn start(plan: BallPlan, _: &mut Memory) -> Result<Self, InputError> {
        Ok(BallTask(plan))
    }

    fn step(&mut self, _: &mut Memory, report: &mut Report<'_, Ball>) -> Result<Turn, InputError> {
        let BallPlan { experiment, n } = &self.0;
        let hypotheses = hypotheses_of_draws(experiment, 2, 1)?.with_n(*n);
        let (bounds, found) = bounds_and_witnesses(&hypotheses);
        let clusters = found.two_clusters.map(|found| (found.norm, BoundId::TwoClusters, found.token_source()));
        let witnesses = [(BoundId::Sink, found.sink), (BoundId::Fork, found.fork)].into_iter();
        let witnesses = witnesses.filter_map(|(id, found)| found.map(|found| (found.norm, id, found.token_source())));
        let worst = match clusters.into_iter().chain(witnesses).max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, id, tokens)) => Some(Worst { id, tokens: tokens? }),
            None => None,
        };
        let limit = all_bounds(&hypotheses.with_n(MOST_TOKENS));
        let has_growth = bounds.iter().any(|bound| bound.id == BoundId::CastinGeneral);
        let growth_ends = has_growth.then(|| hypotheses.exponent());
        report.event(Ball { n: *n, radius: hypotheses.radius, bounds, limit, worst, growth_ends });
        Ok(Turn::Done)
    }
}
