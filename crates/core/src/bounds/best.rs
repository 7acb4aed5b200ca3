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
    // The envelope bounds the largest constant over all lengths up to n, not the one at n.
    let is_here = |bound: &&Bound| bound.id != BoundId::AdversarialEnvelope;
    on_ball(bounds, norm, Side::Lower).filter(is_here).max_by(|a, b| a.log10.total_cmp(&b.log10))
}

fn on_ball(bounds: &[Bound], norm: Norm, side: Side) -> impl Iterator<Item = &Bound> {
    let is_on_ball = move |bound: &&Bound| bound.side == side && bound.id.is_about(norm);
    bounds.iter().filter(is_on_ball).filter(|bound| bound.id.domain() == Domain::Ball)
}
