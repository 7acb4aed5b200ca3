//! Finds the worst tokens known at each n, and measures the norm at them. Attention without a mask, normaliser and
//! further steps seldom needs this: its lower bounds over n already are these norms.

use std::ops::Range;

use lipscope_core::bounds::{Witnesses, bounds_and_witnesses};
use lipscope_core::experiment::{Experiment, InputError, Mask, Memory, TokenSource};
use lipscope_core::growth::{WorstTokens, carried, hypotheses_of_ball_within, worst_tokens};
use lipscope_core::measure::MeasureOptions;
use lipscope_core::phrase;
use lipscope_core::sweep::{Spacing, SweepPlan};
use serde::{Deserialize, Serialize};

use crate::cut::cut_evenly;
use crate::task::{Cut, Poll, Report, Task};

/// About how many lists of tokens are measured at each n.
const LISTS_AT_EACH: u64 = 10;

/// The ball, and the n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstRequest {
    /// Gives the ball, the weights and the mask.
    pub experiment: Experiment,
    /// The n.
    pub lengths: Vec<usize>,
    /// How R depends on n.
    pub spacing: Spacing,
    /// Where the tokens come from.
    pub from: WorstFrom,
    /// The n that are computed, by index. `None` for all.
    pub units: Option<Range<usize>>,
}

/// Where the tokens that are tried come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WorstFrom {
    /// The ball of each n.
    Ball,
    /// For each n, tokens of other n in the same ball or a smaller one, which are carried to it.
    Tokens(Vec<Vec<TokenSource>>),
}

/// The worst tokens known at one n.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstAt {
    /// Number of tokens.
    pub n: usize,
    /// R of the ball.
    pub radius: f64,
    /// The tokens, and the norm at them.
    pub worst: WorstTokens,
}

/// The computation under way.
#[derive(Debug)]
pub struct WorstTask {
    request: WorstRequest,
    left: Range<usize>,
    pending: Vec<WorstAt>,
}

impl Task<Memory> for WorstTask {
    type Plan = WorstRequest;
    type Event = Vec<WorstAt>;

    fn cut(request: &WorstRequest, workers: usize) -> Vec<Cut> {
        // The worker that starts the plan reports its error.
        let Ok(plan) = SweepPlan::new(&request.experiment, &request.lengths, 1) else { return Vec::new() };
        let options = MeasureOptions::for_sweep();
        let costs = request.lengths.iter().map(|n| (plan.cost_of_point(*n, &options).times(LISTS_AT_EACH), 1));
        cut_evenly(&costs.collect::<Vec<_>>(), workers)
    }

    fn part(request: &WorstRequest, units: &Range<usize>) -> WorstRequest {
        WorstRequest { units: Some(units.clone()), ..request.clone() }
    }

    fn start(request: WorstRequest, _: &mut Memory) -> Result<Self, InputError> {
        let all = 0..request.lengths.len();
        let units = request.units.clone().unwrap_or(all.clone());
        Ok(WorstTask { left: units.start.min(all.end)..units.end.min(all.end), request, pending: Vec::new() })
    }

    fn step(&mut self, memory: &mut Memory, report: &mut Report<'_, Vec<WorstAt>>) -> Result<Poll, InputError> {
        let next = self.left.next();
        if let Some(at) = next {
            let WorstRequest { experiment, lengths, spacing, from, .. } = &self.request;
            let n = lengths[at];
            let ball = hypotheses_of_ball_within(experiment, phrase!("growth_curves", "The growth curves"), *memory)?;
            let radius = spacing.of_ball(experiment.normalization).radius_at(ball.radius, n as f64);
            let worst = match from {
                WorstFrom::Ball => {
                    let ball = ball.with_n(n as f64).with_radius(radius);
                    // Only without a mask do the lower bounds have tokens of their own.
                    let is_open = experiment.mask == Mask::None;
                    let witnesses = if is_open { bounds_and_witnesses(&ball).1 } else { Witnesses::default() };
                    worst_tokens(experiment, &ball, &witnesses, *memory)?
                }
                WorstFrom::Tokens(all) => {
                    let mut worst: Option<WorstTokens> = None;
                    for tokens in all.get(at).into_iter().flatten() {
                        let found = carried(experiment, tokens, n, *memory)?;
                        let is_worse = |found: &WorstTokens| worst.as_ref().is_none_or(|worst| found.norm > worst.norm);
                        worst = found.filter(is_worse).or(worst);
                    }
                    worst
                }
            };
            self.pending.extend(worst.map(|worst| WorstAt { n, radius, worst }));
        }
        if !self.pending.is_empty() && (next.is_none() || report.is_due()) {
            report.event(std::mem::take(&mut self.pending));
        }
        Ok(if next.is_none() { Poll::Done } else { Poll::More })
    }
}
