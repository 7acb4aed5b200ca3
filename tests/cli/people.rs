//! What people read at a terminal, and that programs read what they did before.
//!
//! The program `script` runs a command in a terminal of its own, of 80 columns; on other systems than Linux it has other
//! options. `crates/cli/src/people` has the tests of the texts themselves.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use lipscope_testkit::in_repository;

const EXPERIMENT: &str =
    r#"{"tokens":{"source":"random","distribution":"ball","n":6,"d":2},"weights":{"source":"random","head_dim":2}}"#;
const MODEL: &str = "--weights random:gpt2 --dim 16 --depth 1 --heads 2 -n 4,8";

/// A folder with an experiment and a text.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("experiment.json"), EXPERIMENT).expect("written");
    fs::copy(in_repository("assets/attention.txt"), folder.path().join("book.txt")).expect("copied");
    fs::copy(in_repository("assets/run.jsonl"), folder.path().join("run.jsonl")).expect("copied");
    folder
}

/// Runs a line of a shell in a terminal, with these variables in place of those of the tests.
fn in_terminal(line: &str, variables: &[(&str, &str)], folder: &Path) -> Output {
    let line = line.replace("lipscope ", &format!("'{}' ", assert_cmd::cargo::cargo_bin!("lipscope").display()));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        script.env_remove(name);
    }
    script.env("TERM", "xterm-256color").envs(variables.iter().copied());
    script.output().expect("Debian always has script")
}

/// What a line shows in a terminal, without the progress.
fn shown(line: &str, variables: &[(&str, &str)]) -> String {
    let folder = folder();
    let output = in_terminal(&format!("{line} 2>/dev/null"), variables, folder.path());
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    assert!(output.status.success(), "{line}: {text}");
    text
}

#[test]
fn every_command_for_people_shows_its_number_in_lines_that_fit() {
    let model = |command: &str| format!("lipscope {command} {MODEL}");
    let [model, window] = ["model --bounds", "certify --restarts 1 --steps 2"].map(model);
    let train = "lipscope train --text book.txt --blocks 1 --width 8 --heads 2 --context 8 --steps 4 --batch 2";
    for (line, parts) in [
        ("lipscope measure experiment.json", &["\n  L = ", "these tokens", "any n [C]", "Theorem 3.3"][..]),
        ("lipscope certify experiment.json --restarts 1 --steps 2", &["\n  L = ", "eps = 0.01 R, certified"][..]),
        ("lipscope spectrum experiment.json", &["\n  L = s_1 = ", "s_2"][..]),
        ("lipscope estimators --preset easy", &["\n  L = ", "power iteration, "][..]),
        ("lipscope search experiment.json --restarts 1 --steps 5", &["\n  L ≥ ", "found by this search"][..]),
        (model.as_str(), &["\n  L ", "n = 8, bound", "layer 0, head all"][..]),
        (window.as_str(), &["\n  L ", "eps = 0.1 R, found"][..]),
        (train, &["nats a character", "layer 0, bound"][..]),
        ("lipscope plot run.jsonl", &["\n  L ≥ ", "step 600, blocks.0", "blocks.3", "Loss "][..]),
    ] {
        let text = shown(line, &[("NO_COLOR", "1")]);
        for part in parts {
            assert!(text.contains(part), "{line}: {part:?} is missing in\n{text}");
        }
        assert!(!text.contains('\u{1b}') && !text.contains("NaN"), "{line}: {text}");
        // The name of a model is a word that may be longer.
        let is_wide = |line: &&str| line.chars().count() > 80 && !line.contains("Model ");
        assert_eq!(text.lines().find(is_wide), None, "{line}: {text}");
    }
}

#[test]
fn colours_are_there_unless_the_user_or_the_terminal_has_none() {
    let bold = "\u{1b}[1mL = ";
    let text = |variables: &[(&str, &str)]| shown("lipscope measure experiment.json", variables);
    assert!(text(&[]).contains(bold), "{:?}", text(&[]));
    for variable in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
        assert!(!text(&[variable]).contains('\u{1b}'), "{variable:?}");
    }
}

#[test]
fn the_form_of_programs_is_the_same_on_a_terminal_as_in_a_pipe() {
    for line in [
        "measure experiment.json --json",
        "certify experiment.json --restarts 1 --steps 2 --csv",
        "spectrum experiment.json --csv",
        "spectrum experiment.json --json",
        "search experiment.json --restarts 1 --steps 3 --json",
        &format!("model {MODEL} --csv"),
    ] {
        let folder = folder();
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
        let output = command.args(&words).current_dir(folder.path()).stdin(Stdio::null()).output().expect("it runs");
        let piped = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && piped.len() > 50, "{line}: {piped}");
        assert_eq!(shown(&format!("lipscope {line}"), &[]), piped, "{line}");
        // A pipe needs no option: without one it gets the same table, or the same object.
        if line.ends_with("--csv") || line.starts_with("measure") {
            let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
            command.args(&words[..words.len() - 1]).current_dir(folder.path()).stdin(Stdio::null());
            assert_eq!(String::from_utf8_lossy(&command.output().expect("it runs").stdout), piped, "{line}");
        }
    }
}

#[test]
fn a_command_that_would_wait_for_a_keyboard_shows_examples() {
    let folder = folder();
    for (name, count) in [("measure", 3), ("spectrum", 1)] {
        let output = in_terminal(&format!("lipscope {name}"), &[], folder.path());
        let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
        assert_eq!(output.status.code(), Some(2), "{text}");
        let is_example = |line: &&str| line.starts_with("  ") && line.contains(&format!("lipscope {name}"));
        assert_eq!(text.lines().filter(is_example).count(), count, "{text}");
    }
}
