use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, constants, no_losses};
use super::super::hypotheses::Hypotheses;
use super::super::logarithms::ln_subtract;
use super::super::need::Need;
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::centre_direction::CentreDirection;
use super::found::Found;
use super::witness::ClusterWitness;
use crate::experiment::MaskKind;
use std::f64::consts::LN_2;

/// Lower: L_n >= |V (t w/n + (1 - t/n) R^2 |A^T e| e)| for a unit vector e, w = A^T e/|A^T e|, from t tokens at 0 (1 for odd
/// n, else 2) and the others half at R e, half at -R e. Causal: w/n for t w/n.
///
/// Dot-product attention, no mask or the causal one, no normaliser, n >= 3, one head or concatenated ones. Source: ours,
/// section 4, `centre`.
pub static CENTRE: Statement = Statement {
    id: "centre",
    side: Side::Lower,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "|V (t w/n + (1 − t/n) R² |Aᵀe| e)|, w = Aᵀe/|Aᵀe|, t = 1 or 2",
    tex: None,
    needs: &[
        Need::PlainAttention,
        Need::DotScores,
        Need::NoNormalizer,
        Need::UnmaskedOrCausal,
        Need::MinTokens(3),
        Need::OneHeadOrConcatenated,
    ],
    otherwise: Absence::NoDirection,
    group: Group::Tokens,
    rung: Some(115),
    label: "centre",
    note: "centre",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &CENTRE,
    value: Computation::AtWitness(|given| best(given).map(Found::from_closed_form)),
    worked: constants,
    losses: no_losses,
};

/// The best tokens in their order, those at 0 last; `None` where no direction is known.
///
/// A token at 0 attends to all tokens alike, so that its covariance is (1 - t/n) R^2 e e^T whatever A is.
fn best(hypotheses: &Hypotheses) -> Option<ClusterWitness> {
    let ln_n = hypotheses.ln_n;
    if !hypotheses.radius.is_finite() {
        return None;
    }
    // Above 2^53 tokens one token more or less changes nothing.
    let n = ln_n.exp().round();
    let ln_t = if n < 9e15 && n % 2.0 == 0.0 { LN_2 } else { 0.0 };
    let of_w = if hypotheses.mask == MaskKind::Causal { (-ln_n).exp() } else { (ln_t - ln_n).exp() };
    let rest = ln_subtract(0.0, ln_t - ln_n).exp();
    let of_direction = |direction: &CentreDirection| {
        let (of_e, [ee, ew, ww]) = (rest * direction.stretch * hypotheses.radius.powi(2), direction.values);
        // Divided by the larger factor, so that no square overflows.
        let scale = of_e.max(of_w);
        let (x, y) = (of_e / scale, of_w / scale);
        scale.ln() + 0.5 * (x * x * ee + 2.0 * x * y * ew + y * y * ww).max(0.0).ln()
    };
    let found = hypotheses.centres.iter().map(|direction| (direction, of_direction(direction)));
    let (best, ln_closed) = found.filter(|(_, ln)| !ln.is_nan()).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let place = |sign: f64| (&best.direction * (sign * hypotheses.radius)).as_slice().to_vec();
    let ln_half = ln_subtract(ln_n, ln_t) - LN_2;
    Some(ClusterWitness {
        positions: [1.0, -1.0, 0.0].map(place).into(),
        ln_sizes: vec![ln_half, ln_half, ln_t],
        norm: ln_closed.exp(),
        ln_closed,
    })
}

#[cfg(test)]
mod tests {
    use super::CENTRE;
    use crate::experiment::Experiment;
    use crate::growth::hypotheses_of_ball;
    use crate::measure::measure;
    use serde_json::json;

    #[test]
    fn the_bound_is_at_most_the_norm_of_its_tokens() {
        let turned = json!([[0.6, -1.1], [0.4, 0.9]]);
        let weights = |q: &serde_json::Value| json!({"source": "explicit", "heads": [{"q": q, "k": [[1.0, 0.0], [0.2, 1.0]], "v": [[1.0, 0.3], [0.0, 0.7]]}]});
        for (mask, n) in [("none", 3), ("none", 4), ("none", 15), ("none", 16), ("causal", 3), ("causal", 8)] {
            for q in [json!([[1.0, 0.0], [0.0, 1.0]]), json!([[-1.0, 0.0], [0.0, 0.1]]), turned.clone()] {
                let of = |tokens: serde_json::Value| {
                    Experiment::from_value(json!({"tokens": tokens, "weights": weights(&q), "mask": mask}))
                        .expect("valid")
                };
                let ball = of(json!({"source": "random", "distribution": "ball", "n": n, "d": 2, "radius": 2}));
                let hypotheses = hypotheses_of_ball(&ball).expect("a ball").with_n(f64::from(n));
                let bound = CENTRE.at(&hypotheses).and_then(|bound| bound.value).expect("it applies");
                // The same direction, from A itself.
                let a = crate::weights::inputs(&ball).expect("inputs").weights.heads[0].query_key().a();
                let e = crate::spectral::largest_triplet(&a).expect("finite").left;
                let zeros = if n % 2 == 0 { 2 } else { 1 };
                let side = |sign: f64| vec![vec![2.0 * sign * e[0], 2.0 * sign * e[1]]; ((n - zeros) / 2) as usize];
                let rows = [side(1.0), side(-1.0), vec![vec![0.0, 0.0]; zeros as usize]].concat();
                let found = measure(&of(json!({"source": "explicit", "rows": rows}))).expect("measured").spectral;
                assert!(bound <= found * (1.0 + 1e-9), "{mask} n={n} {q}: {bound} above {found}");
                assert!(bound >= 0.3 * found, "{mask} n={n} {q}: {bound} far below {found}");
            }
        }
    }
}
