//! What a stranger meets first: the help and its examples, the version, exit statuses, man pages, completions, and `--json`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, fs, thread};

use serde_json::Value;

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn out(arguments: &[&str]) -> String {
    let output = lipscope(arguments).output().expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = out(&["help"]);
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list of commands");
    let names = list.lines().filter_map(|line| line.split_whitespace().next().map(String::from));
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() >= 17 && !names.iter().any(|name| name == "generate"), "{names:?}");
    names
}

/// The lines of the examples at the end of a command's help, or of what it says instead of waiting.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example")).skip(1);
    let lines: Vec<String> = lines.map_while(|line| line.strip_prefix("  ")).map(str::to_owned).collect();
    assert!(!lines.is_empty(), "there is no example:\n{help}");
    lines
}

/// Runs a line of a shell in a folder, with the program on its path.
fn shell(line: &str, folder: &Path) -> Output {
    let program = assert_cmd::cargo::cargo_bin!("lipscope");
    let mut paths = vec![program.parent().expect("a folder").to_path_buf()];
    paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let path = env::join_paths(paths).expect("a path");
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path).stdin(Stdio::null()).output().expect("there is sh")
}

#[test]
fn the_example_at_the_end_of_every_help_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = |line: &str| {
        let output = shell(line, folder.path());
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        assert!(["lipscope", "echo", "printf"].iter().any(|start| line.starts_with(start)), "{line}");
        output
    };
    let book = lipscope_testkit::in_repository("assets/attention.txt");
    fs::copy(book, folder.path().join("book.txt")).expect("copied");
    let of_help = |name: &str| examples(&out(&["help", name]));
    let (model, others): (Vec<String>, Vec<String>) = commands().into_iter().partition(|name| name == "model");
    for line in of_help(&model[0]) {
        let output = done(&line);
        let is_table = text(&output.stdout).starts_with("model,text,map,mask,");
        assert!(is_table || line.contains(" -o "), "{line}: {}", text(&output.stdout));
        // The two parts of a run are what `merge` takes.
        if line.contains("part-0") {
            done(&line.replace("0/2 -o part-0", "1/2 -o part-1"));
        }
    }
    thread::scope(|scope| {
        for name in &others {
            scope.spawn(move || of_help(name).iter().for_each(|line| drop(done(line))));
        }
    });
    for written in ["part-0.csv", "all.csv", "worst.json", "experiment.py", "runs/dot-1-seed0/run.jsonl", "run.svg"] {
        assert!(folder.path().join(written).is_file(), "{written} is missing");
    }
}

