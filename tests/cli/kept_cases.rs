//! The kept files of public bug reports on the command line: each gives its right number, a question or a refusal.

use std::collections::BTreeMap;
use std::fs;

use assert_cmd::Command;
use lipscope_testkit::in_repository;
use serde_json::{Value, json};

/// Most of the files hold the same tokens. This is the norm at these tokens with A = I, from a dense Jacobian in NumPy.
const NORM: f64 = 1.8535198497850702;

fn values(path: &str) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(in_repository(path)).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// Standard output, or standard error if the exit status is a failure.
fn lipscope(arguments: &[&str]) -> Result<(String, String), String> {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    let output = command.current_dir(in_repository(".")).args(arguments).output().expect("it runs");
    let [out, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if output.status.success() {
        return Ok((out, told));
    }
    assert!(out.is_empty() && output.status.code() == Some(1), "{arguments:?}: {out} {told}");
    Err(told)
}

fn norm(out: &str) -> f64 {
    let found: Value = serde_json::from_str(out).expect("one line of JSON");
    found["spectral"].as_f64().expect("a norm")
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-9
}

#[test]
fn every_table_is_measured_asked_about_or_refused() {
    let cases = values("tests/data/cases/tables.json");
    for (name, case) in &cases {
        let path = format!("tests/data/cases/tables/{name}");
        let measured = |more: &[String]| {
            let more = more.iter().map(String::as_str);
            lipscope(&["measure", "--tokens", &path, "--identity", "1"].into_iter().chain(more).collect::<Vec<_>>())
        };
        if let Some(parts) = case["refused"].as_array() {
            let said = measured(&[]).expect_err(name);
            assert!(parts.iter().all(|part| said.contains(part.as_str().expect("words"))), "{name}: {said}");
            continue;
        }
        let answer: Vec<String> = match (case["asked"].as_str(), case["answer"].as_str()) {
            (Some(question), Some(answer)) => {
                let said = measured(&[]).expect_err(name);
                let option = format!("--{question} {answer}");
                assert!(said.contains("two ways") && said.contains(&option), "{name}: {said}");
                option.split(' ').map(str::to_string).collect()
            }
            _ => Vec::new(),
        };
        let (out, told) = measured(&answer).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        let rows = case["rows"].as_array().expect("rows");
        let shape = format!("read as {} tokens in {} dimension", rows.len(), rows[0].as_array().expect("a row").len());
        assert!(told.contains(&shape) && told.contains(case["told"].as_str().expect("words")), "{name}: {told}");
        let expected = if *rows == json!([[1, 2], [0.5, -1], [-0.25, 0.75]]).as_array().expect("rows")[..] {
            NORM
        } else {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("it.json");
            let weights = json!({"source": "identity", "sign": 1});
            let experiment = json!({"tokens": {"source": "explicit", "rows": rows}, "weights": weights});
            fs::write(&file, experiment.to_string()).expect("written");
            norm(&lipscope(&["measure", file.to_str().expect("a path")]).expect("an experiment").0)
        };
        assert!(near(norm(&out), expected), "{name}: {out}");
    }
}

#[test]
fn every_experiment_is_measured_or_refused() {
    for (name, expected) in values("tests/golden/cases.json") {
        let path = format!("tests/data/cases/experiments/{name}");
        let expected = expected.as_array().expect("a norm for each line");
        let answer = lipscope(&["measure", &path]);
        // Scores of 1e320 are outside the range of f64.
        let refusal = if name == "overflow_1e160.json" { "overflow" } else { "with eps = 0" };
        if expected[0].is_null() || name == "overflow_1e160.json" {
            let said = answer.expect_err(&name);
            assert!(said.contains(refusal), "{name}: {said}");
            continue;
        }
        let (out, _) = answer.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(out.lines().count(), expected.len(), "{name}");
        for (line, expected) in out.lines().zip(expected) {
            let expected = expected.as_f64().expect("a norm");
            // Where rounding is large enough, a warning in the line reports it.
            let most = if line.contains("Within rounding: relative error up to") { 1e-7 } else { 1e-12 };
            assert!((norm(line) - expected).abs() <= most * expected.max(1e-3), "{name}: {line} {expected}");
        }
    }
}

#[test]
fn every_model_is_measured_or_refused() {
    let values = values("tests/data/cases/model_values.json");
    let mut names: Vec<String> = fs::read_dir(in_repository("tests/data/cases/models"))
        .expect("folders")
        .map(|entry| entry.expect("a folder").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    let refused = ["bert_relative_key", "gpt2_bin_only", "roberta_as_bert"];
    // One model with and without a prefix of its tensors.
    let twins = ["roberta_", "roberta_roberta"];
    let measured = |name: &str, n: &str, layer: &str| {
        let model = format!("tests/data/cases/models/{name}");
        let text = format!("{model}/text.txt");
        let plan = ["model", "--weights", &model, "--text", &text, "-n", n, "--windows", "1", "--layers", layer];
        lipscope(&[&plan[..], &["--estimator", "spectral", "--tolerance", "1e-12", "--json"]].concat())
    };
    names.iter().for_each(|name| match values.get(name) {
        Some(expected) => {
            let size = |key: &str| expected[key].to_string();
            let (out, told) =
                measured(name, &size("n"), &size("layer")).unwrap_or_else(|problem| panic!("{name}: {problem}"));
            let found: Value = serde_json::from_str(&out).expect("JSON");
            let found = found["rows"][0]["spectral"].as_f64().expect("a norm");
            assert!(near(found, expected["spectral"].as_f64().expect("a norm")), "{name}: {found} {expected} {told}");
        }
        None if name == "gpt2_zero_row_eps0" => {}
        None if twins.contains(&name.as_str()) => {
            let norm = |name: &str| {
                let (out, told) = measured(name, "6", "1").unwrap_or_else(|problem| panic!("{name}: {problem}"));
                let found: Value = serde_json::from_str(&out).expect("JSON");
                assert!(told.contains("RoBERTa, 2 layers"), "{told}");
                found["rows"][0]["spectral"].as_f64().expect("a norm")
            };
            assert_eq!(norm(twins[0]), norm(twins[1]));
        }
        None => {
            let said = measured(name, "6", "1").expect_err(name);
            assert!(refused.contains(&name.as_str()) && !said.contains("must be"), "{name}: {said}");
        }
    });
    assert_eq!(values.len() + refused.len() + twins.len() + 1, names.len());
}
