//! Lower bounds from the adversarial tokens of \[C\], R (-u, u, .., u) or R (u, u/2, .., u/2), with A u = lambda u.
//!
//! With gamma = max(-lambda_min, lambda_max/8), g = gamma R^2 and p = 1/(1 + (n-1) e^(-2g)):
//! - no mask: |V u| sqrt(n-1) p (1 + 2 (1-p) g), at these tokens; its envelope over all n' <= n is a lower bound on the
//!   largest constant up to n;
//! - causal: |V u| sqrt(sum_{i=2..n} [p_i (1 + 2 (1-p_i) g)]^2), p_i = 1/(1 + (i-1) e^(-2g)).

use super::super::Hypotheses;
use super::super::logarithms::{ln_minus_one, sigmoid, softplus};
use super::causal_sum::CausalTerms;
use crate::experiment::MaskKind;

/// ln of the adversarial bound at this n, R and mask.
pub(in crate::bounds) fn ln_adversarial(hypotheses: &Hypotheses) -> Option<f64> {
    let (line, g) = (hypotheses.adversarial?, growth(hypotheses)?);
    match hypotheses.mask {
        MaskKind::None => Some(line.gain.ln() + ln_all(ln_minus_one(hypotheses.ln_n), g)),
        MaskKind::Causal => ln_causal_of(hypotheses, hypotheses.ln_n),
        MaskKind::Other => None,
    }
}

/// ln of the adversarial bound under the causal mask on e^ln_n tokens, at least two.
pub(in crate::bounds) fn ln_causal_of(hypotheses: &Hypotheses, ln_n: f64) -> Option<f64> {
    let (line, g) = (hypotheses.adversarial?, growth(hypotheses)?);
    (ln_n > 0.0).then(|| line.gain.ln() + ln_causal(ln_n.exp(), g))
}

/// ln of the largest bound without a mask over all lengths up to n.
pub(in crate::bounds) fn ln_envelope(hypotheses: &Hypotheses) -> Option<f64> {
    if hypotheses.mask != MaskKind::None {
        return None;
    }
    let (line, g) = (hypotheses.adversarial?, growth(hypotheses)?);
    // With t = (n'-1) e^(-2g), e^g sqrt(t)/(1+t) (1 + 2 g t/(1+t)) rises up to t = (3g + sqrt(9g^2 + 2g + 1))/(1 + 2g).
    let t = match g {
        0.0..1.0 => (3.0 * g + (9.0 * g * g + 2.0 * g + 1.0).sqrt()) / (1.0 + 2.0 * g),
        _ => (3.0 + (9.0 + 2.0 / g + 1.0 / (g * g)).sqrt()) / (1.0 / g + 2.0),
    };
    let best = t.ln() + 2.0 * g;
    let last = ln_minus_one(hypotheses.ln_n);
    if last <= best {
        return Some(line.gain.ln() + ln_all(last, g));
    }
    // n' is an integer: the best one is next to the real maximiser.
    let whole = |ln: f64| if ln < 34.0 { ln.exp().max(1.0).ln() } else { ln };
    let beside = if best < 34.0 {
        let below = best.exp().floor().max(1.0);
        ln_all(below.ln(), g).max(ln_all((below + 1.0).ln().min(last), g))
    } else {
        ln_all(whole(best), g)
    };
    Some(line.gain.ln() + beside)
}

/// g = gamma R^2; `None` if g is negative or not finite, or if there is only one token.
fn growth(hypotheses: &Hypotheses) -> Option<f64> {
    let g = hypotheses.adversarial?.gamma * hypotheses.radius * hypotheses.radius;
    (g.is_finite() && g >= 0.0 && hypotheses.ln_n > 0.0).then_some(g)
}

/// ln of sqrt(n-1) p (1 + 2 (1-p) g).
fn ln_all(ln_n_minus_1: f64, g: f64) -> f64 {
    let excess = ln_n_minus_1 - 2.0 * g;
    0.5 * ln_n_minus_1 - softplus(excess) + (2.0 * sigmoid(excess) * g).ln_1p()
}

