use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::head_bounds::ln_of_heads;
use super::super::logarithms::ln_add;
use super::super::need::Need;
use super::super::slack::{AtHead, brief_of_ln};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::column_sums::{ln_hardy, ln_masked_column_sum};
use super::unified::losses;

/// Upper: L_n <= v (a + min(sqrt((1 + a^2) S_c), 2 (1 + 2a) e^(2a))), S_c = sum_i 1/(1 + (i - 1) e^(-2a)).
///
/// Dot-product attention, causal, every n, on the ball. Source: ours, section 2, `unified_masked`.
pub static UNIFIED_MASKED: Statement = Statement {
    id: "unified_masked",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (a + min(√((1 + a²) Σᵢ 1/(1 + (i − 1) e^(−2a))), 2 (1 + 2a) e^(2a)))",
    tex: Some(r"v(a+\min(\sqrt{(1+a^2)S_c},2(1+2a)e^{2a}))"),
    needs: &[Need::PlainAttention, Need::DotScores, Need::Causal],
    otherwise: Absence::NotComputed,
    group: Group::Unified,
    rung: Some(15),
    label: "unified",
    note: "unified_masked",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &UNIFIED_MASKED,
    value: Computation::OnBall(|given| Some(ln_of_heads(given, |head| ln_one_head(given.ln_n, head.a)))),
    worked,
    losses,
};

/// ln of the bound of one head with v = 1.
pub(crate) fn ln_one_head(ln_n: f64, a: f64) -> f64 {
    ln_add(a.ln(), ln_masked_root(ln_n, a).min(ln_hardy(a)))
}

/// ln of the square root in the minimum.
fn ln_masked_root(ln_n: f64, a: f64) -> f64 {
    1f64.hypot(a).ln() + 0.5 * ln_masked_column_sum(ln_n, a)
}

fn worked(at: &AtHead<'_>) -> String {
    let (a, v) = (at.a(), at.v());
    let sum = brief_of_ln(ln_masked_column_sum(at.given.ln_n, at.head.a));
    format!("{v} · ({a} + min(√((1 + {a}²) · {sum}), 2 · (1 + 2 · {a}) · e^(2 · {a})))")
}