#[test]
fn without_a_command_three_examples_are_shown_and_they_work() {
    let output = lipscope(&[]).output().expect("it runs");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
    let lines = examples(&text(&output.stderr));
    assert_eq!(lines.len(), 3, "{lines:?}");
    let folder = tempfile::tempdir().expect("a folder");
    for line in lines {
        let output = shell(&line, folder.path());
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn the_model_without_arguments_is_a_small_random_one_and_says_how_to_give_another() {
    let output = lipscope(&["model"]).output().expect("it runs");
    let said = text(&output.stderr);
    assert!(output.status.success() && said.contains("lipscope model --weights FOLDER"), "{said}");
    let line = said.lines().nth(1).and_then(|line| line.trim().strip_prefix("lipscope ")).expect("a command");
    let written = out(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(text(&output.stdout), written, "the command that it names is another one");
    // With any option the model must be named: nobody measures a random model by mistake.
    assert_eq!(lipscope(&["model", "--layers", "1"]).stderr(Stdio::null()).status().expect("it runs").code(), Some(2));
}

#[test]
fn the_short_help_of_every_command_fits_on_a_screen_and_the_long_help_has_every_option() {
    let short = |arguments: &[&str]| {
        let help = out(arguments);
        assert!(help.lines().count() <= 40, "{} lines:\n{help}", help.lines().count());
        help
    };
    short(&["-h"]);
    for name in commands() {
        let (help, long) = (short(&[name.as_str(), "-h"]), out(&[name.as_str(), "--help"]));
        // The option that a line begins with; a line of the description begins with a word.
        let option = |line: &str| {
            let is_option = line.trim_start().starts_with('-');
            line.split_whitespace().find(|word| is_option && word.starts_with("--")).map(String::from)
        };
        let options = |text: &str| -> BTreeSet<String> { text.lines().filter_map(option).collect() };
        assert!(long.contains("--threads") && !help.contains("--threads"), "{name}: {help}");
        assert!(options(&help).is_subset(&options(&long)), "{name}: {help}");
    }
}

/// The cell of a CSV file without quotes as JSON would have it.
fn is_same(csv: &str, json: &Value) -> bool {
    match (csv, json) {
        ("" | "inf" | "NaN", Value::Null) => true,
        (text, Value::String(other)) => text == other,
        (text, number) => text.parse::<f64>().is_ok_and(|x| Some(x) == number.as_f64()),
    }
}

#[test]
fn json_has_the_columns_and_the_numbers_of_csv() {
    const RANDOM: &str = r#"{"tokens":{"source":"random","n":6,"d":2},"weights":{"source":"random","head_dim":2}}"#;
    const KIM: &str = r#"{"attention":"l2","tokens":{"source":"random","n":6,"d":2},"weights":{"source":"kim"}}"#;
    let model = "model --weights random:gpt2 --dim 16 --depth 1 --heads 2 -n 4 --windows 2";
    let run = include_str!("../data/runs/monitor.jsonl");
    for (line, experiment, least) in [
        ("sweep -n 2,700 --draws 1 --norm linf", RANDOM, 2),
        ("bounds -n 2,1e300 --csv", RANDOM, 2),
        ("growth -n 2,1e6", RANDOM, 2),
        ("gap -n 2,5 -R 1", RANDOM, 2),
        ("certify --epsilon 0,0.1 --restarts 1 --steps 2", RANDOM, 2),
        ("certify --weights random:gpt2 --dim 16 --depth 1 --heads 2 -n 4 --epsilon 0.1 --restarts 1 --steps 2", "", 7),
        ("invert -c 0.5", KIM, 5),
        ("scale --count 3", RANDOM, 3),
        ("tightness --most 3 --count 2 --restarts 1", "", 2),
        ("search --restarts 1 --steps 3", RANDOM, 3),
        ("spectrum", RANDOM, 5),
        ("estimators", RANDOM, 5),
        (model, "", 2),
        ("plot -", run, 12),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let run = |more: &str| {
            let input = folder.path().join("experiment.json");
            fs::write(&input, experiment).expect("written");
            let words: Vec<&str> = line.split_whitespace().filter(|word| *word != "--csv" || more.is_empty()).collect();
            let mut command = lipscope(&words);
            command.args(more.split_whitespace()).stdin(fs::File::open(&input).expect("it is there"));
            let output = command.output().expect("it runs");
            assert!(output.status.success(), "{line} {more}: {}", text(&output.stderr));
            text(&output.stdout)
        };
        let csv = run("");
        let document: Value = serde_json::from_str(&run("--json")).unwrap_or_else(|error| panic!("{line}: {error}"));
        let rows = document["rows"].as_array().unwrap_or_else(|| panic!("{line}: {document}"));
        let mut lines = csv.lines();
        let columns: Vec<&str> = lines.next().expect("a header").split(',').collect();
        let lines: Vec<&str> = lines.collect();
        assert!(rows.len() >= least && rows.len() == lines.len(), "{line}: {} rows", rows.len());
        for (cells, row) in lines.iter().zip(rows) {
            let row = row.as_object().expect("an object");
            let names: BTreeSet<&str> = row.keys().map(String::as_str).collect();
            assert_eq!(names, columns.iter().copied().collect(), "{line}");
            for (column, cell) in columns.iter().zip(cells.split(',')) {
                // A time is another one each time.
                assert!(
                    *column == "milliseconds" || is_same(cell, &row[*column]),
                    "{line}: {column} is {cell}, {}",
                    row[*column]
                );
            }
        }
    }
}

#[test]
fn the_help_lists_the_exit_statuses_and_they_are_so() {
    let help = out(&["--help"]);
    let listed: Vec<&str> = help.split("Exit status:\n").nth(1).expect("a table").lines().collect();
    let documented = fs::read_to_string(lipscope_testkit::in_repository("docs/command_line.md")).expect("a document");
    for line in &listed {
        let (code, meaning) = line.trim().split_once("  ").expect("a status and what it means");
        assert!(documented.contains(&format!("| {code} | {meaning} |")), "docs/command_line.md lacks {line}");
    }
    let code = |arguments: &[&str]| lipscope(arguments).stderr(Stdio::null()).status().expect("it runs").code();
    assert_eq!(code(&["--version"]), Some(0));
    assert_eq!(code(&["measure", "nowhere.json"]), Some(1));
    assert_eq!(code(&["measure", "--norm"]), Some(2));
    assert_eq!(code(&["estimators", "--preset", "easy", "--memory", "1KiB"]), Some(3));
    let folder = tempfile::tempdir().expect("a folder");
    let part = folder.path().join("part.csv").display().to_string();
    let model = ["model", "--weights", "random:gpt2", "--dim", "16", "--depth", "1", "--heads", "2", "-n", "4"];
    assert_eq!(code(&[&model[..], &["--windows", "2", "-o", &part]].concat()), Some(0));
    assert_eq!(code(&["merge", &part, "--windows", "3"]), Some(4));
    assert_eq!(listed.len(), 6, "a status is not tested here: {listed:?}");
}

#[cfg(unix)]
#[test]
fn a_command_that_is_interrupted_ends_by_the_signal() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    let mut child = lipscope(&["tightness", "--most", "100000", "--restarts", "1000"]);
    let mut child = child.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut header = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut header).expect("it writes");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("there is kill").success());
    // What a shell reports as 130.
    assert_eq!(child.wait().expect("it ends").signal(), Some(2));
}

