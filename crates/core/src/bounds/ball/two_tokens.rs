//! For large a this bound is 0.147 times `unified`, and 0.177 times `sharp`.

use super::super::absence::Absence;
use super::super::evaluator::{Computation, Evaluator, no_losses};
use super::super::head_bounds::ln_of_mixed_heads;
use super::super::need::Need;
use super::super::slack::AtHead;
use super::super::statement::{Domain, Group, Norm, Side, Statement};

/// Upper: L_2 <= v (0.354 a + 2.37).
///
/// Dot-product attention, no mask, n = 2, A = κ I for any real κ, on the ball. Source: ours, section 2, `two_tokens`.
pub static TWO_TOKENS: Statement = Statement {
    id: "two_tokens",
    side: Side::Upper,
    domain: Domain::Ball,
    norm: Norm::Spectral,
    formula: "v (0.354a + 2.37)",
    tex: None,
    needs: &[Need::PlainAttention, Need::DotScores, Need::Unmasked, Need::Tokens(2), Need::IsotropicScores],
    otherwise: Absence::NotComputed,
    group: Group::Best,
    rung: Some(50),
    label: "two_tokens",
    note: "two_tokens",
    source: "ours",
};

pub(crate) const EVALUATOR: Evaluator = Evaluator {
    statement: &TWO_TOKENS,
    value: Computation::OnBall(|given| {
        Some(ln_of_mixed_heads(given, &given.mixings, |head| (0.354 * head.a + 2.37).ln()))
    }),
    worked,
    losses: no_losses,
};

fn worked(at: &AtHead<'_>) -> String {
    format!("{} · (0.354 · {} + 2.37)", at.v(), at.a())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use serde_json::json;

    use crate::bounds::TWO_TOKENS;
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
            let bound = found.bounds.iter().find(|bound| bound.id == &TWO_TOKENS).expect("it applies");
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
        let find = |n: usize, q: f64| of(n, q).bounds.into_iter().find(|bound| bound.id == &TWO_TOKENS);
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
        let has = |more: f64| at(more).bounds.iter().any(|bound| bound.id == &TWO_TOKENS);
        assert!(has(0.0) && !has(1.49f64.ln()) && !has(1.01f64.ln()));
    }
}
