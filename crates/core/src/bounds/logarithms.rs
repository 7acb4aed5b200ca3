//! Sums of numbers given as logarithms.

/// ln(e^x + e^y).
pub(super) fn ln_add(x: f64, y: f64) -> f64 {
    let (high, low) = if x > y { (x, y) } else { (y, x) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

/// ln(e^x - e^y); minus infinity where y is not below x.
pub(super) fn ln_subtract(x: f64, y: f64) -> f64 {
    if y == f64::NEG_INFINITY { x } else { x + (-(y - x).exp_m1()).max(0.0).ln() }
}

/// ln of the sum of e^x over all x; minus infinity for the empty sum.
pub(crate) fn ln_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest.is_finite() { largest + logs.map(|ln| (ln - largest).exp()).sum::<f64>().ln() } else { largest }
}

/// ln(1 + e^x).
pub(super) fn softplus(x: f64) -> f64 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}

/// 1/(1 + e^-x).
pub(super) fn sigmoid(x: f64) -> f64 {
    shares(x)[0]
}

/// 1/(1 + e^-x) and 1/(1 + e^x), both without cancellation.
pub(super) fn shares(x: f64) -> [f64; 2] {
    let e = (-x.abs()).exp();
    let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
    if x > 0.0 { [large, small] } else { [small, large] }
}

/// ln(n - 1) from ln n; minus infinity for n = 1.
pub(super) fn ln_minus_one(ln_n: f64) -> f64 {
    // From e^34 on, both logarithms are the same f64: they differ by 1/n, less than half the distance between two
    // numbers there.
    if ln_n < 34.0 { ((ln_n.exp() - 1.0).max(0.0)).ln() } else { ln_n }
}
