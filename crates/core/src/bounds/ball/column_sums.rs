//! Bounds on the column sums of P on the ball, and what does without them (docs/theory.md section 2), as natural logarithms
//! with v = 1, so that they do not overflow.

use super::super::logarithms::{ln_minus_one, softplus};

/// ln of n / (1 + (n-1) e^(-2a)). No column sum of P is larger.
pub(crate) fn ln_column_sum(ln_n: f64, a: f64) -> f64 {
    let excess = ln_minus_one(ln_n) - 2.0 * a;
    // Far above the crossover, n and n - 1 are equal in f64, so that the quotient is e^(2a), its limit for n =
    // infinity.
    if excess > 40.0 { 2.0 * a } else { ln_n - softplus(excess) }
}

/// ln of sum_{i=1..n} 1/(1 + (i-1) e^(-2a)). Under the causal mask no column sum of P is larger.
pub(crate) fn ln_masked_column_sum(ln_n: f64, a: f64) -> f64 {
    let rate = (-2.0 * a).exp();
    if rate == 0.0 {
        return ln_n;
    }
    let n = ln_n.exp();
    let head = HEAD.min(n);
    let mut sum: f64 = (0..head.round() as u64).map(|i| 1.0 / (1.0 + i as f64 * rate)).sum();
    if n > HEAD {
        // Euler-Maclaurin over i = HEAD .. n - 1 of f(i) = 1/(1 + rate i).
        let f = |x: f64| 1.0 / (1.0 + rate * x);
        let slope = |x: f64| -rate * f(x) * f(x);
        sum += (rate * (n - HEAD) * f(HEAD)).ln_1p() / rate;
        sum += 0.5 * (f(HEAD) - f(n)) + (slope(n) - slope(HEAD)) / 12.0;
    }
    sum.ln()
}

/// Terms added one by one before the Euler-Maclaurin formula takes over. From there on what it leaves out is below 1e-13
/// of the sum, and for the terms 1/(1 + rate i) it is negative: the formula is at least the sum (docs/numerics.md, "In
/// logarithms").
pub(crate) const HEAD: f64 = 1024.0;

/// ln of 2 (1 + 2a) e^(2a), the term from Hardy's inequality, which does not depend on n.
pub(crate) fn ln_hardy(a: f64) -> f64 {
    2f64.ln() + (2.0 * a).ln_1p() + 2.0 * a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_maclaurin_gives_the_same_sum_as_adding_terms() {
        for a in [0.01f64, 0.5, 2.0, 4.0, 6.0, 40.0] {
            for n in [1u64, 2, 1023, 1024, 1025, 5000, 300_000] {
                let rate = (-2.0 * a).exp();
                let terms: f64 = (0..n).rev().map(|i| 1.0 / (1.0 + i as f64 * rate)).sum();
                let found = ln_masked_column_sum((n as f64).ln(), a).exp();
                assert!((found / terms - 1.0).abs() < 1e-12, "a={a} n={n}: {found} for {terms}");
            }
        }
    }
}
