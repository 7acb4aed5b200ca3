use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_formula};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::local_rows::losses;

/// Upper: ||J|| <= ||N||_2, N_ij = P_ij v σ_ij + δ_ij ||V G_i|| >= ||J_ij||, σ_ij = ||I + (x_j - m_i) b_ij^T||, with G_i and
/// b_ij as for `local`.
///
/// Every kernel, mask and n, any normaliser, **at these tokens**; up to 2^22 blocks. Source: ours, section 2,
/// `local_blocks` (that a block matrix has at most the norm of the matrix of its blocks' norms is well known).
pub static LOCAL_BLOCKS: Statement = Statement {
    id: "local_blocks",
    side: Side::Upper,
    domain: Domain::Tokens,
    norm: Norm::Spectral,
    formula: "‖N‖₂, Nᵢⱼ = Pᵢⱼ ‖V‖ σ(I + (xⱼ − mᵢ) bᵢⱼᵀ) + [i = j] ‖V Oᵢ‖ ≥ ‖Jᵢⱼ‖",
    tex: None,
    needs: &[],
    otherwise: Absence::NotComputed,
    group: Group::Local,
    rung: Some(80),
    label: "local_blocks",
    note: "local_blocks",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &LOCAL_BLOCKS,
    value: Computation::AtTokens(|parts| parts.blocks),
    worked: no_formula,
    losses,
};
