//! Loss and gradients against PyTorch in float64 (tests/train/reference.py wrote the numbers).

use std::collections::BTreeMap;

use lipscope_train::{Batch, Parameters, Plan, loss_and_gradients};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    plan: Plan,
    ids: Vec<u32>,
    next: Vec<u32>,
    weights: BTreeMap<String, Vec<f64>>,
    loss: f64,
    gradients: BTreeMap<String, Vec<f64>>,
}

/// Distinct characters of the cases.
const VOCABULARY: usize = 6;

#[test]
fn loss_and_gradients_are_those_of_pytorch() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../data/train/reference.json")).expect("cases");
    assert_eq!(cases.len(), 6);
    for case in cases {
        let (kind, norms) = (case.plan.kind, case.plan.norms);
        let mut weights = Parameters::draw(&case.plan, VOCABULARY).to_f64();
        assert_eq!(weights.len(), case.weights.len());
        for parameter in weights.iter_mut() {
            let given = &case.weights[&parameter.name];
            assert_eq!(parameter.values.len(), given.len(), "{}", parameter.name);
            parameter.values.clone_from(given);
        }
        let batch = Batch { ids: case.ids, next: case.next };
        let (loss, gradients) = loss_and_gradients(&case.plan, &weights, &batch);
        assert!((loss - case.loss).abs() < 1e-12, "{kind:?} {norms:?}: {loss} against {}", case.loss);
        for (parameter, gradient) in weights.iter().zip(gradients) {
            let expected = &case.gradients[&parameter.name];
            let scale = expected.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
            for (found, expected) in gradient.iter().zip(expected) {
                let name = &parameter.name;
                assert!((found - expected).abs() <= 1e-10 * scale, "{kind:?} {name}: {found} against {expected}");
            }
        }
    }
}
