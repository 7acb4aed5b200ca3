//! How a bound gets its numbers. Separate from its [`Statement`], so that a program that only names bounds, such
//! as the page, links no numerics.

use super::hypotheses::Hypotheses;
use super::local::rows::LocalParts;
use super::lower::found::Found;
use super::slack::{AtHead, SlackFactor};
use super::statement::Statement;

/// The functions of a bound. They are called only where all its needs hold.
pub(crate) struct Evaluator {
    /// The bound.
    pub(crate) statement: &'static Statement,
    /// Its value.
    pub(crate) value: Computation,
    /// Its formula with numbers inserted, for one head; empty where there is none of one line.
    pub(crate) worked: fn(&AtHead<'_>) -> String,
    /// The factors that the steps of its proof lose.
    pub(crate) losses: fn(&AtHead<'_>) -> Vec<SlackFactor>,
}

/// What a bound is computed from; all give ln of it.
pub(crate) enum Computation {
    /// The constants of the weights and of a ball.
    OnBall(fn(&Hypotheses) -> Option<f64>),
    /// Tokens of the ball that the bound looks for, under the causal mask in their order.
    AtWitness(fn(&Hypotheses) -> Option<Found>),
    /// The terms of the Jacobian at given tokens, whose bound is no logarithm.
    AtTokens(fn(&LocalParts) -> Option<f64>),
    /// Nothing that is given here: another module computes it.
    Elsewhere,
}

/// For a bound whose proof loses nothing that has a name.
pub(crate) fn no_losses(_: &AtHead<'_>) -> Vec<SlackFactor> {
    Vec::new()
}

/// For a bound without a formula of one line.
pub(crate) fn no_formula(_: &AtHead<'_>) -> String {
    String::new()
}

/// For a bound whose value is found by a search: the constants that it depends on.
pub(crate) fn constants(at: &AtHead<'_>) -> String {
    format!("a = {}, v = {}, n = {}", at.a(), at.v(), at.n())
}
