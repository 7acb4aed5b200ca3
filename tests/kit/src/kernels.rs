//! Reference cases of attention with steps: rotary positions, caps, sinks, windows and others, alone and combined.

use lipscope_core::experiment::Experiment;
use serde_json::{Value, json};

use crate::reference::{GoldenCase, assert_close};

/// Reference values in float64, from a dense autograd Jacobian and its SVD.
pub const GOLDEN: &str = include_str!("../../golden/kernels.json");

/// All reference cases.
pub fn kernel_cases() -> Vec<GoldenCase> {
    let golden: Value = serde_json::from_str(GOLDEN).expect("the reference file is JSON");
    golden["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(|case| {
            let mut case = case.clone();
            list_keys(&mut case);
            let mut weights = json!({"source": "explicit", "heads": case["heads"]});
            for key in ["output", "kv_heads"] {
                if let Some(value) = case.get(key).filter(|value| !value.is_null()) {
                    weights[key] = value.clone();
                }
            }
            let experiment = Experiment::from_value(json!({
                "attention": case["attention"], "mask": case["mask"], "normalization": case["normalization"],
                "normalization_scope": case["normalization_scope"], "eps": case["eps"], "score": case["score"],
                "weighting": case["weighting"],
                "tokens": {"source": "explicit", "rows": case["tokens"]}, "weights": weights,
            }))
            .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
            GoldenCase {
                name: format!("{} {}", case["name"], case["variant"]),
                attention: case["attention"].as_str().unwrap_or_default().into(),
                experiment,
                expected: case["expected"].clone(),
            }
        })
        .collect()
}

/// Lists keys and values in every head, where heads that share them have second keys of their own: files put second
/// keys beside the keys.
fn list_keys(case: &mut Value) {
    let shared = case.get("kv_heads").and_then(Value::as_array).cloned().unwrap_or_default();
    let heads = case["heads"].as_array_mut().expect("heads");
    if shared.is_empty() || heads.iter().all(|head| head.get("k2").is_none()) {
        return;
    }
    for head in heads {
        let group = &shared[head["kv"].as_u64().expect("an index") as usize];
        (head["k"], head["v"]) = (group["k"].clone(), group["v"].clone());
        head.as_object_mut().expect("a head").remove("kv");
    }
    case["kv_heads"] = Value::Null;
}

/// Compares outputs, norms and singular values of the reference cases to 1e-9, by a dense decomposition and by an
/// iteration; returns their number.
pub fn check_kernel_norms() -> usize {
    use lipscope_core::attention::Forward;
    use lipscope_core::measure::{Detail, MeasureOptions, Method, measure_with};
    let cases = kernel_cases();
    for case in &cases {
        let inputs = lipscope_core::weights::inputs(&case.experiment).expect("inputs");
        let output = Forward::<f64>::new(&case.experiment, &inputs).expect("forward").output();
        let scale = output.amax();
        for (token_idx, row) in case.expected["output"].as_array().expect("rows").iter().enumerate() {
            for (entry, value) in row.as_array().expect("a row").iter().enumerate() {
                let what = format!("{} output[{token_idx}][{entry}]", case.name);
                assert_close(&what, output[(entry, token_idx)], value.as_f64().expect("a number"), 1e-9, scale);
            }
        }
        let expected = |key: &str| case.expected[key].as_f64().expect("a number");
        let exact = MeasureOptions { svd_limit: 4096, detail: Detail::Norms, ..MeasureOptions::default() };
        let iterated = MeasureOptions { svd_limit: 0, detail: Detail::Norms, ..MeasureOptions::default() };
        for (options, method) in [(exact, Method::DenseSvd), (iterated, Method::Lanczos)] {
            let found = measure_with(&case.experiment, options).expect("measured");
            assert_eq!(found.method, method);
            let what = |norm: &str| format!("{} {norm} by {method:?}", case.name);
            let dense = found.dense.expect("a small Jacobian");
            for (key, value) in
                [("spectral", found.spectral), ("frobenius", dense.frobenius), ("linf", dense.linf), ("l1", dense.l1)]
            {
                assert_close(&what(key), value, expected(key), 1e-9, expected(key));
            }
            if let Some(values) = found.singular_values {
                for (found, value) in values.iter().zip(case.expected["singular_values"].as_array().expect("a list")) {
                    let value = value.as_f64().expect("a number");
                    assert_close(&what("singular value"), *found, value, 1e-9, expected("spectral"));
                }
            }
        }
    }
    cases.len()
}
