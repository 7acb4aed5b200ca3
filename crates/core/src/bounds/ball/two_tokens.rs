//! `two_tokens` (ours, docs/theory.md section 2): for two tokens and A = kappa I or -kappa I, on the ball of radius R,
//! without a mask: v (0.354 a + 2.37). For large a it is 0.147 times `unified`, and 0.177 times `sharp`.

use super::super::hypotheses::{HeadOnBall, Hypotheses};
use crate::experiment::{Attention, MaskKind};

/// ln of the bound with v = 1; `None` for another number of tokens and another A.
pub(in crate::bounds) fn ln_two_tokens(hypotheses: &Hypotheses, head: &HeadOnBall) -> Option<f64> {
    let applies = hypotheses.attention == Attention::Dot && hypotheses.mask == MaskKind::None;
    (applies && hypotheses.has_two_tokens() && head.is_isotropic).then(|| (0.354 * head.a + 2.37).ln())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use serde_json::json;

    use crate::bounds::BoundId;
    use crate::experiment::Experiment;
    use crate::measure::measure;

    #[test]
    fn no_norm_at_two_tokens_is_above_the_bound() {
        let place = || (0usize..3, 0.0..1.0f64, 0.0..6.3f64);
        let draws = ([place(), place()], -2.0..1.5f64, prop::sample::select(vec![-1.0, 1.0]));
        let worst = Cell::new(0.0f64);
        let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
        let outcome = TestRunner::new(config).run(&draws, |(places, size, sign)| {
            let radius = 10f64.powf(size / 2.0);
            // Anywhere, on the sphere, and on a line.
            let rows = places.map(|(kind, length, angle)| {
                let (length, angle) = match kind {
                    0 => (length, angle),
                    1 => (1.0, angle),
                    _ => (length, 0.0),
                };
                [radius * length * angle.cos(), radius * length * angle.sin()]
            });
            let q = sign * 2f64.sqrt();
            let experiment = Experiment::from_value(json!({
                "tokens": {"source": "explicit", "rows": rows},
                "weights": {"source": "explicit", "heads": [
                    {"q": [[q, 0.0], [0.0, q]], "k": [[1.0, 0.0], [0.0, 1.0]], "v": [[1.0, 0.0], [0.0, 1.0]]}]},
            }));
            let found = measure(&experiment.expect("valid")).expect("measured");
            let bound = found.bounds.iter().find(|bound| bound.id == BoundId::TwoTokens).expect("it applies");
            let ratio = found.spectral / bound.value.expect("in range");
            worst.set(worst.get().max(ratio));
            prop_assert!(ratio <= 1.0, "{rows:?}: {} {bound:?}", found.spectral);
            Ok(())
        });
        println!("norm / two_tokens: at most {}", worst.get());
        outcome.expect("the bound holds");
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

    /// Clusters may hold any number of tokens from one on, whole or not.
    #[test]
    fn the_bound_is_for_two_tokens_and_no_number_near_two() {
        let at = |more: f64| {
            measure(&Experiment::from_value(json!({
                "tokens": {"source": "clusters", "positions": [[1.0, 0.0], [-1.0, 0.0]], "log_multiplicities": [0.0, more]},
                "weights": {"source": "identity", "sign": -1},
            })).expect("valid")).expect("measured")
        };
        let has = |more: f64| at(more).bounds.iter().any(|bound| bound.id == BoundId::TwoTokens);
        assert!(has(0.0) && !has(1.49f64.ln()) && !has(1.01f64.ln()));
    }
}
