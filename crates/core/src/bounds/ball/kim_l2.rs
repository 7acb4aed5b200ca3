//! In this bound W_Q enters to the fourth power, because the map scales as |W_Q|^2 (docs/theory.md section 5;
//! tests/core/l2.rs has a counterexample to the second power).

use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::need::Need;
use super::super::slack::{AtHead, brief};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::kim::inverse_phi;

/// Upper: sqrt(n/k) (4 φ^-1(n - 1) + 1) sqrt(sum_h ||W_Q,h||^4 ||W_V,h||^2) ||W_O||, with φ(x) = x e^(x + 1).
///
/// L2 multi-head attention of \[K\] with its weights, no mask or the causal one, every n, all tokens. Source: \[K\]
/// Theorem 3.2, corrected: the fourth power of ||W_Q,h|| is ours; section 5, `kim_l2`.
pub static KIM_L2: Statement = Statement {
    id: "kim_l2",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "√(n/k) (4φ⁻¹(n − 1) + 1) √(Σₕ ‖W_Q‖⁴‖W_V‖²) ‖W_O‖, φ(x) = x e^(x + 1)",
    tex: Some(r"\sqrt{n/k}\,(4\varphi^{-1}(n-1)+1)\sqrt{\sum_h\lVert W_Q\rVert^4\lVert W_V\rVert^2}\,\lVert W_O\rVert"),
    needs: &[Need::PlainAttention, Need::L2MultiHead, Need::UnmaskedOrCausal],
    otherwise: Absence::NotComputed,
    group: Group::Published,
    rung: Some(55),
    label: "kim_l2",
    note: "kim_l2",
    source: "kim_l2",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &KIM_L2, value: Computation::OnBall(ln), worked, losses: no_losses };

fn ln(given: &Hypotheses) -> Option<f64> {
    let norms = given.kim?;
    let growth = 4.0 * inverse_phi(given.ln_n) + 1.0;
    let weights = 0.5 * norms.heads.ln() + norms.output.ln() + given.outer_factor.ln();
    Some(0.5 * (given.ln_n - norms.k.ln()) + growth.ln() + weights)
}

fn worked(at: &AtHead<'_>) -> String {
    let Some(norms) = at.given.kim else { return String::new() };
    format!(
        "√({} / {}) · (4 · {} + 1) · √{} · {}",
        at.n(),
        brief(norms.k),
        brief(inverse_phi(at.given.ln_n)),
        brief(norms.heads),
        brief(norms.output)
    )
}