#[test]
fn the_version_is_that_of_the_package() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(out(&["-V"]), format!("lipscope {version}\n"));
    assert!(out(&["--version"]).starts_with(&format!("lipscope {version}")));
}

#[test]
fn man_pages_and_completions_are_written_for_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    out(&["generate", &folder.path().display().to_string()]);
    let read =
        |path: &str| fs::read_to_string(folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let whole = read("man/lipscope.1");
    assert!(whole.contains("Exit status") && whole.contains("130"), "{whole}");
    let completions = ["lipscope.bash", "_lipscope", "lipscope.fish", "_lipscope.ps1", "lipscope.elv"];
    let completions = completions.map(|name| read(&format!("completions/{name}")));
    for name in commands() {
        let page = read(&format!("man/lipscope-{name}.1"));
        assert!(page.contains("Example"), "{page}");
        for completion in &completions {
            assert!(completion.contains(&name), "{name} is missing in\n{completion}");
        }
    }
    let pages = fs::read_dir(folder.path().join("man")).expect("a folder").count();
    assert_eq!(pages, 1 + commands().len(), "a page for each command and one for all");
}

const SWEEP: [&str; 6] = ["sweep", "experiment.json", "-n", "2:256:x32", "--draws", "1"];

/// A folder with the experiment of [`SWEEP`].
fn folder_of_sweep() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = r#"{"tokens":{"source":"adversarial"},"weights":{"source":"identity","sign":-1}}"#;
    fs::write(folder.path().join("experiment.json"), experiment).expect("written");
    folder
}

#[test]
fn no_progress_is_written_where_standard_error_is_no_terminal() {
    let folder = folder_of_sweep();
    let output = lipscope(&SWEEP).current_dir(folder.path()).output().expect("it runs");
    assert!(output.status.success() && text(&output.stdout).lines().count() > 20, "{}", text(&output.stdout));
    assert_eq!(text(&output.stderr), "");
}

/// The program `script` runs a command in a terminal of its own; on other systems it has other options.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_progress() {
    let folder = folder_of_sweep();
    let line = format!("'{}' {} > table.csv", assert_cmd::cargo::cargo_bin!("lipscope").display(), SWEEP.join(" "));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder.path()).stdin(Stdio::null());
    let output = script.output().expect("Debian always has script");
    assert!(output.status.success() && text(&output.stdout).contains("/29 points"), "{}", text(&output.stdout));
}
