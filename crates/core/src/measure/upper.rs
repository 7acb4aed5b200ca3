//! The smallest upper bound on the norm at the tokens that a measurement has found, and what it holds by.

use serde::{Deserialize, Serialize};

use crate::bounds::{Bound, BoundId, Norm, Side};
use crate::spectral::{Failure, ProbableUpper};

/// The probabilities of failure at which a measurement gives probable bounds, the rarest first.
pub(super) const FAILURES: [Failure; 2] = [Failure::RARE, Failure::OCCASIONAL];

/// An upper bound on ||J||_2 at the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upper {
    /// The bound.
    pub value: f64,
    /// The probability, over the seeds of the iteration's start, that it fails; 0 for a proved bound.
    pub failure: f64,
    /// What it holds by.
    pub by: UpperBy,
}

/// What an upper bound holds by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpperBy {
    /// The norm is exact, and this is its rounding.
    Exact,
    /// A proved bound.
    Proved(BoundId),
    /// The iteration, with a stated failure probability (docs/numerics.md, "An upper number for every map").
    Chance,
}

impl UpperBy {
    /// Its name in files.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            UpperBy::Exact => "exact",
            UpperBy::Proved(bound) => bound.id(),
            UpperBy::Chance => "chance",
        }
    }
}

impl Upper {
    /// The smallest of a probable bound and the proved ones on the spectral norm; a proved one where both are the same.
    #[must_use]
    #[doc(hidden)]
    pub fn smallest(probable: Option<ProbableUpper>, proved: impl IntoIterator<Item = (BoundId, f64)>) -> Option<Self> {
        let proved = proved.into_iter().map(|(id, value)| Upper { value, failure: 0.0, by: UpperBy::Proved(id) });
        let probable = probable.map(|ProbableUpper { value, failure }| Upper { value, failure, by: UpperBy::Chance });
        proved.chain(probable).filter(|upper| upper.value.is_finite()).min_by(|a, b| a.value.total_cmp(&b.value))
    }
}

/// The proved upper bounds on the spectral norm.
pub(super) fn proved(bounds: &[Bound]) -> impl Iterator<Item = (BoundId, f64)> + '_ {
    let of_norm = bounds.iter().filter(|bound| bound.side == Side::Upper && bound.norm == Norm::Spectral);
    of_norm.filter_map(|bound| Some((bound.id, bound.value?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::LOCAL;

    #[test]
    fn the_smallest_bound_is_taken_and_a_proved_one_where_both_are_the_same() {
        let probable = |value| Some(ProbableUpper { value, failure: 1e-9 });
        let by = |probable, proved: &[(BoundId, f64)]| {
            Upper::smallest(probable, proved.iter().copied()).map(|upper| upper.by)
        };
        assert_eq!(by(probable(2.0), &[(&LOCAL, 3.0)]), Some(UpperBy::Chance));
        assert_eq!(by(probable(2.0), &[(&LOCAL, 2.0)]), Some(UpperBy::Proved(&LOCAL)));
        assert_eq!(by(None, &[(&LOCAL, f64::INFINITY)]), None);
        assert_eq!(by(probable(f64::INFINITY), &[]), None);
    }
}
