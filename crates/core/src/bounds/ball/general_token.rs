use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::head_bounds::ln_of_mixed_heads;
use super::super::hypotheses::Hypotheses;
use super::super::logarithms::ln_add;
use super::super::need::Need;
use super::super::slack::AtHead;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::softmax_terms::{Terms, parts};
use super::variant_heads::ln_of_maps;
use crate::experiment::Attention;
use crate::extremum::maximum;

/// Upper, in the max-token norm: v (ρ a_o + sqrt(ρ ω)), with the constants of `general`: no n in it.
///
/// Hypotheses as for `general`, for every n at once. For one dimension and plain attention it is v max(1 + a,
/// 2a + 1/(8a)), the second from a = 1/4 on. Source: ours, section 6, `general_token`.
pub static GENERAL_TOKEN: Statement = Statement {
    id: "general_token",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::MaxToken,
    formula: "v (ρ a_o + √(ρ ω))",
    tex: None,
    needs: &[Need::SoftmaxWeights, Need::TableSize],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(35),
    label: "general_token",
    note: "general_token",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &GENERAL_TOKEN, value: Computation::OnBall(ln), worked, losses: no_losses };

fn ln(given: &Hypotheses) -> Option<f64> {
    if is_plain_dot(given) {
        return Some(ln_of_mixed_heads(given, &given.mixings, |head| ln_plain(given.d, head.a)));
    }
    ln_of_maps(given, |variant, head, map, radius, ln_n| {
        let terms = Terms::of(variant, head, map, radius, ln_n)?;
        Some(ln_add(terms.ln_own, terms.ln_mixed_token))
    })
}

/// Whether the bound has the closed form of [`ln_plain`].
fn is_plain_dot(given: &Hypotheses) -> bool {
    given.is_plain() && given.attention == Attention::Dot
}

/// ln of the bound for dot-product attention without other steps, v = 1, under any mask: a + sqrt(1 + a^2), and on a line
/// max(1 + a, 2a + 1/(8a)), the second from a = 1/4 on. Over all n no smaller bound holds.
fn ln_plain(d: usize, a: f64) -> f64 {
    let plane = || ln_add(a.ln(), 1f64.hypot(a).ln());
    // Below a = 1/4 no tokens have the second value; from there on it is the larger one from a = 0.85 on.
    let line = || maximum(a.ln_1p(), if a >= 0.25 { (2.0 * a + 0.125 / a).ln() } else { f64::NEG_INFINITY });
    if d == 1 { line() } else { plane() }
}

fn worked(at: &AtHead<'_>) -> String {
    let (a, v) = (at.a(), at.v());
    match (is_plain_dot(at.given), at.given.d) {
        (true, 1) => format!("{v} · max(1 + {a}, 2 · {a} + 1/(8 · {a}))"),
        (true, _) => format!("{v} · ({a} + √(1 + {a}²))"),
        (false, _) => at.v_times(parts(at.given, at.head_idx).map(|[own, _, mixed]| [own, mixed])),
    }
}
