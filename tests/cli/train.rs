//! Tests of `lipscope train` as a user runs it.

use std::fs;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use lipscope_run::{Kind, Row, Run};
use lipscope_testkit::in_repository;

/// Small models of two kinds over a page about attention.
const SMALL: [&str; 13] = [
    "train",
    "--text",
    "assets/attention.txt",
    "--attention",
    "l2,invertible",
    "--width",
    "8",
    "--heads",
    "2",
    "--context",
    "8",
    "--batch",
    "2",
];
/// Sixteen measured steps.
const SHORT: [&str; 4] = ["--steps", "60", "--every", "4"];
/// Enough rows that ten kills hit running runs, even on a machine that is slow to notice a line.
const LONG: [&str; 4] = ["--steps", "400", "--every", "4"];
/// The folders of the runs of [`SMALL`].
const RUNS: [&str; 2] = ["invertible-2-seed0", "l2-2-seed0"];

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository("."));
    command.args(arguments);
    command
}

/// Runs to the end; returns the text on standard error.
fn train(out: &Path, more: &[&str]) -> String {
    train_for(&SHORT, out, more)
}

fn train_for(length: &[&str], out: &Path, more: &[&str]) -> String {
    let out = out.display().to_string();
    let assert = lipscope(&[&SMALL[..], length, &["-o", &out], more].concat()).assert().success();
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

fn problem(arguments: &[&str]) -> String {
    String::from_utf8_lossy(&lipscope(arguments).assert().code(1).get_output().stderr).into_owned()
}

/// The log of a run.
fn log(run: &Path) -> Run {
    Run::parse(&fs::read_to_string(run.join("run.jsonl")).expect("a log")).expect("rows")
}

/// The rows of a run without the seconds, and its weights.
fn digits(out: &Path, run: &str) -> (Vec<Row>, Vec<u8>) {
    let mut rows = log(&out.join(run)).rows().to_vec();
    for row in &mut rows {
        assert!(row.further.remove("seconds").is_some_and(|seconds| seconds.is_some()), "{row:?}");
    }
    (rows, fs::read(out.join(run).join("model.safetensors")).expect("weights"))
}

/// Lines of the logs of both runs.
fn lines(out: &Path) -> usize {
    let count = |run: &&str| fs::read_to_string(out.join(run).join("run.jsonl")).map_or(0, |log| log.lines().count());
    RUNS.iter().map(count).sum()
}

/// Starts the runs and ends them by SIGKILL when their logs get another line.
///
/// # Panics
/// If the runs were done before.
fn kill_after_a_line(out: &Path) {
    let n_lines = lines(out);
    let mut child: Child = Process::new(assert_cmd::cargo::cargo_bin!("lipscope"))
        .current_dir(in_repository("."))
        .args(SMALL)
        .args(LONG)
        .args(["-o", &out.display().to_string()])
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    while lines(out) <= n_lines {
        assert!(child.try_wait().expect("a process").is_none(), "the runs were done before they could be ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it can be ended");
    let ended = child.wait().expect("it ends");
    assert!(!ended.success(), "the runs were done before they could be ended");
}

#[test]
fn a_run_ended_by_sigkill_ten_times_ends_with_the_digits_of_an_untouched_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
    train_for(&LONG, &whole, &[]);
    for _ in 0..10 {
        kill_after_a_line(&part);
    }
    train_for(&LONG, &part, &[]);
    for run in RUNS {
        let (found, expected) = (digits(&part, run), digits(&whole, run));
        assert_eq!(found.0, expected.0, "{run}");
        assert!(found.1 == expected.1, "{run}: other weights");
        // The untrained model, and a row of each of two layers for every four steps.
        assert_eq!(found.0.len(), 2 * (1 + 400 / 4));
        let left: Vec<_> =
            fs::read_dir(part.join(run)).expect("a folder").flatten().map(|file| file.file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
    }
    // A repeated run has nothing to do.
    let before = lines(&part);
    train_for(&LONG, &part, &[]);
    assert_eq!(lines(&part), before);
}

#[test]
fn shards_and_threads_change_no_digit() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, shards) = (folder.path().join("whole"), folder.path().join("shards"));
    let said = train(&whole, &["--threads", "1"]);
    assert!(said.contains("l2-2-seed0: held-out loss ") && said.contains("after 60 steps"), "{said}");
    for shard in ["0/2", "1/2"] {
        train(&shards, &["--shard", shard]);
    }
    for run in RUNS {
        assert!(digits(&whole, run) == digits(&shards, run), "{run}");
    }
    let config = fs::read_to_string(whole.join("l2-2-seed0/config.json")).expect("a config");
    assert!(config.contains("\"model_type\": \"lipscope\"") && config.contains("\"kind\": \"l2\""), "{config}");
}

