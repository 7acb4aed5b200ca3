//! The numbers of the opening view: the norms at these tokens and at the worst tokens known, and the bounds for all
//! tokens.

use crate::prelude::*;

use crate::answers::Measured;
use crate::page::Page;
use crate::state::{PageState, TokenChoice};
use crate::strings::{self, Place};
use lipscope_core::bounds::{Bound, BoundId, CASTIN_MEAN_FIELD, Norm, best_lower, best_upper};
use lipscope_core::experiment::{Normalization, Scope};
use lipscope_plot::Kind;

/// The numbers of one state.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Number of tokens.
    pub n: f64,
    /// The norm at these tokens, and how well it is known.
    pub measured: (f64, Kind),
    /// R of the ball.
    pub radius: f64,
    /// The name of the ball in sentences.
    pub place: Place,
    /// How these tokens compare with the known tokens of the ball.
    pub standing: Standing,
    /// log10 of the largest norm known in the ball: a lower bound, or the norm at tokens that were measured or found.
    pub worst_log10: f64,
    /// The smallest upper bound on the ball.
    pub best: Option<Bound>,
    /// The smallest upper bound on the ball that holds for every number of tokens.
    pub limit: Option<Bound>,
    /// ln n at which growth like sqrt(n) ends without a mask.
    pub growth_ends: Option<f64>,
    /// The published mean-field bound.
    pub mean_field: Option<Bound>,
}

/// Known tokens whose norm is above the best lower bound by more than this, in powers of ten, are others than those of the
/// bound.
const WORSE_THAN_PROVED: f64 = 0.04;

/// How tokens compare with the known tokens of their ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Worse tokens are known.
    Below,
    /// These are the worst tokens known.
    Worst,
    /// No tokens with a larger norm are known, but none were tried at this size to compare with.
    Alone,
}

impl Standing {
    /// Compares the log10 of the norm at these tokens with that of the largest norm known. Where the largest norm known
    /// is larger, the result is `Below`, else `top`.
    fn of(here: f64, known: f64, top: Standing) -> Self {
        if Standing::is_same(here, known) { top } else { Standing::Below }
    }

    /// Whether a norm is at least another one, as logarithms. A new measurement of the same list differs from its bound in
    /// the last digits.
    fn is_same(here: f64, known: f64) -> bool {
        here + 1e-9 >= known
    }
}

/// The facts for the state of the controls, if both the number and the bounds belong to it.
pub fn facts(page: Page) -> Option<Facts> {
    let measured = page.answers.measured.get()?;
    let ball = page.answers.ball.get()?;
    let norm = Norm::Spectral;
    let Measured { measurement, state, .. } = measured.as_ref();
    let found = measured.norm(norm)?;
    let is_of_one = page.is_measured() && page.state.with(|now| ball.is_of(now));
    let bounds = &ball.ball.bounds;
    let measured_log10 = measurement.spectral.log10();
    let lower = best_lower(bounds, norm).map_or(f64::NEG_INFINITY, |bound| bound.log10);
    let known = page.answers.known.with(|all| all.on(state, norm).raise(lower, measurement.n, ball.ball.radius));
    let best = best_upper(bounds, norm).copied();
    let is_largest = best.is_some_and(|best| Standing::is_same(measured_log10, best.log10));
    // A lower bound is the norm of some tokens.
    let is_tried = ball.ball.worst.is_some() || lower > f64::NEG_INFINITY || is_alone(state, measurement.n);
    let top = if is_tried || is_largest { Standing::Worst } else { Standing::Alone };
    is_of_one.then(|| Facts {
        n: measurement.n,
        measured: found,
        radius: ball.ball.radius,
        place: match (state.normalization, state.scope, measurement.d) {
            (Normalization::None, _, 2) => Place::Disc,
            (Normalization::None, ..) => Place::Ball,
            (_, Scope::Composed, _) => Place::Anywhere,
            _ => Place::Normalized,
        },
        standing: Standing::of(measured_log10, known, top),
        worst_log10: known.max(measured_log10),
        best,
        // The A of skew tokens is another one at each n.
        limit: best_upper(&ball.ball.limit, norm).copied().filter(|_| state.tokens != TokenChoice::Skew),
        // Growth that ends at three tokens or fewer is not reported. The growth is that of the tokens that proofs name,
        // so it is not reported either where they name none.
        growth_ends: ball
            .ball
            .growth_ends
            .filter(|ln_n| ball.of.experiment.has_proved_witnesses() && *ln_n > 3f64.ln())
            // Nor where other tokens are worse than those: their norms grow in another way.
            .filter(|_| known - lower <= WORSE_THAN_PROVED),
        mean_field: of(bounds, &CASTIN_MEAN_FIELD),
    })
}

/// Whether a single token attends to itself alone, so that J = V wherever it is.
fn is_alone(state: &PageState, n: f64) -> bool {
    n == 1.0 && state.normalization == Normalization::None && state.experiment().is_plain()
}

/// The largest norm known in the ball; `None` past the range of f64.
pub fn worst_value(facts: &Facts) -> Option<f64> {
    Some(10f64.powf(facts.worst_log10)).filter(|value| value.is_finite())
}

/// The name of the smallest upper bounds at several n: the bound's own name, if the same bound is smallest at each n.
pub fn best_label(bounds: impl Iterator<Item = Bound>) -> &'static str {
    let mut names = bounds.map(|bound| strings::bound_label(bound.id));
    let first = names.next().unwrap_or_else(strings::explore_best_bound);
    if names.all(|name| name == first) { first } else { strings::explore_best_bound() }
}

/// The bound with an id.
pub fn of(bounds: &[Bound], id: BoundId) -> Option<Bound> {
    bounds.iter().find(|bound| bound.id == id).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_worst_known_only_where_nothing_known_is_worse() {
        assert_eq!(Standing::of(0.2, 1.1, Standing::Worst), Standing::Below);
        assert_eq!(Standing::of(0.4, 0.3, Standing::Worst), Standing::Worst);
        // The same tokens, measured again.
        assert_eq!(Standing::of(1.1 - 1e-12, 1.1, Standing::Worst), Standing::Worst);
        assert_eq!(Standing::of(0.4, 0.1, Standing::Alone), Standing::Alone);
    }
}
