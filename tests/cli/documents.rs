//! Every command of the documents runs, and prints what the documents show.
//!
//! A block of `sh` is run as it stands, by bash, in a folder that holds the files which the documents name. The block of
//! `text` after it is what its last command prints; `..` stands for any text within a line. A line before a block, which
//! readers of the documents do not see, says where a test does less:
//!
//! - `<!-- not run: WHY -->`: the block is not run.
//! - `<!-- run in a terminal -->`: it is run in a terminal without colours, as people see it, on Linux alone.
//! - `<!-- run shorter: START => OPTIONS; .. -->`: in commands that begin with `lipscope START` these options take the
//!   place of their own, so that a test of a long run takes a second.
//!
//! tests/python/test_documents.py does the same for Python, and tests/npm for JavaScript.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use lipscope_testkit::in_repository;

/// The mark of a block that is run as people see it.
const IN_TERMINAL: &str = "run in a terminal";

/// A block of code of a document.
struct Block {
    /// Its document and line, for messages.
    place: String,
    language: String,
    code: String,
    /// What stands in the comment right before it.
    mark: Option<String>,
    /// What the block of text right after it shows.
    shown: Option<String>,
}

/// The files with commands.
fn files() -> Vec<String> {
    let folder = fs::read_dir(in_repository("docs")).expect("a folder").flatten();
    let mut files: Vec<String> = folder.map(|file| format!("docs/{}", file.file_name().to_string_lossy())).collect();
    files.retain(|file| file.ends_with(".md"));
    files.sort();
    files.push("README.md".into());
    files
}

fn blocks(file: &str) -> Vec<Block> {
    let text = fs::read_to_string(in_repository(file)).unwrap_or_else(|problem| panic!("{file}: {problem}"));
    let mut found: Vec<Block> = Vec::new();
    let mut mark = None;
    // The paragraphs between the last block and this line: what a block prints is shown after one at most.
    let mut n_between = usize::MAX;
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let code: String =
                lines.by_ref().take_while(|(_, line)| *line != "```").map(|(_, line)| format!("{line}\n")).collect();
            match found.last_mut() {
                Some(last) if language == "text" && n_between <= 1 && last.shown.is_none() => last.shown = Some(code),
                _ => found.push(Block {
                    place: format!("{file}, line {}", at + 1),
                    language: language.into(),
                    code,
                    mark: mark.take(),
                    shown: None,
                }),
            }
            n_between = 0;
        } else if let Some(comment) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            mark = Some(comment.to_owned());
        } else if !line.trim().is_empty() {
            n_between = n_between.saturating_add(1);
            mark = None;
        }
    }
    found
}

/// The code with the options of a mark in the place of its own.
fn shortened(code: &str, mark: &str) -> String {
    let rules: Vec<(&str, &str)> = mark.split(';').filter_map(|rule| rule.split_once("=>")).collect();
    let short = |line: &str| -> String {
        let is_meant = |(start, _): &&(&str, &str)| line.starts_with(&format!("lipscope {}", start.trim()));
        let Some((_, options)) = rules.iter().find(is_meant) else { return line.into() };
        let mut words: Vec<&str> = line.split(' ').collect();
        let options: Vec<&str> = options.split_whitespace().collect();
        for pair in options.chunks_exact(2) {
            match words.iter().position(|word| *word == pair[0]) {
                Some(at) => words[at + 1] = pair[1],
                None => drop(words.splice(2..2, pair.iter().copied())),
            }
        }
        words.join(" ")
    };
    code.replace("\\\n ", "").lines().map(short).collect::<Vec<_>>().join("\n")
}

/// Whether a line is as it is shown: the parts between two `..` stand in it, in order, from its beginning to its end.
fn is_shown(shown: &str, line: &str) -> bool {
    let parts: Vec<&str> = shown.split("..").collect();
    let Some(mut rest) = line.strip_prefix(parts[0]) else { return false };
    for part in &parts[1..] {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    parts.last().is_some_and(|last| if parts.len() == 1 { rest.is_empty() } else { line.ends_with(last) })
}

/// A folder with the files that the documents name: models are small, texts are short.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    for (model, names) in [
        ("gpt2", &["gpt2", "path/to/gpt2", "models/gpt2"][..]),
        ("llama", &["path/to/llama"][..]),
        ("bert", &["bert-base-uncased", "path/to/bert-base-uncased", "MiniLM"][..]),
    ] {
        for name in names {
            fs::create_dir_all(path.join(name)).expect("a folder");
            for file in fs::read_dir(in_repository(format!("tests/data/models/{model}"))).expect("a model").flatten() {
                fs::copy(file.path(), path.join(name).join(file.file_name())).expect("a file");
            }
        }
    }
    for step in [100, 200] {
        let folder = path.join(format!("path/to/run/checkpoint-{step}"));
        fs::create_dir_all(&folder).expect("a folder");
        for file in fs::read_dir(in_repository("tests/data/models/gpt2")).expect("a model").flatten() {
            fs::copy(file.path(), folder.join(file.file_name())).expect("a file");
        }
    }
    fs::create_dir_all(path.join("parts")).expect("a folder");
    let text = fs::read_to_string(in_repository("assets/alice.txt")).expect("a text");
    let beginning: String = text.chars().take(4000).collect();
    for name in ["alice.txt", "book.txt"] {
        fs::write(path.join(name), &beginning).expect("a file");
    }
    let experiment =
        r#"{"tokens":{"source":"random","distribution":"ball","n":6,"d":1},"weights":{"source":"identity","sign":-1}}"#;
    fs::write(path.join("experiment.json"), experiment).expect("a file");
    fs::copy(in_repository("assets/run.jsonl"), path.join("run.jsonl")).expect("a run");
    fs::copy(in_repository("tests/data/cases/tables/f4.npy"), path.join("tokens.npy")).expect("a table");
    folder
}

