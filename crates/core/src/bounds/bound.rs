//! A bound with its value.

use serde::{Deserialize, Serialize};

use super::statement::{BoundId, Group, Norm, Side};
use crate::extremum::or_infinity;

/// The value of a bound under given hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Its name.
    pub id: BoundId,
    /// Upper or lower.
    pub side: Side,
    /// The norm that it bounds.
    pub norm: Norm,
    /// Its value; `None` above the range of f64.
    pub value: Option<f64>,
    /// Its decimal logarithm; minus infinity for a bound of zero.
    pub log10: f64,
}

impl Bound {
    /// Covers the rounding in the formula of an upper bound: ln of the bound takes about a hundred roundings, each of
    /// which changes it by at most about f64::EPSILON (1 + |ln|).
    #[doc(hidden)]
    pub const MARGIN: f64 = 1e-13;

    /// A bound from ln of its value. For an upper bound other than `max_token`, ln grows by
    /// [`Bound::MARGIN`] (1 + |ln|). A NaN states nothing: it is infinite as an upper bound, and zero as a lower one.
    #[must_use]
    #[doc(hidden)]
    pub fn of_ln(id: BoundId, ln: f64) -> Self {
        let ln = match id.side {
            _ if !ln.is_nan() => ln,
            Side::Upper => f64::INFINITY,
            Side::Lower => f64::NEG_INFINITY,
        };
        let margin = Bound::MARGIN * (1.0 + ln.abs());
        // The max-token bound is a sum of computed norms, not a formula.
        let has_margin = id.side == Side::Upper && id.group != Group::BlockNorms && ln.is_finite();
        let ln = if has_margin { ln + margin } else { ln };
        let value = ln.exp();
        Bound {
            id,
            side: id.side,
            norm: id.norm,
            value: value.is_finite().then_some(value),
            log10: ln / std::f64::consts::LN_10,
        }
    }

    /// The same bound, larger by the factor 1 + `relative`. This covers what rounding may have added to the norm that
    /// the bound is compared with. An upper bound only: it is infinite where the factor is NaN.
    #[must_use]
    #[doc(hidden)]
    pub fn widened(self, relative: f64) -> Self {
        let value = self.value.map(|value| value * (1.0 + relative)).filter(|value| value.is_finite());
        Bound { value, log10: or_infinity(self.log10 + relative.ln_1p() / std::f64::consts::LN_10), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{FORK, LOCAL};

    #[test]
    fn a_bound_of_nan_states_nothing() {
        for nan in [f64::NAN, -f64::NAN] {
            let upper = Bound::of_ln(&LOCAL, nan);
            assert_eq!((upper.value, upper.log10), (None, f64::INFINITY));
            let lower = Bound::of_ln(&FORK, nan);
            assert_eq!((lower.value, lower.log10), (Some(0.0), f64::NEG_INFINITY));
            let widened = Bound::of_ln(&LOCAL, 1.0).widened(nan);
            assert_eq!((widened.value, widened.log10), (None, f64::INFINITY));
        }
    }
}
