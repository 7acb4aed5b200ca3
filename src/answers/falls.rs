//! Where a curve of the worst tokens known falls, and the plans that follow: tokens of smaller n are carried to larger ones.

use lipscope_core::experiment::TokenSource;
use lipscope_protocol::tasks::{GrowthRequest, WorstFrom, WorstRequest};

/// An n at which less is known than at a smaller one.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// The n at which tokens are wanted.
    pub n: f64,
    /// R of the ball there.
    pub radius: f64,
    /// log10 of the largest norm that is known at a smaller n.
    pub log10: f64,
    /// The tokens of smaller n, to be carried to this one. Without any, those behind the lower bound at this n are to be
    /// found first: a larger n falls below it.
    pub tokens: Vec<TokenSource>,
}

/// The plans that find these tokens, and carry those that are known.
#[must_use]
pub fn carrying(curves: &GrowthRequest, falls: &[Fall]) -> Vec<WorstRequest> {
    let (to_find, to_carry): (Vec<&Fall>, Vec<&Fall>) = falls.iter().partition(|fall| fall.tokens.is_empty());
    let plan = |falls: &[&Fall], from: WorstFrom| WorstRequest {
        experiment: curves.experiment.clone(),
        lengths: falls.iter().map(|fall| fall.n as usize).collect(),
        spacing: curves.plan.spacing,
        from,
        units: None,
    };
    let carried = to_carry.iter().map(|fall| fall.tokens.clone()).collect();
    let plans = [plan(&to_find, WorstFrom::Ball), plan(&to_carry, WorstFrom::Tokens(carried))];
    plans.into_iter().filter(|plan| !plan.lengths.is_empty()).collect()
}
