//! `two_tokens` (ours, docs/theory.md section 2): for two tokens and A = kappa I or -kappa I, on the ball of radius R,
//! without a mask: v (0.354 a + 2.37). It is a sixth of `unified` for large a.

use super::super::hypotheses::{HeadOnBall, Hypotheses};
use crate::experiment::{Attention, MaskKind};

/// ln of the bound with v = 1; `None` for another number of tokens and another A.
pub(in crate::bounds) fn ln_two_tokens(hypotheses: &Hypotheses, head: &HeadOnBall) -> Option<f64> {
    let applies = hypotheses.attention == Attention::Dot && hypotheses.mask == MaskKind::None;
    let has_two = hypotheses.ln_n.exp().round() == 2.0;
    (applies && has_two && head.is_isotropic).then(|| (0.354 * head.a + 2.37).ln())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use crate::bounds::BoundId;
    use crate::experiment::Experiment;
    use crate::measure::measure;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn no_norm_at_two_tokens_is_above_the_bound(
            places in prop::collection::vec((0usize..3, 0.0..1.0f64, 0.0..6.3f64), 2..=2),
            size in -2.0..1.5f64,
            sign in prop::sample::select(vec![-1.0, 1.0]),
        ) {
            let radius = 10f64.powf(size / 2.0);
            let rows: Vec<[f64; 2]> = places
                .iter()
                .map(|(kind, length, angle)| {
                    let (length, angle) = match kind {
                        0 => (*length, *angle),
                        1 => (1.0, *angle),
                        _ => (*length, 0.0),
                    };
                    [radius * length * angle.cos(), radius * length * angle.sin()]
                })
                .collect();
            let value = json!({
                "tokens": {"source": "explicit", "rows": rows, "radius": radius},
                "weights": {"source": "explicit", "heads": [
                    {"q": [[sign * f64::sqrt(2.0), 0.0], [0.0, sign * f64::sqrt(2.0)]], "k": [[1.0, 0.0], [0.0, 1.0]],
                     "v": [[1.0, 0.0], [0.0, 1.0]]}]},
            });
            let mut value = value;
            value["tokens"].as_object_mut().expect("an object").remove("radius");
            let found = measure(&Experiment::from_value(value).expect("valid")).expect("measured");
            let bound = found.bounds.iter().find(|bound| bound.id == BoundId::TwoTokens).expect("it applies");
            prop_assert!(found.spectral <= bound.value.expect("in range"), "{rows:?}: {} {bound:?}", found.spectral);
        }
    }

    #[test]
    fn the_bound_is_the_tabulated_one() {
        let of = |n: usize, q: f64| {
            measure(&Experiment::from_value(json!({
                "tokens": {"source": "explicit", "rows": vec![[3.0, 0.0]; n]},
                "weights": {"source": "explicit", "heads": [
                    {"q": [[1.0, q], [0.0, 1.0]], "k": [[-f64::sqrt(2.0), 0.0], [0.0, -f64::sqrt(2.0)]], "v": [[1.0, 0.0], [0.0, 1.0]]}]},
            })).expect("valid")).expect("measured")
        };
        let find = |n: usize, q: f64| of(n, q).bounds.into_iter().find(|bound| bound.id == BoundId::TwoTokens);
        assert!((find(2, 0.0).and_then(|bound| bound.value).expect("it applies") - 5.556).abs() < 1e-9);
        assert_eq!((find(3, 0.0), find(2, 0.1)), (None, None));
    }
}
