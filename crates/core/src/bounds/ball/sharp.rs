use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator};
use super::super::head_bounds::ln_of_mixed_heads;
use super::super::hypotheses::{HeadOnBall, Hypotheses};
use super::super::logarithms::ln_add;
use super::super::need::Need;
use super::super::slack::{AtHead, SlackFactor, SlackKind, brief_of_ln};
use super::super::statement::{Domain, Group, Norm, Side, Statement};
use super::mixed_terms::MixedTerms;
use super::row_mass::{self, KeySlopes};
use crate::experiment::MaskKind;

/// Upper: L_n <= v (a + min(sqrt(n G(a)), sqrt(F(a)), sqrt((1 + a^2) S_G), sqrt(S_G) + e^(Γ/2) sqrt(m + m^2/4))).
///
/// Γ is the largest y.A x - x.A x over the ball, at most 2a; S_G = min(e^Γ, 1/(1 + (n - 1) e^(-2a)) + (n - 1)/(1 + (n - 1)
/// e^(-Γ))) bounds every column sum of P; m = ||A (S + σ I)^-1 A^T|| R^2 with S = (A + A^T)/2 and any σ for which S + σ I
/// is positive definite. G(a) = max_q q^2 α + (1 - q)^2 β and F(a) = max_(q, x <= q, y <= 1 - q) (α q + β (1 - q) +
/// (e^(2a) - 1)(α x + β y))(1 - (1 - e^(-2a))(x + y)) with α = (1 + 2a (1 - q))^2, β = (1 - 2a q)^2, 0 <= q <= 1.
///
/// Dot-product attention, no mask, every n, on the ball; never above `unified` and the two of \[C\]. For A =
/// -||A|| I, V = v I, d >= 2 and large a its leading constant is right for few and for many tokens. Source: ours,
/// section 2, `sharp`.
pub static SHARP: Statement = Statement {
    id: "sharp",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (a + min(√(n G(a)), √F(a), √((1 + a²) S_Γ), √S_Γ + e^(Γ/2) √(m + m²/4)))",
    tex: Some(r"v(a+\min(\sqrt{nG(a)},\sqrt{F(a)},\sqrt{(1+a^2)S_\Gamma},…))"),
    needs: &[Need::PlainAttention, Need::DotScores, Need::Unmasked],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(20),
    label: "sharp",
    note: "sharp",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &SHARP,
    value: Computation::OnBall(|given| Some(ln(given, MaskKind::None))),
    worked,
    losses,
};

/// ln of the bound, which is `sharp_masked` under the causal mask. With v = 1 the logarithm of one head does not overflow.
/// It is never above `unified` and `unified_masked`: the minimum includes the terms of those bounds.
pub(crate) fn ln(given: &Hypotheses, mask: MaskKind) -> f64 {
    let of_head = |head: &HeadOnBall| {
        let terms = MixedTerms::of_dot(mask, given.ln_n, head.a, 2.0 * head.a, &head.exponents);
        ln_add(head.a.ln(), terms.ln_smallest())
    };
    ln_of_mixed_heads(given, &given.mixings, of_head)
}

pub(crate) fn worked(at: &AtHead<'_>) -> String {
    let (given, a) = (at.given, at.head.a);
    let mixed = MixedTerms::of_dot(given.mask, given.ln_n, a, 2.0 * a, &at.head.exponents);
    let mixed = brief_of_ln(mixed.ln_smallest());
    let [short, long] =
        [row_mass::ln_any_length(KeySlopes::Constant, a), row_mass::ln_long(KeySlopes::Constant, a, 2.0 * a)]
            .map(brief_of_ln);
    let (a, v, n) = (at.a(), at.v(), at.n());
    format!("{v} · ({a} + {mixed}), G = {short}, F = {long}, n = {n}")
}

