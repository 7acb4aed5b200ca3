//! Sums of numbers given as logarithms.

use crate::extremum::maximum;

/// ln(e^x + e^y).
pub(crate) fn ln_add(x: f64, y: f64) -> f64 {
    let (high, low) = if x > y { (x, y) } else { (y, x) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// ln(e^x - e^y); minus infinity where y is not below x.
pub(crate) fn ln_subtract(x: f64, y: f64) -> f64 {
    if y == f64::NEG_INFINITY { x } else { x + maximum(-(y - x).exp_m1(), 0.0).ln() }
}

/// ln of the sum of e^x over all x; minus infinity for the empty sum, and NaN if a term is NaN.
pub(crate) fn ln_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, maximum);
    if largest.is_finite() { largest + logs.map(|ln| (ln - largest).exp()).sum::<f64>().ln() } else { largest }
}

/// ln(1 + e^x).
pub(crate) fn softplus(x: f64) -> f64 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}

/// 1/(1 + e^-x).
pub(crate) fn sigmoid(x: f64) -> f64 {
    shares(x)[0]
}

/// 1/(1 + e^-x) and 1/(1 + e^x), both without cancellation.
pub(crate) fn shares(x: f64) -> [f64; 2] {
    let e = (-x.abs()).exp();
    let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
    if x > 0.0 { [large, small] } else { [small, large] }
}

/// ln(n - 1) from ln n; minus infinity for n = 1.
pub(crate) fn ln_minus_one(ln_n: f64) -> f64 {
    // From e^34 on, both logarithms are the same f64: they differ by 1/n, less than half the distance between two
    // numbers there.
    if ln_n < 34.0 { maximum(ln_n.exp() - 1.0, 0.0).ln() } else { ln_n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_that_is_nan_makes_the_sum_nan_whatever_the_other_terms_are() {
        for nan in [f64::NAN, -f64::NAN] {
            for other in [f64::NEG_INFINITY, 0.0, f64::INFINITY] {
                assert!(ln_sum([nan, other].into_iter()).is_nan() && ln_sum([other, nan].into_iter()).is_nan());
                assert!(ln_add(nan, other).is_nan() && ln_add(other, nan).is_nan(), "{other}");
            }
            assert!(ln_subtract(nan, 0.0).is_nan() && ln_subtract(0.0, nan).is_nan() && ln_minus_one(nan).is_nan());
        }
        assert_eq!(ln_sum(std::iter::empty()), f64::NEG_INFINITY);
        assert_eq!(ln_subtract(0.0, 1.0), f64::NEG_INFINITY);
    }
}
