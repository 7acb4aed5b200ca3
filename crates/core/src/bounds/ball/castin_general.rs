//! A bound of Castin, Ablin, Peyré, "How Smooth Is Attention?", ICML 2024, for tokens in the ball of radius R.

use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::head_bounds::ln_of_heads;
use super::super::need::Need;
use super::super::slack::{AtHead, SlackFactor, SlackKind};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::unified::UNIFIED;
use super::unified_masked::UNIFIED_MASKED;
use crate::experiment::MaskKind;

/// Upper: L_n <= sqrt(3) v sqrt(a^2 (4n + 1) + n).
///
/// Dot-product attention, no mask or the causal one, every n, on the ball. Source: \[C\] Theorem 3.3 and its masked
/// version; section 2, `castin_general`.
pub static CASTIN_GENERAL: Statement = Statement {
    id: "castin_general",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "√3 v √(a²(4n + 1) + n)",
    tex: Some(r"\sqrt{3}v\sqrt{a^2(4n+1)+n}"),
    needs: &[Need::PlainAttention, Need::DotScores],
    otherwise: Absence::NotComputed,
    group: Group::Published,
    rung: Some(5),
    label: "castin_general",
    note: "other",
    source: "castin_general",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &CASTIN_GENERAL,
    value: Computation::OnBall(|given| Some(ln_of_heads(given, |head| ln_one_head(given.ln_n, head.a)))),
    worked,
    losses,
};

/// ln of sqrt(3) sqrt(a^2 (4n + 1) + n), a natural logarithm so that it does not overflow.
fn ln_one_head(ln_n: f64, a: f64) -> f64 {
    // With sqrt n factored out the rest is hypot(a sqrt(4 + 1/n), 1), which does not overflow.
    let inverse_n = (-ln_n).exp();
    0.5 * (3f64.ln() + ln_n) + (a * (4.0 + inverse_n).sqrt()).hypot(1.0).ln()
}

fn worked(at: &AtHead<'_>) -> String {
    let (a, v, n) = (at.a(), at.v(), at.n());
    format!("√3 · {v} · √({a}² · (4 · {n} + 1) + {n})")
}

/// Every column sum is replaced by n, and the parts are bounded separately.
fn losses(at: &AtHead<'_>) -> Vec<SlackFactor> {
    let ours = if at.given.mask == MaskKind::None { &UNIFIED } else { &UNIFIED_MASKED };
    at.factor_above(ours, SlackKind::Length).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::bounds::{CASTIN_GENERAL, CASTIN_MEAN_FIELD, HeadNorms, Hypotheses};
    use crate::experiment::{Attention, MaskKind};

    fn hypotheses(radius: f64, n: f64) -> Hypotheses {
        Hypotheses::of_norms(Attention::Dot, MaskKind::None, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    }

    /// Values tabulated outside this crate, d = 1, A = -1, V = 1.
    #[test]
    fn the_published_bounds_equal_tabulated_values() {
        let table = [
            (2.0, 101.0, 140.51, 38752.5),
            (2.0, 4096.0, 893.738, 38752.5),
            (2.0, 10001.0, 1396.51, 38752.5),
            (2.0, 1e9, 441_588.0, 38752.5),
            (3.0, 1e8 + 1.0, 312_250.0, 1.83848e9),
            (3.0, 1e9, 987_421.0, 1.83848e9),
            (3.0, 1e20, 3.1225e11, 1.83848e9),
        ];
        for (radius, n, general, mean_field) in table {
            for (id, expected) in [(&CASTIN_GENERAL, general), (&CASTIN_MEAN_FIELD, mean_field)] {
                let found = id.at(&hypotheses(radius, n)).and_then(|bound| bound.value).expect("it applies");
                assert!((found / expected - 1.0).abs() < 5e-6, "{id:?} R={radius} n={n}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn a_bound_above_the_range_of_f64_keeps_its_logarithm() {
        let bound = CASTIN_MEAN_FIELD.at(&hypotheses(100.0, 10.0)).expect("it applies");
        assert_eq!(bound.value, None);
        // ln((1 + 3e4) e^20000) / ln 10
        assert!((bound.log10 - (30001f64.ln() + 20000.0) / 10f64.ln()).abs() < 1e-9, "{}", bound.log10);
    }

    #[test]
    fn the_mean_field_bound_is_absent_under_a_mask_and_for_l2() {
        let causal = Hypotheses { mask: MaskKind::Causal, ..hypotheses(1.0, 10.0) };
        assert_eq!(CASTIN_MEAN_FIELD.at(&causal), None);
        let l2 = Hypotheses { attention: Attention::L2, ..hypotheses(1.0, 10.0) };
        assert!(crate::bounds::all_bounds(&l2).is_empty());
    }
}
