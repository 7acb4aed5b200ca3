//! Upper bounds from column sums of P (docs/theory.md section 2) on the ball of radius R, for dot-product attention,
//! every n. With a = ||A||_2 R^2 and v = ||V||_2:
//!
//! - `unified` (ours), no mask: v (a + sqrt((1 + a^2) n / (1 + (n-1) e^(-2a)))).
//! - `unified_masked` (ours), causal: v (a + min(sqrt((1 + a^2) sum_i 1/(1 + (i-1) e^(-2a))), 2 (1 + 2a) e^(2a))).
//!
//! Both are computed as natural logarithms with v = 1, so that they do not overflow.

use super::super::Hypotheses;
use super::super::logarithms::{ln_add, ln_minus_one, softplus};
use crate::experiment::{Attention, MaskKind};

/// ln of a + sqrt((1 + a^2) n / (1 + (n-1) e^(-2a))).
pub(in crate::bounds) fn ln_unified(hypotheses: &Hypotheses, a: f64) -> Option<f64> {
    if hypotheses.attention != Attention::Dot || hypotheses.mask != MaskKind::None {
        return None;
    }
    Some(ln_add(a.ln(), 1f64.hypot(a).ln() + 0.5 * ln_column_sum(hypotheses.ln_n, a)))
}

/// ln of `unified_masked` with v = 1.
pub(in crate::bounds) fn ln_unified_masked(hypotheses: &Hypotheses, a: f64) -> Option<f64> {
    if hypotheses.attention != Attention::Dot || hypotheses.mask != MaskKind::Causal {
        return None;
    }
    Some(ln_add(a.ln(), ln_masked_root(hypotheses.ln_n, a).min(ln_hardy(a))))
}

/// ln of n / (1 + (n-1) e^(-2a)). No column sum of P is larger.
pub(in crate::bounds) fn ln_column_sum(ln_n: f64, a: f64) -> f64 {
    let excess = ln_minus_one(ln_n) - 2.0 * a;
    // Far above the crossover, n and n - 1 are equal in f64, so that the quotient is e^(2a), its limit for n =
    // infinity.
    if excess > 40.0 { 2.0 * a } else { ln_n - softplus(excess) }
}

/// ln of sum_{i=1..n} 1/(1 + (i-1) e^(-2a)). Under the causal mask no column sum of P is larger.
pub(in crate::bounds) fn ln_masked_column_sum(ln_n: f64, a: f64) -> f64 {
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
/// of the sum, and for the terms 1/(1 + rate i) it is negative: the formula is at least the sum (docs/theory.md, "In
/// logarithms").
pub(in crate::bounds) const HEAD: f64 = 1024.0;

/// ln of the square root in the minimum, with v = 1.
fn ln_masked_root(ln_n: f64, a: f64) -> f64 {
    1f64.hypot(a).ln() + 0.5 * ln_masked_column_sum(ln_n, a)
}

/// ln of 2 (1 + 2a) e^(2a), the term from Hardy's inequality, which does not depend on n.
pub(in crate::bounds) fn ln_hardy(a: f64) -> f64 {
    2f64.ln() + (2.0 * a).ln_1p() + 2.0 * a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{BoundId, HeadNorms};

    fn at(radius: f64, n: f64, mask: MaskKind) -> Hypotheses {
        Hypotheses::of_norms(Attention::Dot, mask, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    }

    /// Values tabulated outside this crate, d = 1, A = -1, V = 1.
    #[test]
    fn unified_equals_tabulated_values() {
        let table = [
            (2.0, 101.0, 44.7587),
            (2.0, 4096.0, 175.273),
            (2.0, 10001.0, 201.593),
            (2.0, 1e9, 229.114),
            (3.0, 1e8 + 1.0, 57018.7),
            (3.0, 1e9, 71089.1),
            (3.0, 1e20, 73385.5),
        ];
        for (radius, n, expected) in table {
            let found = BoundId::Unified.at(&at(radius, n, MaskKind::None)).and_then(|b| b.value).expect("it applies");
            assert!((found / expected - 1.0).abs() < 4e-6, "R={radius} n={n}: {found} for {expected}");
        }
        for (n, expected) in [(10.0, 17.0286), (100.0, 44.8948), (1000.0, 125.0853), (10000.0, 277.063)] {
            let found =
                BoundId::UnifiedMasked.at(&at(2.0, n, MaskKind::Causal)).and_then(|b| b.value).expect("it applies");
            assert!((found / expected - 1.0).abs() < 2e-6, "causal n={n}: found {found}, expected {expected}");
        }
    }

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

    #[test]
    fn nothing_overflows_for_any_radius_length_or_weight() {
        for a in [0.0, 1e-300, 1e-8, 1.0, 400.0, 1e9, 1e12] {
            for ln_n in [0.0, 2f64.ln(), 41.4, 700.0] {
                assert!(ln_unified(&Hypotheses { ln_n, ..at(1.0, 2.0, MaskKind::None) }, a).expect("dot").is_finite());
                assert!(
                    ln_unified_masked(&Hypotheses { ln_n, ..at(1.0, 2.0, MaskKind::Causal) }, a)
                        .expect("dot")
                        .is_finite()
                );
            }
        }
        // Infinitely many tokens: v (a + sqrt(1 + a^2) e^a).
        let limit = ln_unified(&Hypotheses { ln_n: f64::INFINITY, ..at(1.0, 2.0, MaskKind::None) }, 3.0).expect("dot");
        assert!((limit.exp() - (3.0 + 10f64.sqrt() * 3f64.exp())).abs() < 1e-12);
    }
}
