use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::sharp::{ln, losses, worked};
use crate::experiment::MaskKind;

/// Upper: L_n <= v (a + min(sqrt(sum_i min(G(a), F(a)/i)), sqrt((1 + a^2) min(S_c, S_s)),
/// 2 e^a sqrt((1 + 2a) sqrt(1 + a^2)))).
///
/// G and F as for `sharp`; S_c = sum_i 1/(1 + (i - 1) e^(-2a)); S_s = 2 e^(Γ_s + 2κ) (1 + max(0, ln(n e^(a_s -
/// Γ_s)/2))), with Γ_s and a_s those of S = (A + A^T)/2 and κ = ||A - S|| R^2.
///
/// Dot-product attention, causal, every n, on the ball; never above `unified_masked`. Source: ours, section 2,
/// `sharp_masked`.
pub static SHARP_MASKED: Statement = Statement {
    id: "sharp_masked",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (a + min(√Σᵢ min(G(a), F(a)/i), √((1 + a²) S_c), √((1 + a²) S_s), 2 e^a √((1 + 2a) √(1 + a²))))",
    tex: Some(r"v(a+\min(\sqrt{\sum_i\min(G(a),F(a)/i)},…))"),
    needs: &[Need::PlainAttention, Need::DotScores, Need::Causal],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(25),
    label: "sharp",
    note: "sharp_masked",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &SHARP_MASKED,
    value: Computation::OnBall(|given| Some(ln(given, MaskKind::Causal))),
    worked,
    losses,
};
