//! The best of several bounds on a norm over the ball at one n and R.

use super::bound::{Bound, BoundId, Domain, Norm, Side};

/// The lowest upper bound on a norm on the ball.
#[must_use]
pub fn best_upper(bounds: &[Bound], norm: Norm) -> Option<&Bound> {
    on_ball(bounds, norm, Side::Upper).min_by(|a, b| a.log10.total_cmp(&b.log10))
}

/// The highest lower bound on a norm on the ball at exactly this n.
#[must_use]
pub fn best_lower(bounds: &[Bound], norm: Norm) -> Option<&Bound> {
    on_ball(bounds, norm, Side::Lower).max_by(|a, b| a.log10.total_cmp(&b.log10))
}

fn on_ball(bounds: &[Bound], norm: Norm, side: Side) -> impl Iterator<Item = &Bound> {
    bounds.iter().filter(move |bound| counts(bound.id, norm, side))
}

/// Whether a bound on a norm is one of those of which the best is taken: on the ball, on this side, at exactly this n.
pub(super) fn counts(id: BoundId, norm: Norm, side: Side) -> bool {
    // The envelope bounds the largest constant over all lengths up to n, not the one at n.
    let is_here = id != BoundId::AdversarialEnvelope;
    id.side() == side && id.is_about(norm) && id.domain() == Domain::Ball && is_here
}
