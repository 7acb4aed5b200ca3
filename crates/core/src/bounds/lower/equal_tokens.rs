//! `equal_tokens` (ours, docs/theory.md section 6): n equal tokens x, |x| = R, for weights that each depend on their own
//! score alone, A = alpha I with alpha > 0 and V = v I, no mask and no bias. With a = alpha R^2, the weight p and its slope
//! d at the score a, the norm there is n |v| (p + 2 d a): along fields that equal x at every token J is n V (p I + d x (A
//! x)^T + d x (A^T x)^T).

use super::super::Hypotheses;
use super::super::ball::elementwise::Curve;
use super::super::logarithms::ln_sum;

/// ln of the bound; concatenated heads have the root of the sum of squares, since the field is the same for all.
pub(in crate::bounds) fn ln_equal_tokens(hypotheses: &Hypotheses) -> Option<f64> {
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
