//! The sharpest of our upper bounds on the ball (docs/theory.md section 2), for dot-product attention and every n. With
//! a = ||A||_2 R^2, v = ||V||_2, and G and F of `row_mass`:
//!
//! - `sharp`, no mask: v (a + min(sqrt(n G), sqrt F, sqrt((1 + a^2) S_Gamma), sqrt S_Gamma + e^(Gamma/2) sqrt(m + m^2/4)));
//! - `sharp_masked`, causal: v (a + min(sqrt(sum_i min(G, F/i)), sqrt((1 + a^2) min(S_c, S_s)), 2 e^a sqrt((1 + 2a)
//!   sqrt(1 + a^2)))),
//!
//! with the column sums S_Gamma, S_s and the exponents Gamma, m of `exponent_sums`, and S_c of `unified`.
//!
//! Both are computed as natural logarithms with v = 1, so that they do not overflow. They are never above `unified` and
//! `unified_masked`: the minima here include the terms of those bounds.

use super::super::hypotheses::{HeadOnBall, Hypotheses};
use super::super::logarithms::ln_add;
use super::mixed_terms::MixedTerms;
use crate::experiment::{Attention, MaskKind};

/// ln of `sharp` with v = 1.
pub(in crate::bounds) fn ln_sharp(hypotheses: &Hypotheses, head: &HeadOnBall) -> Option<f64> {
    ln_of_mask(hypotheses, MaskKind::None, head)
}

/// ln of `sharp_masked` with v = 1.
pub(in crate::bounds) fn ln_sharp_masked(hypotheses: &Hypotheses, head: &HeadOnBall) -> Option<f64> {
    ln_of_mask(hypotheses, MaskKind::Causal, head)
}

fn ln_of_mask(hypotheses: &Hypotheses, mask: MaskKind, head: &HeadOnBall) -> Option<f64> {
    if hypotheses.attention != Attention::Dot || hypotheses.mask != mask {
        return None;
    }
    let a = head.a;
    let terms = MixedTerms::of_dot(mask, hypotheses.ln_n, a, 2.0 * a, &head.exponents);
    Some(ln_add(a.ln(), terms.ln_smallest()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bounds::{BoundId, HeadNorms};
    use crate::experiment::Experiment;
    use crate::growth::hypotheses_of_ball;

    fn at(radius: f64, n: f64, mask: MaskKind) -> Hypotheses {
        Hypotheses::of_norms(Attention::Dot, mask, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    }

    #[test]
    fn sharp_is_at_most_unified_at_every_length_and_radius_and_does_not_fall() {
        for radius in [0.0, 1e-3, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 6.0, 30.0, 1e3, 1e50] {
            for (mask, ids) in [
                (MaskKind::None, [BoundId::Sharp, BoundId::Unified]),
                (MaskKind::Causal, [BoundId::SharpMasked, BoundId::UnifiedMasked]),
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
            for (mask, id) in [("none", BoundId::Sharp), ("causal", BoundId::SharpMasked)] {
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
        assert_eq!(BoundId::Sharp.at(&l2), None);
        assert_eq!(BoundId::Sharp.at(&at(1.0, 10.0, MaskKind::Causal)), None);
        assert_eq!(BoundId::SharpMasked.at(&at(1.0, 10.0, MaskKind::None)), None);
    }
}
