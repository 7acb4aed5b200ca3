use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::head_bounds::ln_of_heads;
use super::super::logarithms::ln_add;
use super::super::need::Need;
use super::super::slack::{AtHead, SlackFactor, SlackKind, brief};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::column_sums::{ln_column_sum, ln_hardy, ln_masked_column_sum};
use crate::experiment::MaskKind;

/// Upper: L_n <= v (a + sqrt((1 + a^2) n/(1 + (n - 1) e^(-2a)))).
///
/// Dot-product attention, no mask, every n, on the ball. Source: ours, section 2, `unified`.
pub static UNIFIED: Statement = Statement {
    id: "unified",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (a + √((1 + a²) n / (1 + (n − 1) e^(−2a))))",
    tex: Some(r"v(a+\sqrt{\frac{(1+a^2)n}{1+(n-1)e^{-2a}}})"),
    needs: &[Need::PlainAttention, Need::DotScores, Need::Unmasked],
    otherwise: Absence::NotComputed,
    group: Group::Unified,
    rung: Some(10),
    label: "unified",
    note: "other",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &UNIFIED,
    value: Computation::OnBall(|given| Some(ln_of_heads(given, |head| ln_one_head(given.ln_n, head.a)))),
    worked,
    losses,
};

/// ln of a + sqrt((1 + a^2) n / (1 + (n-1) e^(-2a))).
fn ln_one_head(ln_n: f64, a: f64) -> f64 {
    ln_add(a.ln(), 1f64.hypot(a).ln() + 0.5 * ln_column_sum(ln_n, a))
}

fn worked(at: &AtHead<'_>) -> String {
    let (a, v, n, last) = (at.a(), at.v(), at.n(), brief(at.given.n() - 1.0));
    format!("{v} · ({a} + √((1 + {a}²) · {n} / (1 + {last} · e^(−2 · {a}))))")
}

/// The factors whose product is (mixed part of `unified`) / (mixed part of `local`), for one head (docs/theory.md
/// section 2).
pub(crate) fn losses(at: &AtHead<'_>) -> Vec<SlackFactor> {
    let (hypotheses, a, v) = (at.given, at.head.a, at.head.v_norm);
    let Some(parts) = at.local else { return Vec::new() };
    if parts.w <= 0.0 || parts.mixed <= 0.0 {
        return Vec::new();
    }
    let ln_column = match hypotheses.mask {
        MaskKind::None => ln_column_sum(hypotheses.ln_n, a),
        MaskKind::Causal => ln_masked_column_sum(hypotheses.ln_n, a),
        MaskKind::Other => return Vec::new(),
    };
    // Under the mask the bound may come from Hardy's inequality, which does not use column sums.
    if hypotheses.mask == MaskKind::Causal && 2.0 * 1f64.hypot(a).ln() + ln_column > 2.0 * ln_hardy(a) {
        return Vec::new();
    }
    let with_radius = 1.0 + parts.gradient_square * hypotheses.radius * hypotheses.radius;
    let root = |kind: SlackKind, square: f64| SlackFactor { kind, times: square.sqrt() };
    vec![
        root(SlackKind::ColumnSums, (ln_column - parts.column_sum.ln()).exp()),
        root(SlackKind::ANorm, (1.0 + a * a) / with_radius),
        root(SlackKind::Radius, with_radius / (1.0 + parts.spread)),
        root(SlackKind::VNorm, v * v * (1.0 + parts.spread) / parts.w),
        root(SlackKind::Alignment, parts.column_sum * parts.w / (parts.mixed * parts.mixed)),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::unified_masked;
    use super::*;
    use crate::bounds::{HeadNorms, Hypotheses, UNIFIED_MASKED};
    use crate::experiment::Attention;

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
            let found = UNIFIED.at(&at(radius, n, MaskKind::None)).and_then(|b| b.value).expect("it applies");
            assert!((found / expected - 1.0).abs() < 4e-6, "R={radius} n={n}: {found} for {expected}");
        }
        for (n, expected) in [(10.0, 17.0286), (100.0, 44.8948), (1000.0, 125.0853), (10000.0, 277.063)] {
            let found = UNIFIED_MASKED.at(&at(2.0, n, MaskKind::Causal)).and_then(|b| b.value).expect("it applies");
            assert!((found / expected - 1.0).abs() < 2e-6, "causal n={n}: found {found}, expected {expected}");
        }
    }

    #[test]
    fn nothing_overflows_for_any_radius_length_or_weight() {
        for a in [0.0, 1e-300, 1e-8, 1.0, 400.0, 1e9, 1e12] {
            for ln_n in [0.0, 2f64.ln(), 41.4, 700.0] {
                assert!(ln_one_head(ln_n, a).is_finite());
                assert!(unified_masked::ln_one_head(ln_n, a).is_finite());
            }
        }
        // Infinitely many tokens: v (a + sqrt(1 + a^2) e^a).
        let limit = ln_one_head(f64::INFINITY, 3.0);
        assert!((limit.exp() - (3.0 + 10f64.sqrt() * 3f64.exp())).abs() < 1e-12);
    }
}