#[test]
fn the_rows_of_a_run_are_those_of_a_monitor_with_its_losses_and_bounds() {
    let folder = tempfile::tempdir().expect("a folder");
    train(folder.path(), &[]);
    for run in RUNS {
        let log = log(&folder.path().join(run));
        let header = log.header().expect("a first line");
        assert_eq!((header.model.as_str(), header.every), (run, Some(4)));
        assert_eq!((log.maps(), log.steps().len()), (vec!["attention"], 16));
        let places: Vec<String> = log.places("attention").iter().map(ToString::to_string).collect();
        assert_eq!(places, ["h.0", "h.1"]);
        let losses = log.per_step("loss").expect("one loss a step");
        // The untrained model has no training loss, and a held-out one.
        assert_eq!((losses.len(), losses[0].0, log.per_step("held_out").map(|all| all.len())), (15, 4, Some(16)));
        for row in log.rows() {
            let [value, residual, bound] = ["value", "residual", "bound"].map(|name| row.number(name).expect("found"));
            assert!(value > 0.0 && value <= bound && residual < 1e-5, "{row:?}");
            assert!(row.steps.is_some_and(|steps| steps > 0) && row.part.as_deref() == Some("attn"), "{row:?}");
            assert_eq!(row.kind, if residual <= 1e-9 { Kind::Exact } else { Kind::LowerBound }, "{row:?}");
            assert_eq!(row.number("linf_bound"), run.starts_with("invertible").then_some(0.9), "{row:?}");
        }
    }
}

#[test]
fn an_invertible_model_gives_back_every_character() {
    let folder = tempfile::tempdir().expect("a folder");
    train(folder.path(), &[]);
    let run = folder.path().join(RUNS[0]).display().to_string();
    let assert = lipscope(&["train", "--invert", &run, "--text", "assets/attention.txt"]).assert().success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        said.contains("layer 1 mlp: 20 of 20 windows converged") && said.contains("(at most 0.9 promised)"),
        "{said}"
    );
    assert!(said.contains("160 of 160 characters recovered; largest error of an embedding "), "{said}");
    let table = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(table.starts_with("window,layer,branch,c,iteration,error,residual,outcome\n0,1,mlp,0.9,0,"), "{table}");
    let one = ["train", "--invert", &run, "--text", "assets/attention.txt", "--windows", "1", "--json"];
    let assert = lipscope(&one).assert().success();
    let document: serde_json::Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), table.lines().filter(|line| line.starts_with("0,")).count());
    assert_eq!((rows[0]["branch"].as_str(), rows[0]["c"].as_f64()), (Some("mlp"), Some(0.9)));
}

/// The whole chain: the norm that training writes equals the norm of `lipscope model` on the files it leaves.
#[test]
fn a_trained_model_without_other_steps_is_opened_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    train(folder.path(), &["--attention", "dot,l2_tied,contractive"]);
    train(folder.path(), &["--attention", "dot", "--norm", "none", "--seed", "3"]);
    let text: Vec<char> = fs::read_to_string(in_repository("assets/attention.txt")).expect("a text").chars().collect();
    let window: String = text[text.len() - text.len() / 10..][..8].iter().collect();
    fs::write(folder.path().join("window.txt"), &window).expect("written");
    let window = folder.path().join("window.txt").display().to_string();
    let column = |text: &str, line: usize, name: &str| -> f64 {
        let place = text.lines().next().and_then(|header| header.split(',').position(|other| other == name));
        let line = text.lines().nth(line).expect("a line");
        line.split(',').nth(place.expect("a column")).and_then(|value| value.parse().ok()).expect("a number")
    };
    let runs =
        ["dot-2-seed0", "dot-2-seed3", "l2-2-seed0", "l2_tied-2-seed0", "contractive-2-seed0", "invertible-2-seed0"];
    for run in runs {
        let run = folder.path().join(run);
        let weights = run.display().to_string();
        let measured = ["model", "--weights", &weights, "--text", &window, "-n", "8", "--windows", "1"];
        let all = ["--layers", "0,1", "--map", "with-output", "--tolerance", "1e-8"];
        let assert = lipscope(&[&measured[..], &all].concat()).assert().success();
        let csv = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
        let log = log(&run);
        let norms = log.grid("attention", "value");
        for layer in 0..2 {
            let found = column(&csv, 1 + layer, "spectral");
            let expected = norms.at(layer, norms.steps.len() - 1).expect("a norm");
            let error = (found - expected).abs();
            assert!(error < 1e-6 * expected, "{weights}, layer {layer}: {found} against {expected}\n{csv}");
        }
    }
}

