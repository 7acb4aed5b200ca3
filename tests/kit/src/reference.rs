//! Reference values and numerical comparison, shared by several test files.

use lipscope_core::experiment::Experiment;
use serde_json::{Value, json};

/// Reference values in float64, from a dense autograd Jacobian and its SVD.
pub const GOLDEN: &str = include_str!("../../golden/attention.json");

/// A reference case as an experiment, with its expected results.
pub struct GoldenCase {
    pub name: String,
    pub attention: String,
    pub experiment: Experiment,
    pub expected: Value,
}

/// All reference cases with listed tokens.
pub fn golden_cases() -> Vec<GoldenCase> {
    let golden: Value = serde_json::from_str(GOLDEN).expect("the reference file is JSON");
    golden["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(|case| {
            let mut weights = json!({"source": "explicit", "heads": case["heads"]});
            if !case["output"].is_null() {
                weights["output"] = case["output"].clone();
            }
            let experiment = Experiment::from_value(json!({
                "attention": case["attention"], "mask": case["mask"], "normalization": case["normalization"],
                "normalization_scope": case["normalization_scope"], "eps": case["eps"],
                "tokens": {"source": "explicit", "rows": case["tokens"]}, "weights": weights,
            }))
            .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
            GoldenCase {
                name: case["name"].as_str().unwrap_or_default().into(),
                attention: case["attention"].as_str().unwrap_or_default().into(),
                experiment,
                expected: case["expected"].clone(),
            }
        })
        .collect()
}

/// An experiment of listed tokens of dimension 1 under identity weights.
pub fn line_experiment(tokens: &[f64], sign: f64, mask: &str) -> Experiment {
    let rows: Vec<Vec<f64>> = tokens.iter().map(|x| vec![*x]).collect();
    Experiment::from_value(json!({
        "mask": mask,
        "tokens": {"source": "explicit", "rows": rows},
        "weights": {"source": "identity", "sign": sign},
    }))
    .expect("a valid experiment")
}

/// Asserts that two numbers agree to a tolerance relative to `scale`; prints both otherwise.
pub fn assert_close(what: &str, found: f64, expected: f64, tolerance: f64, scale: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * scale.abs().max(f64::MIN_POSITIVE),
        "{what}: found {found:e}, expected {expected:e}, error {error:e}"
    );
}

/// Compares the reference cases of both kernels to 1e-9, natively and in the browser; returns their number.
pub fn check_golden_cases() -> usize {
    use lipscope_core::attention::Forward;
    use lipscope_core::measure::{MeasureOptions, Method, measure_with};
    let cases = golden_cases();
    for case in &cases {
        let inputs = lipscope_core::weights::inputs(&case.experiment).expect("inputs");
        let forward = Forward::<f64>::new(&case.experiment, &inputs).expect("forward");
        let output = forward.output();
        let expected = case.expected["output"].as_array().expect("rows");
        let scale = output.amax();
        for (token_idx, row) in expected.iter().enumerate() {
            for (entry, value) in row.as_array().expect("a row").iter().enumerate() {
                let what = format!("{} output[{token_idx}][{entry}]", case.name);
                assert_close(&what, output[(entry, token_idx)], value.as_f64().expect("a number"), 1e-9, scale);
            }
        }
        let expected = |key: &str| case.expected[key].as_f64().expect("a number");
        let exact = MeasureOptions { svd_limit: 4096, ..MeasureOptions::default() };
        let iterated = MeasureOptions { svd_limit: 0, ..MeasureOptions::default() };
        for (options, method) in [(exact, Method::DenseSvd), (iterated, Method::Lanczos)] {
            let found = measure_with(&case.experiment, options).expect("measured");
            assert_eq!(found.method, method);
            let what = |norm: &str| format!("{} {norm} by {method:?}", case.name);
            assert_close(&what("spectral"), found.spectral, expected("spectral"), 1e-9, expected("spectral"));
            let dense = found.dense.expect("a small Jacobian");
            assert_close(&what("frobenius"), dense.frobenius, expected("frobenius"), 1e-9, expected("frobenius"));
            assert_close(&what("linf"), dense.linf, expected("linf"), 1e-9, expected("linf"));
            assert_close(&what("l1"), dense.l1, expected("l1"), 1e-9, expected("l1"));
            if let Some(values) = found.singular_values {
                let list = case.expected["singular_values"].as_array().expect("a list");
                for (rank, value) in list.iter().enumerate() {
                    let value = value.as_f64().expect("a number");
                    assert_close(&what("singular value"), values[rank], value, 1e-9, expected("spectral"));
                }
            }
        }
    }
    cases.len()
}

