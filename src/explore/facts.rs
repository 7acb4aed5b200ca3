//! The numbers of the opening view: the norm at these tokens, at the worst tokens known, and the bound for all tokens.

use crate::prelude::*;

use crate::answers::{Measured, SearchFound};
use crate::page::Page;
use crate::state::{PageState, TokenChoice};
use crate::strings::{self, Place};
use lipscope_core::bounds::{Bound, BoundId, Norm, Side};
use lipscope_core::experiment::{Mask, Normalization, Scope};
use lipscope_core::measure::Measurement;
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
    /// The largest norm known in the ball. It comes from a lower bound, from these tokens, from a sample or from a
    /// search.
    pub worst: Option<Bound>,
    /// The smallest upper bound on the ball.
    pub best: Option<Bound>,
    /// The smallest upper bound on the ball that holds for every number of tokens.
    pub limit: Option<Bound>,
    /// ln n at which the known growth like sqrt(n) ends.
    pub growth_ends: Option<f64>,
    /// The published mean-field bound.
    pub mean_field: Option<Bound>,
}

/// How tokens compare with the known tokens of their ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Worse tokens are known.
    Below,
    /// These are the worst tokens known.
    Worst,
    /// These tokens have a larger norm than all others known, but the page has no list of worst tokens to compare with.
    /// Under the causal mask the lower bound is far from the worst, so any sample may exceed it.
    Alone,
}

impl Standing {
    /// Compares logarithms of norms: at these tokens, of the largest lower bound, and of the largest sample or search
    /// result. `top` is the result for tokens that exceed both.
    fn of(here: f64, bound: f64, found: f64, top: Standing) -> Self {
        // The norm measured at the worst tokens themselves may differ from their bound in the last digits.
        let same = 1e-9;
        if here + same >= bound.max(found) { top } else { Standing::Below }
    }
}

/// The norm that was measured last, and how well it is known. While a slider moves, the norm may still belong to an
/// earlier state.
pub fn latest_norm(page: Page) -> Option<(f64, Kind)> {
    page.answers.measured.with(|measured| {
        let measurement = &measured.as_ref()?.measurement;
        Some((measurement.spectral, kind_of(measurement)))
    })
}

/// The facts on screen, if number and bounds belong to the same state.
pub fn facts(page: Page) -> Option<Facts> {
    let measured = page.answers.measured.get()?;
    let ball = page.answers.ball.get()?;
    let norm = Norm::Spectral;
    let Measured { measurement, state, .. } = measured.as_ref();
    let is_of_one = page.is_measured() && page.state.with(|now| ball.is_of(now));
    let bounds = &ball.ball.bounds;
    let measured_log10 = measurement.spectral.log10();
    let known = largest(bounds, norm);
    let found = largest_found(page, state, ball.ball.radius);
    let bound = known.as_ref().map_or(f64::NEG_INFINITY, |bound| bound.log10);
    let top = if ball.ball.worst.is_some() { Standing::Worst } else { Standing::Alone };
    is_of_one.then(|| Facts {
        n: measurement.n,
        measured: (measurement.spectral, kind_of(measurement)),
        radius: ball.ball.radius,
        place: match (state.normalization, state.scope, measurement.d) {
            (Normalization::None, _, 2) => Place::Disc,
            (Normalization::None, ..) => Place::Ball,
            (_, Scope::Composed, _) => Place::Anywhere,
            _ => Place::Normalized,
        },
        standing: Standing::of(measured_log10, bound, found, top),
        worst: known.map(|bound| raised(bound, measured_log10.max(found))),
        best: smallest(bounds, norm),
        limit: smallest(&ball.ball.limit, norm),
        // Below three tokens there is no growth to report. The growth is the growth of the worst tokens known, so it is
        // not reported where none are known.
        growth_ends: ball.ball.growth_ends.filter(|ln_n| ball.ball.worst.is_some() && *ln_n > 3f64.ln()),
        mean_field: of(bounds, BoundId::CastinMeanField),
    })
}

/// Whether `n` tokens of a ball can have at least the norm that `of` tokens of it have. Under the causal mask tokens
/// can be added at the end, since the first tokens do not see them. Without a mask each token can be repeated
/// (docs/theory.md, "More tokens"). Skew tokens have other weights for each n.
fn passes_on(state: &PageState, of: f64, n: f64) -> bool {
    match (state.tokens, state.mask) {
        (TokenChoice::Skew, _) => of == n,
        (_, Mask::Causal) => of <= n,
        (_, Mask::None) => n % of == 0.0,
    }
}

/// Norms that tokens of a ball have, as (n, norm): samples, and the results of searches.
pub fn norms_in_ball(
    samples: Vec<(f64, f64)>,
    found: &[SearchFound],
    state: &PageState,
    radius: f64,
) -> Vec<(f64, f64)> {
    let here = found.iter().filter(|found| found.is_about(state, radius));
    samples.into_iter().chain(here.map(|found| (found.n, found.norm))).collect()
}

