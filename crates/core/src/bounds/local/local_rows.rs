use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::slack::{AtHead, SlackFactor, SlackKind, brief};
use super::super::statement::{Domain, Group, Norm, Side, Statement};

/// Upper: ||J|| <= max_i ||V G_i|| + sqrt(max_j sum_i P_ij w_i), w_i = ||V (sum_j P_ij M_ij M_ij^T) V^T||.
///
/// The blocks of J are V (P_ij M_ij + δ_ij G_i) with M_ij = I + (x_j - m_i) b_ij^T, G_i = sum_l P_il (x_l - m_i) a_il^T and
/// the derivatives a_ij, b_ij of s_ij in x_i and x_j. (The short form writes O_i for G_i.) For other steps of attention V M
/// and V G stand for the blocks' parts (section 6, "Local bounds of every variant").
///
/// Every kernel, mask and n, any normaliser, **at these tokens**. Source: ours, section 2, `local`.
pub static LOCAL: Statement = Statement {
    id: "local",
    side: Side::Upper,
    domain: Domain::Tokens,
    norm: Norm::Spectral,
    formula: "maxᵢ ‖V Oᵢ‖ + √(maxⱼ Σᵢ Pᵢⱼ wᵢ)",
    tex: Some(r"\max_i\lVert VG_i\rVert+\sqrt{\max_j\sum_iP_{ij}w_i}"),
    needs: &[],
    otherwise: Absence::NotComputed,
    group: Group::Local,
    rung: Some(70),
    label: "local",
    note: "local",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &LOCAL, value: Computation::AtTokens(|parts| Some(parts.value)), worked, losses };

fn worked(at: &AtHead<'_>) -> String {
    at.local.map_or_else(String::new, |parts| format!("{} + {}", brief(parts.own), brief(parts.mixed)))
}

/// The norms of the own and of the mixed part, and those of the heads, are added.
pub(crate) fn losses(at: &AtHead<'_>) -> Vec<SlackFactor> {
    if at.spectral > 0.0 {
        vec![SlackFactor { kind: SlackKind::Parts, times: at.bound.value.unwrap_or(f64::INFINITY) / at.spectral }]
    } else {
        Vec::new()
    }
}
