//! The leading singular pair that the page draws: J v = sigma u token by token, for every form of the Jacobian.

use std::cell::Cell;

use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Experiment, Rows, Scope};
use lipscope_core::jacobian::dense_jacobian;
use lipscope_core::measure::{Grouping, MeasureOptions, Measurement, Measuring, Method, Step, measure_with};
use lipscope_core::picture::{TopPair, top_pair};
use lipscope_core::weights::inputs;
use lipscope_testkit::drawn::drawn;
use lipscope_testkit::ratios::within;
use lipscope_testkit::repeated::repeated;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

fn finished(experiment: &Experiment, options: MeasureOptions) -> (Measuring, Measurement) {
    let mut measuring = Measuring::start(experiment, options).expect("inputs");
    loop {
        if let Step::Done(measurement) = measuring.step().expect("finite") {
            return (measuring, *measurement);
        }
    }
}

fn forward(experiment: &Experiment) -> Forward<f64> {
    Forward::new(experiment, &inputs(experiment).expect("inputs")).expect("forward")
}

/// The larger of |J v - s u| and |J^T u - s v|, relative to the scale of rounding errors in J: |J| without the
/// normaliser times the bound on the normaliser's Jacobian.
fn error(experiment: &Experiment, value: f64, input: &[f64], output: &[f64]) -> f64 {
    let forward_pass = forward(experiment);
    let jacobian = dense_jacobian(&forward_pass);
    let mut inner = experiment.clone();
    inner.normalization_scope = Scope::Inputs;
    let of_normalizer = match experiment.normalization_scope {
        Scope::Inputs => 1.0,
        Scope::Composed => forward_pass.normalizer().jacobian_norm_bound(),
    };
    let size = dense_jacobian(&forward(&inner)).norm() * of_normalizer;
    let (v, u) = (DVector::from_column_slice(input), DVector::from_column_slice(output));
    let (forth, back) = (&jacobian * &v - &u * value, jacobian.tr_mul(&u) - &v * value);
    forth.norm().max(back.norm()) / size.max(f64::MIN_POSITIVE)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pair_is_singular_and_its_value_is_the_norm(case in drawn(&["dot", "l2"])) {
        let experiment = case.experiment();
        let iterated = MeasureOptions { svd_limit: 0, ..MeasureOptions::default() };
        for options in [MeasureOptions::default(), iterated] {
            let (measuring, measurement) = finished(&experiment, MeasureOptions { grouping: Grouping::Never, ..options });
            let Some(pair) = measuring.singular_pair() else {
                prop_assert!(measurement.spectral == 0.0, "no pair for {}", measurement.spectral);
                continue;
            };
            let method = measurement.method;
            let deviation = (pair.value / measurement.spectral - 1.0).abs();
            prop_assert!(within("top_pair.drawn", "value", deviation, 1e-9), "{method:?}: {} for {}", pair.value, measurement.spectral);
            prop_assert!((pair.inputs.norm() - 1.0).abs() < 1e-10 && (pair.outputs.norm() - 1.0).abs() < 1e-10);
            let error = error(&experiment, pair.value, pair.inputs.as_slice(), pair.outputs.as_slice());
            prop_assert!(within("top_pair.drawn", "J v = s u", error, 1e-8), "{method:?}: {error:e}");
            prop_assert_eq!(measuring.images(), forward(&experiment).output());
        }
    }
}

#[test]
fn gathered_tokens_have_the_pair_and_the_images_of_their_list() {
    let config = Config { cases: 200, failure_persistence: None, ..Config::default() };
    let n_pairs = Cell::new(0);
    let outcome = TestRunner::new(config).run(&repeated(&["none", "causal"]), |case| {
        let experiment = case.as_list();
        let gathered = MeasureOptions { svd_limit: 0, ..MeasureOptions::default() };
        let (measuring, measurement) = finished(&experiment, gathered);
        let method = measurement.method;
        prop_assert!(matches!(method, Method::Clusters | Method::CausalRuns), "{method:?}");
        let (images, expected) = (measuring.images(), forward(&experiment).output());
        let allowed = 1e-9 * expected.amax().max(1e-300);
        prop_assert!(within("top_pair.gathered", "images", (&images - &expected).amax(), allowed));
        let Some(pair) = measuring.singular_pair() else {
            // The largest change may move the tokens of one cluster in different directions. Such a pair is not drawn.
            let spectral = measurement.spectral;
            prop_assert!(method == Method::Clusters || spectral == 0.0, "{method:?}: no pair for {spectral}");
            return Ok(());
        };
        n_pairs.set(n_pairs.get() + 1);
        let deviation = (pair.value / measurement.spectral - 1.0).abs();
        prop_assert!(within("top_pair.gathered", "value", deviation, 1e-9), "{deviation:e}");
        let error = error(&experiment, pair.value, pair.inputs.as_slice(), pair.outputs.as_slice());
        prop_assert!(within("top_pair.gathered", "J v = s u", error, 1e-8), "{method:?}: {error:e}");
        Ok(())
    });
    outcome.unwrap_or_else(|problem| panic!("{problem}"));
    assert!(n_pairs.get() > 150, "only {} cases have a pair", n_pairs.get());
}