/// ln of the root of the causal sum, rounded down. Its terms are [s (1 + 2 g z)]^2 at m = i - 1, with s = 1 - z,
/// z = y/(1+y), y = m e^(-2g).
fn ln_causal(n: f64, g: f64) -> f64 {
    // 1, 4g and 4 g^2, over the square of a unit that keeps them in range.
    let unit = (2.0 * g).max(1.0);
    let gains = [1.0 / unit / unit, 4.0 * g / unit / unit, (2.0 * g / unit).powi(2)];
    unit.ln() + 0.5 * CausalTerms::new((-2.0 * g).exp(), gains).sum_from_below(n - 1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::lower::line::AdversarialLine;
    use crate::bounds::{BoundId, HeadNorms};
    use crate::experiment::Attention;

    fn at(radius: f64, n: f64, mask: MaskKind) -> Hypotheses {
        let norms = HeadNorms { a_norm: 1.0, v_norm: 1.0 };
        Hypotheses {
            adversarial: Some(AdversarialLine { gamma: 1.0, gain: 1.0 }),
            ..Hypotheses::of_norms(Attention::Dot, mask, norms, radius, n)
        }
    }

    /// Values tabulated outside this crate, d = 1, A = -1, V = 1.
    #[test]
    fn the_envelope_and_the_causal_bound_equal_tabulated_values() {
        let table = [
            (2.0, 101.0, 12.19, 5e-3),
            (2.0, 4096.0, 151.8, 0.05),
            (2.0, 10001.0, 165.8, 0.05),
            (2.0, 1e9, 165.8, 0.05),
            (3.0, 1e8 + 1.0, 4.703e4, 5.0),
            (3.0, 1e9, 5.09e4, 50.0),
            (3.0, 1e20, 5.09e4, 50.0),
        ];
        for (radius, n, expected, digits) in table {
            let hypotheses = at(radius, n, MaskKind::None);
            let found = BoundId::AdversarialEnvelope.at(&hypotheses).and_then(|b| b.value).expect("it applies");
            assert!((found - expected).abs() <= digits, "R={radius} n={n}: {found} for {expected}");
        }
        for (n, expected) in [(10.0, 3.0351), (100.0, 11.0819), (1000.0, 57.0834), (10000.0, 213.355)] {
            let found =
                BoundId::Adversarial.at(&at(2.0, n, MaskKind::Causal)).and_then(|b| b.value).expect("it applies");
            assert!((found / expected - 1.0).abs() < 1e-5, "causal n={n}: found {found}, expected {expected}");
        }
    }

    #[test]
    fn the_envelope_is_the_largest_bound_up_to_n() {
        for radius in [0.3, 1.0, 1.7, 2.0] {
            let mut largest = 0.0f64;
            for n in 2..6000 {
                let hypotheses = at(radius, f64::from(n), MaskKind::None);
                largest = largest.max(BoundId::Adversarial.at(&hypotheses).and_then(|b| b.value).expect("it applies"));
                let found = BoundId::AdversarialEnvelope.at(&hypotheses).and_then(|b| b.value).expect("it applies");
                assert!((found / largest - 1.0).abs() < 1e-12, "R={radius} n={n}: {found} for {largest}");
            }
        }
    }

    #[test]
    fn euler_maclaurin_gives_the_same_causal_sum_as_adding_terms() {
        for g in [0.0f64, 0.2, 1.0, 3.0, 5.0, 30.0, 1e6] {
            for n in [2u64, 1024, 1025, 1026, 9000, 400_000] {
                let rate = (-2.0 * g).exp();
                let term = |i: u64| {
                    let p = 1.0 / (1.0 + (i - 1) as f64 * rate);
                    let rest = (i - 1) as f64 * rate * p;
                    (p * (1.0 + 2.0 * rest * g)).powi(2)
                };
                let terms = (2..=n).rev().map(term).sum::<f64>().sqrt();
                let found = ln_causal(n as f64, g).exp();
                assert!((found / terms - 1.0).abs() < 1e-12, "g={g} n={n}: {found} for {terms}");
            }
        }
    }

    #[test]
    fn adversarial_bounds_never_overflow() {
        for radius in [1e-150, 1e-3, 1.0, 1e3, 1e6] {
            for n in [2.0, 1e9, 1e18, 1e300] {
                for mask in [MaskKind::None, MaskKind::Causal] {
                    let bound = BoundId::Adversarial.at(&at(radius, n, mask)).expect("it applies");
                    assert!(bound.log10.is_finite(), "R={radius} n={n} {mask:?}: {}", bound.log10);
                }
            }
        }
    }
}
