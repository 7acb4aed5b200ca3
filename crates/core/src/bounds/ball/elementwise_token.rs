use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::pair_sums::{Sums, parts};
use super::variant_heads::ln_of_maps;

/// Upper, in the max-token norm: v max_i sum_j (p_ij + d_ij (a_m + a_o)), with the constants of `elementwise`.
///
/// Hypotheses as there. Source: ours, section 6, `elementwise_token`.
pub static ELEMENTWISE_TOKEN: Statement = Statement {
    id: "elementwise_token",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::MaxToken,
    formula: "v maxᵢ Σⱼ (pᵢⱼ + dᵢⱼ (a_m + a_o))",
    tex: None,
    needs: &[Need::FurtherSteps, Need::OwnScoreWeights, Need::TableSize],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(45),
    label: "elementwise_token",
    note: "elementwise",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &ELEMENTWISE_TOKEN,
    value: Computation::OnBall(|given| {
        ln_of_maps(given, |variant, head, map, radius, ln_n| Some(Sums::of(variant, head, map, radius, ln_n)?.ln_token))
    }),
    worked: |at| at.v_times(parts(at.given, at.head_idx).map(|[.., token]| [token])),
    losses: no_losses,
};
