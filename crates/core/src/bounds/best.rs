//! The best of several bounds on a norm over the ball at one n and R.

use super::bound::Bound;
use super::statement::{BoundId, Domain, Group, Norm, Side};

/// Two norms that differ by less than this, in powers of ten, are one norm that was computed in two ways.
#[doc(hidden)]
pub const SAME_LOG10: f64 = 1e-9;

/// Whether two norms, given by their log10, are one norm that was computed in two ways.
#[must_use]
#[doc(hidden)]
pub fn is_same(log10: f64, other: f64) -> bool {
    (log10 - other).abs() < SAME_LOG10
}

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

/// Whether another bound of ours takes the place of this one: of several best bounds on a norm, such as `sharp` and
/// `two_tokens`, only the smallest is shown, and of equal ones the last.
#[must_use]
#[doc(hidden)]
pub fn is_replaced(bounds: &[Bound], id: BoundId) -> bool {
    let is_rival = |bound: &&Bound| bound.id.group == Group::Best && bound.norm == id.norm;
    let best = bounds.iter().rev().filter(is_rival).min_by(|a, b| a.log10.total_cmp(&b.log10));
    id.group == Group::Best && best.is_some_and(|best| best.id != id) && bounds.iter().any(|bound| bound.id == id)
}

fn on_ball(bounds: &[Bound], norm: Norm, side: Side) -> impl Iterator<Item = &Bound> {
    bounds.iter().filter(move |bound| counts(bound.id, norm, side))
}

/// Whether a bound on a norm is one of those of which the best is taken: on the ball, on this side, at exactly this n.
pub(crate) fn counts(id: BoundId, norm: Norm, side: Side) -> bool {
    id.side == side && id.is_about(norm) && id.domain == Domain::Ball && id.group != Group::Envelope
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{SHARP, TWO_TOKENS, all_bounds};
    use crate::experiment::{Experiment, TokenSource, WeightSource};
    use crate::growth::hypotheses_of_ball;

    fn at(n: usize, radius: f64, sign: f64) -> Vec<Bound> {
        let tokens = TokenSource::Adversarial { n, radius };
        let experiment = Experiment::of(tokens, WeightSource::Identity { sign });
        all_bounds(&hypotheses_of_ball(&experiment).expect("a ball").with_n(n as f64))
    }

    #[test]
    fn for_two_tokens_one_of_the_two_bounds_is_the_best_and_the_other_is_replaced() {
        let mut best = Vec::new();
        for sign in [-1.0, 1.0] {
            for radius in [0.1, 0.5, 1.0, 3.0, 10.0] {
                let bounds = at(2, radius, sign);
                let found = best_upper(&bounds, Norm::Spectral).expect("it applies").id;
                let ids: [BoundId; 2] = [&SHARP, &TWO_TOKENS];
                assert_eq!(ids.map(|id| is_replaced(&bounds, id)), ids.map(|id| id != found), "R = {radius}");
                best.push(found);
            }
        }
        assert!(best.contains(&&SHARP) && best.contains(&&TWO_TOKENS), "{best:?}");
        // At R = 3 a reader saw 18.1 as the best bound beside 5.556.
        let value = |id: BoundId| at(2, 3.0, -1.0).iter().find(|bound| bound.id == id).and_then(|bound| bound.value);
        assert!((value(&TWO_TOKENS).expect("it applies") - 5.556).abs() < 1e-9);
        assert!(value(&SHARP).expect("it applies") > 18.0);
        assert!(!is_replaced(&at(3, 3.0, -1.0), &SHARP));
    }
}