#[test]
fn the_pair_of_a_token_measure_has_one_column_per_position() {
    let positions = [[1.0, 0.5], [-1.5, 0.2], [0.1, -2.0]];
    let sizes = [1.0, 30.0, 4.0];
    let weights = json!({"source": "random", "heads": 2, "head_dim": 1, "seed": 5});
    let logs: Vec<f64> = sizes.iter().map(|size: &f64| size.ln()).collect();
    let measure = json!({"tokens": {"source": "clusters", "positions": positions, "log_multiplicities": logs}, "weights": weights});
    let rows: Vec<[f64; 2]> = positions.iter().zip(sizes).flat_map(|(row, size)| vec![*row; size as usize]).collect();
    let list = json!({"tokens": {"source": "explicit", "rows": rows}, "weights": weights});
    let [measure, list] = [measure, list].map(|value| Experiment::from_value(value).expect("valid"));
    let pair_of = |experiment: &Experiment| {
        let options = MeasureOptions { grouping: Grouping::Never, ..MeasureOptions::default() };
        top_pair(&finished(experiment, options).0).expect("a pair")
    };
    let (few, all) = (pair_of(&measure), pair_of(&list));
    let token_of = |at: usize| sizes[..at].iter().sum::<f64>() as usize;
    let close = |few: &Rows, all: &Rows| {
        for (at, row) in few.iter().enumerate() {
            let one = all.iter().nth(token_of(at)).expect("a token");
            assert!(row.iter().zip(one).all(|(x, y)| (x - y).abs() < 1e-9), "{row:?} for {one:?}");
        }
    };
    close(&few.inputs, &all.inputs);
    let (few, all) = (few.outputs.expect("d_out = d"), all.outputs.expect("d_out = d"));
    close(&few.directions, &all.directions);
    close(&few.images, &all.images);
}

fn pair_of(value: serde_json::Value) -> Option<TopPair> {
    let experiment = Experiment::from_value(value).expect("valid");
    top_pair(&finished(&experiment, MeasureOptions::default()).0)
}

#[test]
fn the_sign_follows_the_first_largest_entry_or_the_previous_pair() {
    let pair = pair_of(json!({
        "tokens": {"source": "random", "n": 20, "d": 2, "seed": 3}, "weights": {"source": "identity", "sign": -1},
    }))
    .expect("a pair");
    let entries = pair.inputs.entries();
    let largest = entries.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    assert!(entries.contains(&largest), "the largest entry is negative");
    let turned = |rows: &Rows| Rows::new("", 2, rows.entries().iter().map(|x| -x).collect()).expect("finite");
    let mut before = pair.clone();
    before.inputs = turned(&pair.inputs);
    let aligned = pair.clone().aligned_with(&before);
    assert_eq!(aligned.inputs, before.inputs);
    let (found, first) = (aligned.outputs.expect("in the plane"), pair.outputs.clone().expect("in the plane"));
    assert_eq!((found.directions, found.images), (turned(&first.directions), first.images));
    assert_eq!(pair.clone().aligned_with(&pair), pair);
}

#[test]
fn pairs_that_cannot_be_drawn_are_absent() {
    let random = |heads: usize, normalization: &str, scope: &str, n: usize| {
        pair_of(json!({
            "normalization": normalization, "normalization_scope": scope,
            "tokens": {"source": "random", "n": n, "d": 4}, "weights": {"source": "random", "heads": heads, "head_dim": 4},
        }))
    };
    assert!(random(1, "none", "inputs", 12).is_some_and(|pair| pair.outputs.is_some()));
    assert!(random(2, "none", "inputs", 12).is_some_and(|pair| pair.outputs.is_none()), "eight numbers among four");
    assert!(random(1, "layer", "composed", 12).is_some());
    assert!(random(1, "layer", "inputs", 12).is_none(), "v is a change of the normalised tokens");
    assert!(random(1, "none", "inputs", 257).is_none());
    let zero = json!({"tokens": {"source": "explicit", "rows": [[1], [2]]}, "weights": {"source": "explicit", "heads": [{"q": [[1]], "k": [[1]], "v": [[0]]}]}});
    assert!(pair_of(zero).is_none());
}

#[test]
fn computing_the_pair_does_not_change_the_measurement() {
    let experiment = Experiment::from_value(json!({
        "tokens": {"source": "random", "n": 64, "d": 2}, "weights": {"source": "identity", "sign": -1},
    }))
    .expect("valid");
    let (measuring, measurement) = finished(&experiment, MeasureOptions::default());
    let pair = top_pair(&measuring).expect("a pair");
    assert_eq!(measurement, measure_with(&experiment, MeasureOptions::default()).expect("measured"));
    assert!((pair.sigma / measurement.spectral - 1.0).abs() < 1e-12);
    let v: DMatrix<f64> = DMatrix::from_column_slice(2, 64, pair.inputs.entries());
    assert!((v.norm() - 1.0).abs() < 1e-12);
}
