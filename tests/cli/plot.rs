//! `lipscope plot` as a user runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lipscope_testkit::in_repository;
use lipscope_testkit::pictures::texts;

fn plot(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.arg("plot").args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("it runs")
}

/// A folder with the example of a run.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(in_repository("assets/run.jsonl"), folder.path().join("run.jsonl")).expect("copied");
    let path = folder.path().to_path_buf();
    (folder, path)
}

/// The texts of the figure that these options draw.
fn figure(options: &[&str]) -> Vec<String> {
    let (_kept, folder) = folder();
    let output = plot(&[&["run.jsonl", "-o", "run.svg"], options].concat(), &folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "nothing but the figure was asked for");
    texts(&fs::read_to_string(folder.join("run.svg")).expect("a figure"))
}

#[track_caller]
fn assert_has(texts: &[String], wanted: &[&str]) {
    for text in wanted {
        assert!(texts.iter().any(|found| found == text), "{text:?} is not in {texts:?}");
    }
}

#[test]
fn the_figure_has_the_loss_over_the_layers_and_further_columns() {
    let plain = figure(&[]);
    assert_has(&plain, &["loss", "layer", "L (block)", "blocks.0", "blocks.3", "step", "600"]);
    assert!(!plain.iter().any(|text| text == "max_logit"), "{plain:?}");
    let more = figure(&["--columns", "max_logit,entropy_mean", "--layer", "blocks.2"]);
    assert_has(&more, &["max_logit", "entropy_mean"]);
    assert!(more.iter().filter(|text| *text == "blocks.2").count() >= 3, "the chosen layer names its lines: {more:?}");
    assert_has(&figure(&["--map", "attention", "--column", "sink"]), &["sink (attention)"]);
}

#[test]
fn a_column_with_one_number_a_step_has_one_line() {
    let texts = figure(&["--columns", "loss"]);
    assert_eq!(texts.iter().filter(|text| *text == "loss").count(), 2, "{texts:?}");
}

#[test]
fn a_table_is_written_where_it_is_asked_for() {
    let (_kept, folder) = folder();
    let written = |arguments: &[&str]| String::from_utf8(plot(arguments, &folder).stdout).expect("text");
    let csv = written(&["run.jsonl"]);
    let header = "step,layer,item,call,map,kind,steps,value,residual,condition,output,max_logit,entropy_mean,entropy_min,sink,a_norm,vo_norm,loss,problem";
    assert_eq!(csv.lines().next(), Some(header));
    assert_eq!(csv.lines().count(), 1 + 21 * 4 * 2);
    assert_eq!(written(&["run.jsonl", "-o", "run.svg", "--csv"]), csv);
    assert!(written(&["run.jsonl", "--json"]).starts_with("{\"rows\":[\n{\"step\":0,\"layer\":\"blocks.0\""));
}

#[test]
fn a_log_on_standard_input_is_read() {
    let (_kept, folder) = folder();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    let log = fs::File::open(folder.join("run.jsonl")).expect("a log");
    let output = command.args(["plot", "-"]).stdin(log).output().expect("it runs");
    assert!(output.status.success() && output.stdout.len() > 1000);
}

#[test]
fn what_the_log_does_not_have_is_named() {
    let (_kept, folder) = folder();
    fs::write(folder.join("bad.jsonl"), "{\"step\":0,\"layer\":\"h\",\"map\":\"block\",\"value\":\"a\"}\n")
        .expect("written");
    fs::write(folder.join("empty.jsonl"), "").expect("written");
    for (arguments, expected) in [
        (&["run.jsonl", "--map", "mlp"][..], "`--map` is mlp, but it must be one of attention, block."),
        (
            &["run.jsonl", "--column", "sink"],
            "`--column` is sink, but it must be one of value, residual, condition, output, loss.",
        ),
        (&["run.jsonl", "--columns", "a"], "`--columns` is a, but it must be one of condition, entropy_mean, "),
        (
            &["run.jsonl", "--layer", "x"],
            "`--layer` is x, but it must be one of blocks.0, blocks.1, blocks.2, blocks.3.",
        ),
        (
            &["bad.jsonl"],
            "bad.jsonl cannot be read: in line 1, `value` is \"a\", but it must be a number that is at least 0, or null.",
        ),
        (&["empty.jsonl"], "empty.jsonl cannot be read: it has no rows of a run."),
        (&["nowhere.jsonl"], "nowhere.jsonl"),
    ] {
        let output = plot(arguments, &folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(expected), "{arguments:?}: {said}");
    }
}
