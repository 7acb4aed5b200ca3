use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::logarithms::ln_add;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::softmax_terms::{Terms, parts};
use super::variant_heads::ln_of_maps;

/// Upper: L_n <= v (ρ a_o + min(sqrt(ω S), sqrt(max_j sum_i λ_i), 2 e^κ sqrt((1 + 2 a_m) sqrt(ω)))), the last term under the
/// causal mask without a bias only.
///
/// a_o, a_m and 2κ bound R times the derivatives of a score in its query's and its key's token, and the range of the scores
/// of a row; S bounds the column sums of P and ρ <= 1 its row sums; ω is 1 + a_m^2 for dot-product scores, at most (1 +
/// a_m)^2 for others; λ_i is the min(G, F/|N_i|) of `sharp` for the |N_i| tokens that i may see. Tables of these
/// constants: section 6, "The constants of scores" and "Sums over the mask".
///
/// Every kernel, mask, bias and step whose weights are a softmax, with or without a sink; every n; on the ball. For
/// dot-product attention without further steps it is `sharp` and `sharp_masked`, which stand for it. Source: ours, section 6, `general`.
pub static GENERAL: Statement = Statement {
    id: "general",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (ρ a_o + min(√(ω S), √(maxⱼ Σᵢ λᵢ), 2 e^κ √((1 + 2a_m) √ω) if causal))",
    tex: None,
    needs: &[Need::FurtherStepsOrL2, Need::SoftmaxWeights, Need::TableSize],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(30),
    label: "general",
    note: "general",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &GENERAL,
    value: Computation::OnBall(|given| {
        ln_of_maps(given, |variant, head, map, radius, ln_n| {
            let terms = Terms::of(variant, head, map, radius, ln_n)?;
            Some(ln_add(terms.ln_own, terms.mixed.ln_smallest()))
        })
    }),
    worked: |at| at.v_times(parts(at.given, at.head_idx).map(|[own, mixed, _]| [own, mixed])),
    losses: no_losses,
};
