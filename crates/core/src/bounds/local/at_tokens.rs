//! `local`, `local_token` and `local_blocks` at a forward pass, by the formulas that its steps need.

use super::super::heads::Combination;
use super::bound::PlainLocal;
use super::head::LocalParts;
use super::steps::{Multiplicities, StepsLocal};
use crate::attention::Forward;
use crate::weights::Weights;

/// Computes the bounds at a forward pass in short steps, so that a worker can handle messages between them.
#[derive(Clone, Debug)]
pub struct LocalBound(Formulas);

#[derive(Clone, Debug)]
enum Formulas {
    Plain(Box<PlainLocal>),
    /// Where steps have derivatives of their own.
    Steps(Box<StepsLocal>),
    /// Where projections are given, which may have biases.
    Given(Box<StepsLocal>),
}

impl LocalBound {
    /// Prepares the bounds at a forward pass of these weights.
    #[must_use]
    pub fn new(forward: &Forward<f64>, weights: &Weights) -> Self {
        LocalBound(if forward.has_plain_blocks() {
            Formulas::Plain(Box::new(PlainLocal::new(forward, weights)))
        } else {
            Formulas::Steps(Box::new(StepsLocal::new(forward, Multiplicities::One)))
        })
    }

    /// Prepares the bounds at a forward pass of given projections, such as those of a trained model; `None` where a
    /// normaliser takes the queries of all heads together, for which none is proved. They hold with biases:
    /// docs/theory.md, "Local bounds of every variant".
    #[must_use]
    pub fn of_projections(forward: &Forward<f64>) -> Option<Self> {
        let is_by_heads = forward.steps.wide_norm().is_none();
        is_by_heads.then(|| LocalBound(Formulas::Given(Box::new(StepsLocal::new(forward, Multiplicities::One)))))
    }

    /// Adds some rows of the same forward pass; true when all rows are done.
    pub fn step(&mut self, forward: &Forward<f64>) -> bool {
        match &mut self.0 {
            Formulas::Plain(bound) => bound.step(forward),
            Formulas::Steps(bound) | Formulas::Given(bound) => bound.step(forward),
        }
    }

    /// The bounds, after all rows are done.
    #[must_use]
    pub fn finish(self, combination: Combination) -> LocalParts {
        match self.0 {
            Formulas::Plain(bound) => bound.finish(combination),
            Formulas::Steps(bound) => bound.finish(combination),
            Formulas::Given(bound) => bound.finish_with_values(combination),
        }
    }
}
