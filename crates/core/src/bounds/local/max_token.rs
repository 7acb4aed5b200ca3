use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_formula, no_losses};
use super::super::statement::{Domain, Group, Norm, Side, Statement};

/// Upper, in the max-token norm: max_i |(J ξ)_i| <= max_j |ξ_j| max_i sum_j ||J_ij||.
///
/// Every kernel, mask and n, any normaliser, **at these tokens**. Source: well known; section 2, `max_token`.
pub static MAX_TOKEN: Statement = Statement {
    id: "max_token",
    side: Side::Upper,
    domain: Domain::Tokens,
    norm: Norm::MaxToken,
    formula: "maxᵢ Σⱼ ‖Jᵢⱼ‖₂",
    tex: None,
    needs: &[],
    otherwise: Absence::NotComputed,
    group: Group::BlockNorms,
    rung: None,
    label: "max_token",
    note: "other",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &MAX_TOKEN, value: Computation::Elsewhere, worked: no_formula, losses: no_losses };
