use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::logarithms::ln_add;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::pair_sums::{Sums, parts};
use super::variant_heads::ln_of_maps;

/// Upper: L_n <= v (a_o max_i sum_j d_ij + sqrt(max_i sum_j T_ij max_j sum_i T_ij)), T_ij = p_ij + d_ij a_m, where p_ij is the
/// weight at the highest score and d_ij its largest slope, and a_o, a_m are those of `general`.
///
/// Sigmoid, ReLU and softplus weights; every kernel, mask, bias and n; on the ball. Source: ours, section 6, `elementwise`.
pub static ELEMENTWISE: Statement = Statement {
    id: "elementwise",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (a_o maxᵢ Σⱼ dᵢⱼ + √(maxᵢ Σⱼ Tᵢⱼ · maxⱼ Σᵢ Tᵢⱼ)), Tᵢⱼ = pᵢⱼ + dᵢⱼ a_m",
    tex: None,
    needs: &[Need::FurtherSteps, Need::OwnScoreWeights, Need::TableSize],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(40),
    label: "elementwise",
    note: "elementwise",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &ELEMENTWISE,
    value: Computation::OnBall(|given| {
        ln_of_maps(given, |variant, head, map, radius, ln_n| {
            let sums = Sums::of(variant, head, map, radius, ln_n)?;
            Some(ln_add(sums.ln_own, 0.5 * (sums.ln_row + sums.ln_column)))
        })
    }),
    worked: |at| at.v_times(parts(at.given, at.head_idx).map(|[own, mixed, _]| [own, mixed])),
    losses: no_losses,
};