/// Read as plain attention, these files would give a wrong number.
#[test]
fn a_trained_model_with_a_step_of_attention_is_refused_by_the_name_of_its_field() {
    let folder = tempfile::tempdir().expect("a folder");
    train(folder.path(), &["--attention", "qk_norm,softcap,sigmoid,rope"]);
    for (kind, field) in [
        ("qk_norm", "`score` = {\"qk_norm\":"),
        ("softcap", "`score` = {\"softcap\":5.0}"),
        ("sigmoid", "`weighting` = {\"bias\":-2.0794415416798357,\"kind\":\"sigmoid\"}"),
        ("rope", "`score` = {\"rope\":"),
    ] {
        let run = folder.path().join(format!("{kind}-2-seed0"));
        let config = fs::read_to_string(run.join("config.json")).expect("a config");
        let config: serde_json::Value = serde_json::from_str(&config).expect("JSON");
        assert_eq!((&config["model_type"], &config["attention"]), (&"lipscope".into(), &"dot".into()), "{kind}");
        let said = problem(&["model", "--weights", &run.display().to_string(), "--text", "assets/attention.txt"]);
        assert!(said.contains(field) && said.contains("is not supported"), "{kind}: {said}");
    }
}

#[test]
fn an_l2_model_has_no_adversarial_tokens() {
    let folder = tempfile::tempdir().expect("a folder");
    train(folder.path(), &[]);
    let run = folder.path().join("l2-2-seed0").display().to_string();
    let said = problem(&["model", "--weights", &run, "--adversarial", "10", "--head", "0", "-n", "8"]);
    assert!(said.contains("are those of dot-product attention, and this model has L2"), "{said}");
}

#[test]
fn the_runs_of_a_folder_are_reported_as_a_table_and_a_chart() {
    let folder = tempfile::tempdir().expect("a folder");
    train(folder.path(), &[]);
    let (runs, svg) = (folder.path().display().to_string(), folder.path().join("loss.svg"));
    let assert = lipscope(&["train", "--report", &runs, "--svg", &svg.display().to_string()]).assert().success();
    let table = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert!(lines[2].starts_with("| `l2-2-seed0` | 60 | ") && lines[3].starts_with("| `invertible-2-seed0` | 60 | "));
    let columns = |line: &str| line.split(" | ").count();
    assert!(lines.iter().all(|line| columns(line) == columns(lines[0])), "{table}");
    let svg = fs::read_to_string(svg).expect("a chart");
    assert!(svg.starts_with("<svg") && svg.contains("l2, 2 blocks"), "{}", &svg[..200.min(svg.len())]);
    let said = problem(&["train", "--report", "assets"]);
    assert!(said.contains("it holds no run"), "{said}");
}

#[test]
fn what_cannot_be_trained_is_said_with_the_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let small = |more: &[&str]| problem(&[&SMALL[..], &SHORT, &["-o", &out], more].concat());
    assert!(small(&["--c", "1"]).contains("`c` is 1, but it must be a number above 0 and below 1."));
    assert!(small(&["--blocks", "0"]).contains("`blocks` is 0"));
    assert!(!folder.path().join(RUNS[0]).exists(), "a plan that does not fit left a folder");
    train(folder.path(), &[]);
    let said = small(&["--learning-rate", "0.01"]);
    assert!(said.contains("holds a run with other settings") && said.contains("another folder with --out"), "{said}");
    let said = problem(&["train", "--invert", &out, "--text", "assets/attention.txt"]);
    assert!(said.contains("it has no checkpoint.bin"), "{said}");
    let run = folder.path().join(RUNS[0]).display().to_string();
    let said = problem(&["train", "--invert", &run, "--text", "README.md"]);
    assert!(said.contains("it belongs to another text"), "{said}");
}
