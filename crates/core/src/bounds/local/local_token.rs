use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_formula, no_losses};
use super::super::statement::{Domain, Group, Norm, Side, Statement};

/// Upper, in the max-token norm: max_i |(J ξ)_i| <= max_j |ξ_j| max_i (||V G_i|| + sqrt(w_i sum_j P_ij)), with G_i and w_i
/// as for `local`.
///
/// Every kernel, mask and n, any normaliser, **at these tokens**. Source: ours, section 6, `local_token`.
pub static LOCAL_TOKEN: Statement = Statement {
    id: "local_token",
    side: Side::Upper,
    domain: Domain::Tokens,
    norm: Norm::MaxToken,
    formula: "maxᵢ (‖Oᵢ‖ + √(wᵢ Σⱼ Pᵢⱼ))",
    tex: None,
    needs: &[],
    otherwise: Absence::NotComputed,
    group: Group::Local,
    rung: Some(75),
    label: "local_token",
    note: "local",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &LOCAL_TOKEN,
    value: Computation::AtTokens(|parts| Some(parts.token)),
    worked: no_formula,
    losses: no_losses,
};
