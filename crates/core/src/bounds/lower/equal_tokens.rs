//! The norm at n equal tokens x: along fields that equal x at every token J is n V (p I + d x (A x)^T + d x (A^T x)^T).

use super::super::absence::Absence;
use super::super::ball::pair_sums::Curve;
use super::super::evaluator::{Computation, Evaluator, no_formula, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::logarithms::ln_sum;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};

/// Lower: L_n >= n |v| (p + 2 d a) from n equal tokens of length R, with the weight p and its slope d at the score a. It meets
/// `elementwise`.
///
/// Dot-product scores, sigmoid, ReLU or softplus weights, A = α I with α > 0, V = v I, no mask, no bias, no normaliser.
/// Source: ours, section 6, `equal_tokens`.
pub static EQUAL_TOKENS: Statement = Statement {
    id: "equal_tokens",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v n (p + 2 d a) at n equal tokens",
    tex: None,
    needs: &[Need::FurtherSteps, Need::OwnScoreWeights, Need::NoNormalizer],
    otherwise: Absence::OtherSteps,
    group: Group::Tokens,
    rung: Some(95),
    label: "equal_tokens",
    note: "equal_tokens",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator =
    Evaluator { statement: &EQUAL_TOKENS, value: Computation::OnBall(ln), worked: no_formula, losses: no_losses };

/// ln of the bound; concatenated heads have the root of the sum of squares, since the field is the same for all.
fn ln(hypotheses: &Hypotheses) -> Option<f64> {
    let variant = hypotheses.variant.as_deref()?;
    let heads = variant.witnesses.equal.as_ref()?;
    let curve = Curve::of(&variant.weighting, hypotheses.ln_n)?;
    let ln_heads = heads.iter().map(|head| {
        let a = head.alpha * hypotheses.radius * hypotheses.radius;
        let at = curve.largest(a, a);
        hypotheses.ln_n + head.value.ln() + (at.weight + 2.0 * at.slope * a).ln()
    });
    Some(0.5 * ln_sum(ln_heads.map(|ln| 2.0 * ln)))
}