/// What each step of the proof of `sharp` and `sharp_masked` loses (docs/theory.md section 2). For one head the product
/// of the factors is bound / norm; for several heads [`SlackKind::Rows`] is left out. `local` has the head's terms at the
/// tokens.
pub(crate) fn losses(at: &AtHead<'_>) -> Vec<SlackFactor> {
    let AtHead { bound, given: hypotheses, head, spectral, .. } = *at;
    let Some(local) = at.local else { return Vec::new() };
    let (a, v) = (head.a, head.v_norm);
    let mixed = |a: f64, ln_ratio: f64| {
        v.ln() + MixedTerms::of_dot(hypotheses.mask, hypotheses.ln_n, a, ln_ratio, &head.exponents).ln_smallest()
    };
    // The proof's constants at these tokens. They are at most the constants for the ball.
    let gradient = (local.gradient_square.sqrt() * hypotheses.radius).min(a);
    let ln_ratio = local.ln_ratio.min(2.0 * a);
    let (own, own_of_ball) = (local.own.ln(), (v * a).ln());
    let at_tokens = ln_add(own, mixed(gradient, ln_ratio));
    let with_a_norm = ln_add(own, mixed(a, ln_ratio));
    let with_scores = ln_add(own, mixed(a, 2.0 * a));
    let whole = ln_add(own_of_ball, mixed(a, 2.0 * a));
    let factor = |kind: SlackKind, ln: f64| SlackFactor { kind, times: ln.exp() };
    let mut factors = vec![
        factor(SlackKind::ANorm, with_a_norm - at_tokens),
        factor(SlackKind::Scores, with_scores - with_a_norm),
        factor(SlackKind::Own, whole - with_scores),
    ];
    if hypotheses.heads.len() == 1 && spectral > 0.0 {
        let rest = bound.log10 * std::f64::consts::LN_10 - spectral.ln() - (whole - at_tokens);
        factors.push(factor(SlackKind::Rows, rest));
    }
    factors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bounds::{BoundId, HeadNorms, SHARP_MASKED, UNIFIED, UNIFIED_MASKED};
    use crate::experiment::{Attention, Experiment};
    use crate::growth::hypotheses_of_ball;

    fn at(radius: f64, n: f64, mask: MaskKind) -> Hypotheses {
        Hypotheses::of_norms(Attention::Dot, mask, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    }

    #[test]
    fn sharp_is_at_most_unified_at_every_length_and_radius_and_does_not_fall() {
        for radius in [0.0, 1e-3, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 6.0, 30.0, 1e3, 1e50] {
            for (mask, ids) in [
                (MaskKind::None, [&SHARP, &UNIFIED] as [BoundId; 2]),
                (MaskKind::Causal, [&SHARP_MASKED, &UNIFIED_MASKED]),
            ] {
                let mut before = f64::NEG_INFINITY;
                for ln_n in (0..300).map(|step| f64::from(step) * 2.31) {
                    let hypotheses = Hypotheses { ln_n: ln_n.exp().round().ln(), ..at(radius, 2.0, mask) };
                    let [sharp, unified] = ids.map(|id| id.at(&hypotheses).expect("it applies").log10);
                    assert!(sharp <= unified, "{mask:?} R={radius} ln n={ln_n}: {sharp} above {unified}");
                    assert!(
                        sharp >= before - 1e-11 * before.abs().max(1.0),
                        "{mask:?} R={radius} ln n={ln_n}: it falls"
                    );
                    before = sharp;
                }
            }
        }
    }

    /// S_Gamma and S_s rise with n for every A: so do these bounds.
    #[test]
    fn sharp_does_not_fall_where_gamma_is_small() {
        for q in [json!([[1.0, 0.0], [0.0, 1.0]]), json!([[0.0, -1.0], [1.0, 0.0]]), json!([[1.0, 0.7], [-0.2, -0.3]])]
        {
            for (mask, id) in [("none", &SHARP), ("causal", &SHARP_MASKED)] {
                let experiment = Experiment::from_value(json!({
                    "mask": mask, "tokens": {"source": "random", "distribution": "ball", "n": 5, "d": 2, "radius": 1},
                    "weights": {"source": "explicit", "heads": [{"q": q, "k": [[1.4, 0.0], [0.0, 1.4]], "v": [[1.0, 0.0], [0.0, 1.0]]}]},
                }))
                .expect("valid");
                let ball = hypotheses_of_ball(&experiment).expect("a ball");
                for radius in [0.1, 0.5, 1.0, 2.0, 3.0, 6.0] {
                    let mut before = f64::NEG_INFINITY;
                    for n in (0..400).map(|step| (0.1 * f64::from(step)).exp().round()) {
                        let found = id.at(&ball.with_radius(radius).with_n(n)).expect("it applies").log10;
                        assert!(
                            found >= before - 1e-11 * before.abs().max(1.0),
                            "{q} {mask} R={radius} n={n}: it falls"
                        );
                        before = found;
                    }
                }
            }
        }
    }

    #[test]
    fn sharp_is_absent_under_the_other_mask_and_for_l2() {
        let l2 = Hypotheses { attention: Attention::L2, ..at(1.0, 10.0, MaskKind::None) };
        assert_eq!(SHARP.at(&l2), None);
        assert_eq!(SHARP.at(&at(1.0, 10.0, MaskKind::Causal)), None);
        assert_eq!(SHARP_MASKED.at(&at(1.0, 10.0, MaskKind::None)), None);
    }
}
