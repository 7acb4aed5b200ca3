//! Tests of `lipscope model --checkpoints` as a user runs it.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use lipscope_run::{Kind, Row, Run};
use lipscope_testkit::in_repository;
use serde_json::Value;

/// What is done to the bfloat16 numbers of a model.
enum Change {
    Kept,
    Doubled,
    /// The first one is no number.
    Broken,
}

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository("."));
    command.args(arguments);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The weights of the small GPT-2 of the tests, changed.
fn weights(change: &Change) -> Vec<u8> {
    let mut bytes = fs::read(in_repository("tests/data/models/gpt2/model.safetensors")).expect("a model");
    let header = u64::from_le_bytes(bytes[..8].try_into().expect("eight")) as usize;
    let numbers = &mut bytes[8 + header..];
    match change {
        Change::Kept => {}
        Change::Broken => numbers[..2].copy_from_slice(&0x7fc0u16.to_le_bytes()),
        Change::Doubled => {
            for number in numbers.as_chunks_mut::<2>().0 {
                let bits = u16::from_le_bytes(*number);
                // The exponent grows by one; a zero stays.
                *number = if bits & 0x7f80 == 0 { bits } else { bits + 0x80 }.to_le_bytes();
            }
        }
    }
    bytes
}

/// Copies the files of the small GPT-2 but its weights.
fn copy_config(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    for name in ["config.json", "vocab.json", "merges.txt"] {
        let from = in_repository(format!("tests/data/models/gpt2/{name}"));
        fs::copy(from, folder.join(name)).expect("a file");
    }
}

/// A run with a checkpoint as a file, and two as folders, one of which has another model's numbers.
fn run_folder(folder: &Path) {
    copy_config(folder);
    fs::write(folder.join("step_50.safetensors"), weights(&Change::Kept)).expect("a file");
    for (name, change) in [("checkpoint-200", Change::Kept), ("checkpoint-1000", Change::Doubled)] {
        copy_config(&folder.join(name));
        fs::write(folder.join(name).join("model.safetensors"), weights(&change)).expect("a file");
    }
    fs::create_dir_all(folder.join("logs-2024")).expect("a folder");
}

fn log(path: &Path) -> Run {
    Run::parse(&fs::read_to_string(path).expect("a log")).expect("rows")
}

/// The rows of a step and a map, layer by layer.
fn rows<'a>(run: &'a Run, map: &str, step: u64) -> Vec<&'a Row> {
    run.rows().iter().filter(|row| row.map == map && row.step == step).collect()
}

#[test]
fn the_rows_of_checkpoints_are_those_of_their_models_by_step() {
    let folder = tempfile::tempdir().expect("a folder");
    run_folder(&folder.path().join("run"));
    let [run, out] = ["run", "log.jsonl"].map(|name| folder.path().join(name).display().to_string());
    let measured = ["model", "--checkpoints", &run, "-n", "12", "--tolerance", "1e-8", "-o", &out];
    let assert = lipscope(&measured).assert().success();
    let said = text(&assert.get_output().stderr);
    assert!(said.contains("GPT-2, 3 layers") && said.contains("; 3 checkpoints"), "{said}");
    let found = log(Path::new(&out));
    assert_eq!((found.steps(), found.maps()), (&[50, 200, 1000][..], vec!["attention", "block"]));
    let places: Vec<String> = found.places("attention").iter().map(ToString::to_string).collect();
    assert_eq!(places, ["transformer.h.0", "transformer.h.1", "transformer.h.2"]);
    assert!(found.rows().iter().all(|row| row.kind != Kind::None && row.problem.is_none()));
    for map in ["attention", "block"] {
        // The same weights as a file and as a folder.
        for (file, folder) in rows(&found, map, 50).into_iter().zip(rows(&found, map, 200)) {
            assert_eq!(Row { step: 200, ..file.clone() }, *folder);
        }
    }
    check_against_tables(&found, &format!("{run}/checkpoint-200"));
    // Twice the weights: products of two of them are four times as large.
    for (row, doubled) in rows(&found, "attention", 200).into_iter().zip(rows(&found, "attention", 1000)) {
        for name in ["a_norm", "vo_norm"] {
            let ratio = doubled.number(name).expect("a norm") / row.number(name).expect("a norm");
            assert!((ratio - 4.0).abs() < 1e-12, "{name}: {ratio}");
        }
    }
    check_resumed(&measured, Path::new(&out));
    let other = [&measured[..6], &["1e-8", "--columns", "sink", "-o", &out]].concat();
    let said = text(&lipscope(&other).assert().code(1).get_output().stderr);
    assert!(said.contains("is a log of another model, probe, maps or columns"), "{said}");
}

