//! The command line as a person meets it.

use assert_cmd::Command;
use serde_json::Value;

fn lipscope() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("lipscope"))
}

const GOOD: &str =
    r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#;

#[test]
fn measures_one_experiment_from_standard_input() {
    let output = lipscope().args(["measure", "-"]).write_stdin(GOOD).assert().success().get_output().stdout.clone();
    let result: Value = serde_json::from_slice(&output).expect("one JSON object");
    assert_eq!(result["method"], "dense_svd");
    assert_eq!(result["n"], 3);
    assert_eq!(result["bounds"][0]["id"], "castin_general");
    assert_eq!(result["singular_values"].as_array().map(Vec::len), Some(3));
}

#[test]
fn answers_json_lines_in_order_and_goes_on_after_a_broken_line() {
    let lines = format!("{GOOD}\n{{\"tokens\":{{\"source\":\"random\",\"m\":3}}}}\n\n{GOOD}\n");
    let assert = lipscope().arg("measure").write_stdin(lines).assert().code(1);
    let output = assert.get_output();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(problem.starts_with("line 2:") && problem.contains("`tokens.m`"), "{problem}");
}

#[test]
fn a_pretty_printed_file_is_one_experiment() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("experiment.json");
    let value: Value = serde_json::from_str(GOOD).expect("JSON");
    std::fs::write(&file, serde_json::to_string_pretty(&value).expect("JSON")).expect("written");
    let output = lipscope().arg("measure").arg(&file).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8_lossy(&output).lines().count(), 1);
    std::fs::write(&file, "{\n\"tokens\": [,\n}").expect("written");
    let problem = lipscope().arg("measure").arg(&file).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("line 2"), "{}", String::from_utf8_lossy(&problem));
}

#[test]
fn a_missing_file_is_named() {
    let problem = lipscope().args(["measure", "nowhere.json"]).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("nowhere.json"));
}

const RANDOM: &str = r#"{"tokens":{"source":"random","law":"ball","n":9,"d":2,"radius":2,"seed":5},"weights":{"source":"random","head_dim":2}}"#;

#[test]
fn a_sweep_is_the_same_on_one_thread_and_on_all() {
    let sweep = |threads: &str| {
        let arguments = ["sweep", "-n", "2,8,32", "--draws", "3", "--threads", threads];
        lipscope().args(arguments).write_stdin(RANDOM).assert().success().get_output().stdout.clone()
    };
    let table = sweep("1");
    assert_eq!(table, sweep("0"));
    let text = String::from_utf8_lossy(&table);
    assert_eq!(text.lines().count(), 1 + 9);
    assert!(text.starts_with("n,draw,spectral,"), "{text}");
}

#[test]
fn every_point_of_a_sweep_can_be_measured_again() {
    let arguments = ["sweep", "-n", "16", "--draws", "2", "--format", "json"];
    let output = lipscope().args(arguments).write_stdin(RANDOM).assert().success().get_output().stdout.clone();
    let sweep: Value = serde_json::from_slice(&output).expect("JSON");
    // Draw 1 is the experiment with the seed one higher.
    let again = RANDOM.replace("\"seed\":5", "\"seed\":6").replace("\"n\":9", "\"n\":16");
    let output = lipscope().arg("measure").write_stdin(again).assert().success().get_output().stdout.clone();
    let measured: Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(sweep["points"][1]["spectral"], measured["spectral"]);
}

#[test]
fn a_sweep_with_wrong_lengths_says_what_is_accepted() {
    let problem =
        lipscope().args(["sweep", "-n", "2:8"]).write_stdin(RANDOM).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&problem).contains("first:last:step"));
}