/// Compares the reference cases of token measures to 1e-9, natively and in the browser; returns their number.
pub fn check_golden_clusters() -> usize {
    use lipscope_core::measure::{Method, measure};
    let golden: Value = serde_json::from_str(GOLDEN).expect("the reference file is JSON");
    let cases = golden["clusters"].as_array().expect("cases").clone();
    for case in &cases {
        let experiment = Experiment::from_value(json!({
            "tokens": {"source": "clusters", "positions": case["positions"], "log_multiplicities": case["log_multiplicities"]},
            "weights": {"source": "explicit", "heads": [{"q": case["q"], "k": case["k"], "v": case["v"]}]},
        }))
        .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
        let found = measure(&experiment).unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
        assert_eq!(found.method, Method::Clusters);
        let expected = case["expected"]["spectral"].as_f64().expect("a number");
        assert_close(&format!("{} spectral", case["name"]), found.spectral, expected, 1e-9, expected);
    }
    cases.len()
}

/// An experiment of one token at -R and n - 1 at R under A = -1.
pub fn opposed_clusters(radius: f64, n: f64) -> Experiment {
    Experiment::from_value(json!({
        "tokens": {"source": "clusters", "positions": [[-radius], [radius]], "log_multiplicities": [0.0, (n - 1.0).ln()]},
        "weights": {"source": "identity", "sign": -1},
    }))
    .expect("a valid experiment")
}

/// Compares exact norms and bounds at one token against n - 1 with tables that were made outside this crate, to the
/// digits shown.
pub fn check_cluster_tables() {
    use lipscope_core::bounds::{
        ADVERSARIAL, ADVERSARIAL_ENVELOPE, BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, LOCAL, UNIFIED, UNIFIED_MASKED,
    };
    use lipscope_core::measure::measure;
    let table = [
        (2.0, 101.0, 12.2091, 140.51, 38752.5, 44.7587, 12.19),
        (2.0, 4096.0, 151.862, 893.738, 38752.5, 175.273, 151.8),
        (2.0, 10001.0, 164.526, 1396.51, 38752.5, 201.593, 165.8),
        (2.0, 1e9, 1.31134, 441_588.0, 38752.5, 229.114, 165.8),
        (3.0, 1e8 + 1.0, 47029.9, 312_250.0, 1.83848e9, 57018.7, 4.703e4),
        (3.0, 1e9, 34859.0, 987_421.0, 1.83848e9, 71089.1, 5.09e4),
        (3.0, 1e20, 1.00775, 3.1225e11, 1.83848e9, 73385.5, 5.09e4),
    ];
    for (radius, n, spectral, general, mean_field, unified, envelope) in table {
        let found = measure(&opposed_clusters(radius, n)).expect("measured");
        let bound =
            |id: BoundId| found.bounds.iter().find(|bound| bound.id == id).and_then(|b| b.value).expect("it applies");
        // The tables print six digits, but only three or four of the envelope.
        for (what, found, expected, tolerance) in [
            ("spectral", found.spectral, spectral, 6e-6),
            ("castin_general", bound(&CASTIN_GENERAL), general, 6e-6),
            ("castin_mean_field", bound(&CASTIN_MEAN_FIELD), mean_field, 6e-6),
            ("unified", bound(&UNIFIED), unified, 6e-6),
            ("envelope", bound(&ADVERSARIAL_ENVELOPE), envelope, 4e-4),
        ] {
            assert_close(&format!("R={radius} n={n} {what}"), found, expected, tolerance, expected);
        }
    }
    for (n, lower, upper) in
        [(10.0, 3.0351, 17.0286), (100.0, 11.0819, 44.8948), (1000.0, 57.0834, 125.0853), (10000.0, 213.355, 277.063)]
    {
        let experiment = Experiment::from_value(json!({
            "mask": "causal", "tokens": {"source": "adversarial", "n": n, "radius": 2},
            "weights": {"source": "identity", "sign": -1},
        }))
        .expect("a valid experiment");
        let found = measure(&experiment).expect("measured");
        let bound =
            |id: BoundId| found.bounds.iter().find(|bound| bound.id == id).and_then(|b| b.value).expect("it applies");
        assert_close(&format!("causal n={n} lower"), bound(&ADVERSARIAL), lower, 6e-6, lower);
        assert_close(&format!("causal n={n} upper"), bound(&UNIFIED_MASKED), upper, 6e-6, upper);
    }
    for (radius, local) in [(1.0, 3.2004), (2.0, 17.4269)] {
        let mut tokens = vec![radius; 100];
        tokens[0] = -radius;
        let found = measure(&line_experiment(&tokens, -1.0, "none")).expect("measured");
        let bound = found.bounds.iter().find(|bound| bound.id == &LOCAL).and_then(|b| b.value).expect("it applies");
        assert_close(&format!("R={radius} local"), bound, local, 1e-5, local);
    }
}

/// One token against 999,999 under the causal mask.
pub fn million_in_two_runs() -> Experiment {
    Experiment::from_value(json!({
        "mask": "causal", "tokens": {"source": "adversarial", "n": 1_000_000, "radius": 2},
        "weights": {"source": "identity", "sign": -1},
    }))
    .expect("a valid experiment")
}
