use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::need::Need;
use super::super::slack::{AtHead, brief};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::kim::inverse_phi;

/// Upper, in the l_inf norm (largest absolute row sum): (4 φ^-1(n - 1) + 1/sqrt(k)) ||W_O^T||_inf max_h ||W_Q,h||_inf
/// ||W_Q,h^T||_inf max_h ||W_V,h^T||_inf, with φ(x) = x e^(x + 1).
///
/// L2 multi-head attention of \[K\] with its weights (queries and keys tied), no mask or the causal one, every n, all
/// tokens; no normaliser in the Jacobian. Source: \[K\] Theorem 3.2; section 5, `kim_linf`.
pub static KIM_LINF: Statement = Statement {
    id: "kim_linf",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Linf,
    formula: "(4φ⁻¹(n − 1) + 1/√k) ‖W_Oᵀ‖∞ maxₕ ‖W_Q‖∞‖W_Qᵀ‖∞ maxₕ ‖W_Vᵀ‖∞, φ(x) = x e^(x + 1)",
    tex: None,
    needs: &[Need::PlainAttention, Need::L2MultiHead, Need::NoNormalizerInJacobian, Need::UnmaskedOrCausal],
    otherwise: Absence::NotComputed,
    group: Group::Published,
    rung: Some(65),
    label: "kim_l2",
    note: "kim_l2",
    source: "kim_linf",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &KIM_LINF, value: Computation::OnBall(ln), worked, losses: no_losses };

fn ln(given: &Hypotheses) -> Option<f64> {
    let norms = given.kim?;
    let growth = 4.0 * inverse_phi(given.ln_n) + 1.0 / norms.k.sqrt();
    Some((growth * norms.output_linf * norms.query_linf * norms.value_linf).ln())
}

fn worked(at: &AtHead<'_>) -> String {
    let Some(norms) = at.given.kim else { return String::new() };
    format!(
        "(4 · {} + {}) · {} · {} · {}",
        brief(inverse_phi(at.given.ln_n)),
        brief(1.0 / norms.k.sqrt()),
        brief(norms.output_linf),
        brief(norms.query_linf),
        brief(norms.value_linf)
    )
}
