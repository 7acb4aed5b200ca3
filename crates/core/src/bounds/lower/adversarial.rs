use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::logarithms::{ln_minus_one, sigmoid, softplus};
use super::super::need::Need;
use super::super::slack::{AtHead, brief};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::causal_sum::CausalTerms;
use crate::experiment::MaskKind;

/// Lower: L_n >= |V u| sqrt(n - 1) p (1 + 2 (1 - p) g), p = 1/(1 + (n - 1) e^(-2g)).
///
/// A u = λ u with real λ and |u| = 1, g = γ R^2, γ the larger of -λ_min and λ_max/8 over the real eigenvalues. The tokens
/// are R (-u, u, .., u), or R (u, u/2, .., u/2) for λ_max. Causal: |V u| sqrt(sum_(i >= 2) p_i^2 (1 + 2 (1 - p_i) g)^2) with
/// p_i = 1/(1 + (i - 1) e^(-2g)).
///
/// Dot-product attention, no mask or the causal one, no normaliser, n >= 2; one head or concatenated ones, A with a real
/// eigenvalue. Source: tokens of \[C\], derivation ours, section 4, `adversarial`.
pub static ADVERSARIAL: Statement = Statement {
    id: "adversarial",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "|Vu| √(n − 1) p (1 + 2 (1 − p) g)",
    tex: Some(r"\lvert Vu\rvert\sqrt{n-1}\,p(1+2(1-p)g)"),
    needs: &[
        Need::PlainAttention,
        Need::DotScores,
        Need::NoNormalizer,
        Need::UnmaskedOrCausal,
        Need::MinTokens(2),
        Need::OneHeadOrConcatenated,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Adversarial,
    rung: Some(135),
    label: "adversarial",
    note: "adversarial",
    source: "adversarial",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &ADVERSARIAL, value: Computation::OnBall(ln), worked, losses: no_losses };

fn ln(given: &Hypotheses) -> Option<f64> {
    if given.mask == MaskKind::Causal {
        return ln_causal_of(given, given.ln_n);
    }
    let (line, g) = (given.adversarial?, growth(given)?);
    Some(line.gain.ln() + ln_all(ln_minus_one(given.ln_n), g))
}

/// ln of the adversarial bound under the causal mask on e^ln_n tokens, at least two.
pub(crate) fn ln_causal_of(hypotheses: &Hypotheses, ln_n: f64) -> Option<f64> {
    let (line, g) = (hypotheses.adversarial?, growth(hypotheses)?);
    (ln_n > 0.0).then(|| line.gain.ln() + ln_causal(ln_n.exp(), g))
}

/// g = gamma R^2; `None` if g is negative or not finite.
pub(crate) fn growth(hypotheses: &Hypotheses) -> Option<f64> {
    let g = hypotheses.adversarial?.gamma * hypotheses.radius * hypotheses.radius;
    (g.is_finite() && g >= 0.0).then_some(g)
}

/// ln of sqrt(n-1) p (1 + 2 (1-p) g).
pub(crate) fn ln_all(ln_n_minus_1: f64, g: f64) -> f64 {
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

pub(crate) fn worked(at: &AtHead<'_>) -> String {
    let Some(line) = at.given.adversarial else { return String::new() };
    let g = line.gamma * at.given.radius * at.given.radius;
    format!("|Vu| = {}, g = {}, n = {}", brief(line.gain), brief(g), at.n())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::lower::line::AdversarialLine;
    use crate::bounds::{ADVERSARIAL_ENVELOPE, HeadNorms};
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
            let found = ADVERSARIAL_ENVELOPE.at(&hypotheses).and_then(|b| b.value).expect("it applies");
            assert!((found - expected).abs() <= digits, "R={radius} n={n}: {found} for {expected}");
        }
        for (n, expected) in [(10.0, 3.0351), (100.0, 11.0819), (1000.0, 57.0834), (10000.0, 213.355)] {
            let found = ADVERSARIAL.at(&at(2.0, n, MaskKind::Causal)).and_then(|b| b.value).expect("it applies");
            assert!((found / expected - 1.0).abs() < 1e-5, "causal n={n}: found {found}, expected {expected}");
        }
    }

    #[test]
    fn the_envelope_is_the_largest_bound_up_to_n() {
        for radius in [0.3, 1.0, 1.7, 2.0] {
            let mut largest = 0.0f64;
            for n in 2..6000 {
                let hypotheses = at(radius, f64::from(n), MaskKind::None);
                largest = largest.max(ADVERSARIAL.at(&hypotheses).and_then(|b| b.value).expect("it applies"));
                let found = ADVERSARIAL_ENVELOPE.at(&hypotheses).and_then(|b| b.value).expect("it applies");
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
                    let bound = ADVERSARIAL.at(&at(radius, n, mask)).expect("it applies");
                    assert!(bound.log10.is_finite(), "R={radius} n={n} {mask:?}: {}", bound.log10);
                }
            }
        }
    }
}