/// The rows of step 200 have the numbers of tables of `lipscope model` about the same model.
fn check_against_tables(found: &Run, model: &str) {
    let columns = "max_logit,entropy_mean,entropy_min,condition,a_norm,vo_norm";
    let table = |map: &str, head: &str| -> Vec<Value> {
        let arguments = ["model", "--weights", model, "--map", map, "--layers", "0,1,2", "-n", "12", "--windows", "1"];
        let more = ["--tolerance", "1e-8", "--columns", columns, "--head", head, "--json"];
        let assert = lipscope(&[&arguments[..], &more].concat()).assert().success();
        let json: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
        json["rows"].as_array().expect("rows").clone()
    };
    for (row, expected) in rows(found, "block", 200).into_iter().zip(table("block", "all")) {
        assert_eq!((row.value, row.condition), (expected["spectral"].as_f64(), expected["condition"].as_f64()));
        assert_eq!((row.max_logit, row.sink, row.heads.len()), (None, None, 0), "they are in the rows of attention");
    }
    let (together, by_head) = (table("attention", "all"), table("attention", "each"));
    for (layer, row) in rows(found, "attention", 200).into_iter().enumerate() {
        assert_eq!((row.value, row.part.as_deref()), (together[layer]["spectral"].as_f64(), Some("heads")));
        let steps = together[layer]["iterations"].as_u64();
        assert_eq!((row.residual, row.steps), (together[layer]["relative_residual"].as_f64(), steps));
        assert_eq!(
            (row.number("condition"), row.number("sink")),
            (together[layer]["condition"].as_f64(), together[layer]["sink"].as_f64())
        );
        for name in ["max_logit", "entropy_mean", "entropy_min", "a_norm", "vo_norm", "sink"] {
            assert_eq!(row.number(name), together[layer][name].as_f64(), "{name}");
            for (head, expected) in row.heads[name].iter().zip(&by_head[4 * layer..4 * layer + 4]) {
                let (head, expected) = (head.expect("a number"), expected[name].as_f64().expect("a number"));
                // Queries of one head and of all of them are products of other shapes.
                assert!((head - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{name}: {head} for {expected}");
            }
        }
    }
}

/// A log that lacks its last step, and one with a broken line at its end, end as the whole one.
fn check_resumed(measured: &[&str], out: &Path) {
    let whole = fs::read_to_string(out).expect("a log");
    let without: String =
        whole.lines().filter(|line| !line.contains("\"step\":1000,")).map(|line| format!("{line}\n")).collect();
    assert!(without.len() < whole.len());
    for cut in [without.clone(), without + "{\"step\":1000,\"layer"] {
        fs::write(out, cut).expect("written");
        lipscope(measured).assert().success();
        assert_eq!(fs::read_to_string(out).expect("a log"), whole);
    }
}

#[test]
fn a_checkpoint_without_numbers_has_rows_without_norms_and_the_others_are_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    run_folder(&run);
    fs::write(run.join("step_2000.safetensors"), weights(&Change::Broken)).expect("a file");
    let run = run.display().to_string();
    let options = ["-n", "8", "--windows", "2", "--layers", "1", "--map", "block"];
    let assert = lipscope(&[&["model", "--checkpoints", &run], &options[..]].concat()).assert().code(1);
    let said = text(&assert.get_output().stderr);
    assert!(said.contains("step 2000: ") && said.contains("not finite"), "{said}");
    let found = Run::parse(&text(&assert.get_output().stdout)).expect("a log on standard output");
    assert_eq!(found.steps(), [50, 200, 1000, 2000]);
    for row in found.rows() {
        assert_eq!((row.layer.as_str(), row.kind == Kind::None), ("transformer.h.1", row.step == 2000));
        assert_eq!((row.value.is_some(), row.problem.is_some()), (row.step < 2000, row.step == 2000), "{row:?}");
    }
    // Two windows are two items.
    let items: Vec<Option<u64>> = rows(&found, "block", 200).iter().map(|row| row.item).collect();
    assert_eq!(items, [Some(0), Some(1)]);
}

#[test]
fn what_is_no_run_is_refused_with_the_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    let said = |arguments: &[&str], code: i32| text(&lipscope(arguments).assert().code(code).get_output().stderr);
    let empty = said(&["model", "--checkpoints", &path], 1);
    assert!(empty.contains("holds no checkpoint") && empty.contains("checkpoint-100"), "{empty}");
    assert!(said(&["model", "--checkpoints", &path, "--weights", "random:gpt2"], 2).contains("--checkpoints"));
    assert!(said(&["model", "--checkpoints", &path, "--head", "each"], 2).contains("--head"));
    run_folder(folder.path());
    let lengths = said(&["model", "--checkpoints", &path, "-n", "4,8"], 1);
    assert!(lengths.contains("one length"), "{lengths}");
    let config = fs::read_to_string(folder.path().join("config.json")).expect("a config");
    fs::write(
        folder.path().join("checkpoint-1000/config.json"),
        config.replace("\"n_positions\": 40", "\"n_positions\": 39"),
    )
    .expect("a file");
    let other = said(&["model", "--checkpoints", &path, "-n", "4", "--layers", "0"], 1);
    assert!(other.contains("step 1000: ") && other.contains("another config"), "{other}");
}