/// log10 of the largest norm that samples (n, norm) show for `n` tokens; minus infinity where none does.
pub fn largest_sample(samples: &[(f64, f64)], state: &PageState, n: f64) -> f64 {
    let counted = samples.iter().filter(|sample| passes_on(state, sample.0, n));
    counted.map(|sample| sample.1.log10()).fold(f64::NEG_INFINITY, f64::max)
}

/// log10 of the largest norm that samples of the sweep and searches show for n tokens of this ball.
fn largest_found(page: Page, state: &PageState, radius: f64) -> f64 {
    let n = state.n_tokens();
    let samples = page.answers.sweep.with(|sweep| {
        let is_of_state = page.state.with(|now| sweep.is_of(now));
        if is_of_state { sweep.values(Norm::Spectral) } else { Vec::new() }
    });
    page.answers.searched.with(|found| largest_sample(&norms_in_ball(samples, found, state, radius), state, n))
}

/// The smallest of the upper bounds on a norm over the ball.
pub fn smallest(bounds: &[Bound], norm: Norm) -> Option<Bound> {
    let upper = on_ball(bounds, norm).filter(|bound| bound.side == Side::Upper);
    upper.min_by(|a, b| a.log10.total_cmp(&b.log10)).cloned()
}

/// The name of the smallest upper bounds at several n: the bound's own name, if the same bound is smallest at each n.
pub fn best_label(bounds: impl Iterator<Item = Bound>) -> &'static str {
    let mut names = bounds.map(|bound| strings::bound_label(bound.id));
    let first = names.next().unwrap_or_else(strings::explore_best_bound);
    if names.all(|name| name == first) { first } else { strings::explore_best_bound() }
}

/// The largest lower bound on a norm over the ball, for these weights.
pub fn largest(bounds: &[Bound], norm: Norm) -> Option<Bound> {
    let lower = on_ball(bounds, norm).filter(|bound| bound.side == Side::Lower && bound.id != BoundId::Skew);
    lower.max_by(|a, b| a.log10.total_cmp(&b.log10)).cloned()
}

/// Raises a lower bound on the ball to the norm at tokens in it.
pub fn raised(bound: Bound, norm_log10: f64) -> Bound {
    if norm_log10 <= bound.log10 {
        return bound;
    }
    let value = Some(10f64.powf(norm_log10)).filter(|value| value.is_finite());
    Bound { value, log10: norm_log10, ..bound }
}

/// The bound with an id.
pub fn of(bounds: &[Bound], id: BoundId) -> Option<Bound> {
    bounds.iter().find(|bound| bound.id == id).cloned()
}

fn on_ball(bounds: &[Bound], norm: Norm) -> impl Iterator<Item = &Bound> {
    bounds.iter().filter(move |bound| bound.id.is_about(norm) && bound.id != BoundId::Local)
}

fn kind_of(measurement: &Measurement) -> Kind {
    strings::kind_of(measurement, Norm::Spectral)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_worst_known_only_where_nothing_known_is_worse() {
        // A sample below the known maximum, one above it, and one that another sample exceeds.
        assert_eq!(Standing::of(0.2, 1.1, 0.3, Standing::Worst), Standing::Below);
        assert_eq!(Standing::of(0.4, 0.3, 0.35, Standing::Worst), Standing::Worst);
        assert_eq!(Standing::of(0.4, 0.3, 0.5, Standing::Worst), Standing::Below);
        // The norm measured at the tokens of the lower bound.
        assert_eq!(Standing::of(1.1 - 1e-12, 1.1, 0.3, Standing::Worst), Standing::Worst);
    }

    #[test]
    fn more_tokens_reach_what_fewer_do_where_that_is_proved() {
        let (worst, skew) = (TokenChoice::Worst, TokenChoice::Skew);
        for (tokens, mask, of, n, passes) in [
            (worst, Mask::Causal, 3.0, 4.0, true),
            (worst, Mask::Causal, 5.0, 4.0, false),
            (worst, Mask::None, 3.0, 4.0, false),
            (worst, Mask::None, 2.0, 4.0, true),
            (worst, Mask::None, 4.0, 4.0, true),
            (skew, Mask::None, 2.0, 4.0, false),
            (skew, Mask::None, 4.0, 4.0, true),
        ] {
            let found = passes_on(&PageState { tokens, mask, ..PageState::default() }, of, n);
            assert_eq!(found, passes, "{tokens:?}, {mask:?}: {of} tokens, {n} tokens");
        }
    }

    #[test]
    fn where_no_worst_tokens_are_known_none_are_called_so() {
        assert_eq!(Standing::of(0.4, 0.1, f64::NEG_INFINITY, Standing::Alone), Standing::Alone);
        assert_eq!(Standing::of(0.4, 0.1, 0.5, Standing::Alone), Standing::Below);
    }
}
