//! A bound of Castin, Ablin, Peyré, "How Smooth Is Attention?", ICML 2024, for tokens in the ball of radius R.

use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::head_bounds::ln_of_heads;
use super::super::need::Need;
use super::super::slack::{AtHead, SlackFactor, SlackKind};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::unified::UNIFIED;

/// Upper: L_n <= v (1 + 3a) e^(2a).
///
/// Dot-product attention, no mask, every n, and the Wasserstein-2 constant on probability measures in the ball. Source:
/// \[C\], mean-field theorem; section 2, `castin_mean_field`.
pub static CASTIN_MEAN_FIELD: Statement = Statement {
    id: "castin_mean_field",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (1 + 3a) e^(2a)",
    tex: Some(r"v(1+3a)e^{2a}"),
    needs: &[Need::PlainAttention, Need::DotScores, Need::Unmasked],
    otherwise: Absence::NotComputed,
    group: Group::MeanField,
    rung: Some(0),
    label: "castin_mean_field",
    note: "other",
    source: "castin_mean_field",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &CASTIN_MEAN_FIELD,
    value: Computation::OnBall(|given| Some(ln_of_heads(given, |head| (3.0 * head.a).ln_1p() + 2.0 * head.a))),
    worked,
    losses,
};

fn worked(at: &AtHead<'_>) -> String {
    let (a, v) = (at.a(), at.v());
    format!("{v} · (1 + 3 · {a}) · e^(2 · {a})")
}

/// The exponential is e^(2a), where e^a is enough.
fn losses(at: &AtHead<'_>) -> Vec<SlackFactor> {
    at.factor_above(&UNIFIED, SlackKind::Exponent).into_iter().collect()
}
