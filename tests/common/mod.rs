//! What several test files share: the reference values and how to compare numbers.
#![allow(dead_code, reason = "each test file uses its part")]

use lipscope::experiment::Experiment;
use serde_json::{Value, json};

/// Reference values in float64: a dense autograd Jacobian and its SVD.
pub const GOLDEN: &str = include_str!("../golden/attention.json");

/// A reference case as an experiment, with what is expected of it.
pub struct GoldenCase {
    pub name: String,
    pub attention: String,
    pub experiment: Experiment,
    pub expected: Value,
}

/// All attention cases.
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

/// Fails unless two numbers agree to a tolerance relative to `scale`; prints both.
pub fn assert_close(what: &str, found: f64, expected: f64, tolerance: f64, scale: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= tolerance * scale.abs().max(f64::MIN_POSITIVE),
        "{what}: found {found:e}, expected {expected:e}, error {error:e}"
    );
}

/// The reference cases of both kernels, compared to 1e-9: used natively and in the browser.
pub fn check_golden_cases() -> usize {
    use lipscope::attention::Forward;
    use lipscope::measure::{MeasureOptions, Method, measure_with};
    let cases = golden_cases();
    for case in &cases {
        let inputs = lipscope::weights::inputs(&case.experiment).expect("inputs");
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