/// Runs a block; returns what it prints.
fn run(block: &Block, folder: &Path) -> String {
    let program = assert_cmd::cargo::cargo_bin!("lipscope");
    let programs = program.parent().expect("a folder").display().to_string();
    let code = match block.mark.as_deref().and_then(|mark| mark.strip_prefix("run shorter: ")) {
        Some(mark) => shortened(&block.code, mark),
        None => block.code.clone(),
    };
    let mut command = if block.mark.as_deref() == Some(IN_TERMINAL) {
        let mut script = Command::new("script");
        // What standard error shows is no part of what a document shows.
        script.args(["-qec", "bash -euo pipefail -c \"$CODE\" 2>/dev/null", "/dev/null"]);
        script.env("CODE", &code).env("NO_COLOR", "1").stdin(Stdio::null());
        script
    } else {
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", &code]);
        bash
    };
    let output = command
        .current_dir(folder)
        .env("PATH", format!("{programs}:{}", std::env::var("PATH").unwrap_or_default()))
        .env("HOME", folder)
        // The only task of a job of one.
        .envs([("SLURM_CPUS_PER_TASK", "1"), ("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_ARRAY_TASK_COUNT", "1")])
        .output()
        .expect("bash");
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {}\n{code}\n{problem}", block.place, output.status);
    // A terminal ends its lines in two characters.
    String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")
}

/// Runs the blocks of a document in one folder, in order; returns how many were run.
fn check(file: &str) -> usize {
    let folder = workplace();
    let mut n_run = 0;
    for block in blocks(file) {
        let is_run = block.mark.as_deref().is_none_or(|mark| match mark {
            IN_TERMINAL => cfg!(target_os = "linux"),
            _ => mark.starts_with("run shorter: "),
        });
        if block.language != "sh" || !is_run {
            continue;
        }
        let printed = run(&block, folder.path());
        if let Some(shown) = &block.shown {
            let (shown, printed): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), printed.lines().collect());
            assert_eq!(shown.len(), printed.len(), "{}: {printed:#?}", block.place);
            for (shown, line) in shown.iter().zip(&printed) {
                assert!(is_shown(shown, line), "{}: shown\n{shown}\nprinted\n{line}", block.place);
            }
        }
        n_run += 1;
    }
    n_run
}

// One test for each document with commands, so that they run side by side. The last test finds one that is missing.
macro_rules! documents {
    ($($test:ident: $file:literal),* $(,)?) => {
        const TESTED: &[&str] = &[$($file),*];
        $(
            #[test]
            fn $test() {
                assert!(check($file) > 0, "{} has no command that is run", $file);
            }
        )*
    };
}

documents! {
    the_commands_of_the_cluster_run: "docs/cluster.md",
    the_commands_of_the_command_line_run: "docs/command_line.md",
    the_commands_of_the_models_run: "docs/models.md",
    the_commands_of_the_models_reference_run: "docs/models_reference.md",
    the_commands_of_the_training_run: "docs/training.md",
    the_commands_of_the_tutorial_run: "docs/tutorial.md",
    the_commands_of_the_readme_run: "README.md",
}

#[test]
fn every_block_of_code_is_run_or_says_why_it_is_not() {
    for file in files() {
        for block in blocks(&file) {
            let mark = block.mark.as_deref().unwrap_or_default();
            if let Some(why) = mark.strip_prefix("not run: ") {
                assert!(why.len() > 20, "{}: {why}", block.place);
                continue;
            }
            let place = &block.place;
            match block.language.as_str() {
                "sh" => assert!(TESTED.contains(&file.as_str()), "{place}: no test runs it"),
                // tests/python/test_documents.py and tests/python_torch/test_documents.py.
                "python" => {}
                // Neither is run, so each needs a reason.
                "js" | "" => panic!("{place}: it needs `<!-- not run: WHY -->`"),
                // Data and texts. The experiments among them: tests/core/schema.rs.
                "json" | "html" | "yaml" | "bibtex" | "text" => {}
                other => panic!("{place}: nobody knows how to test `{other}`"),
            }
        }
    }
}

#[test]
fn options_of_a_mark_take_the_place_of_those_of_the_command() {
    let code = "lipscope model --layers 6 \\\n  -o a.csv\nlipscope merge a.csv\n";
    assert_eq!(
        shortened(code, "model => --layers 0,1 --windows 1; merge x => --a b"),
        "lipscope model --windows 1 --layers 0,1  -o a.csv\nlipscope merge a.csv"
    );
}

#[test]
fn what_is_shown_is_compared_but_for_what_is_left_out() {
    for (shown, line, is) in [
        ("a,1", "a,1", true),
        ("a,1", "a,12", false),
        ("a,1..", "a,12", true),
        ("..,\"x\":2.0..}", "{\"a\":1,\"x\":2.05}", true),
        ("..,\"x\":2.1..}", "{\"a\":1,\"x\":2.05}", false),
        ("a..b", "acb d", false),
    ] {
        assert_eq!(is_shown(shown, line), is, "{shown} {line}");
    }
}
