//! Texts and files as other programs leave them: byte order marks, UTF-16, carriage returns, pointers of git-lfs, copies of
//! weights; long texts; a standard output that is closed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use assert_cmd::Command;
use lipscope_testkit::in_repository;
use serde_json::Value;

fn case(name: &str) -> PathBuf {
    in_repository("tests/data/cases/doors").join(name)
}

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository(".")).args(arguments);
    command
}

/// Standard output and standard error of a run that succeeds.
fn run(arguments: &[&str]) -> (String, String) {
    let assert = lipscope(arguments).assert().success();
    let Output { stdout, stderr, .. } = assert.get_output();
    (String::from_utf8_lossy(stdout).into_owned(), String::from_utf8_lossy(stderr).into_owned())
}

/// Standard error of a run that ends with that status.
fn problem(arguments: &[&str], status: i32) -> String {
    String::from_utf8_lossy(&lipscope(arguments).assert().code(status).get_output().stderr).into_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The column of a CSV table.
fn column<'a>(table: &'a str, name: &str) -> Vec<&'a str> {
    let at = table.lines().next().expect("a header").split(',').position(|column| column == name).expect(name);
    table.lines().skip(1).filter_map(|line| line.split(',').nth(at)).collect()
}

/// One window of the small GPT-2, whose tokens are bytes, at a text.
fn measured(text: &Path) -> (String, String) {
    run(&[
        "model",
        "--weights",
        "tests/data/models/gpt2",
        "--text",
        path(text),
        "-n",
        "24",
        "--windows",
        "1",
        "--layers",
        "1",
        "--estimator",
        "spectral",
        "--tolerance",
        "1e-12",
    ])
}

#[test]
fn a_text_is_read_as_pythons_text_mode_reads_it_and_changes_are_noted() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        path
    };
    let lf = fs::read_to_string(case("text_crlf/lf.txt")).expect("a text");
    let marked = format!("\u{feff}{lf}");
    let utf16: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (expected, said) = measured(&case("text_crlf/lf.txt"));
    assert!(!said.contains("carriage") && !said.contains("byte order mark"), "{said}");
    for (text, note) in [
        (case("text_crlf/crlf.txt"), "carriage return"),
        (written("cr.txt", lf.replace('\n', "\r").as_bytes()), "carriage return"),
        (written("mark.txt", marked.as_bytes()), "byte order mark"),
        (written("utf16.txt", &utf16), "UTF-16"),
    ] {
        let (table, said) = measured(&text);
        for name in ["text", "spectral", "radius"] {
            assert_eq!(column(&table, name), column(&expected, name), "{text:?}");
        }
        assert!(said.contains(note) && table.contains(note), "{text:?}: {said}");
    }
    let binary = written("binary.txt", b"a\0b\xff");
    let said = problem(&["model", "--weights", "random:gpt2", "--text", path(&binary)], 1);
    assert!(said.contains("binary.txt") && said.contains("UTF-8"), "{said}");
}

#[test]
fn experiments_and_tables_of_powershell_are_read_everywhere() {
    let file = |name: &str| case("powershell_utf16").join(name);
    let (expected, _) = run(&["measure", path(&file("e.json"))]);
    for name in ["e8.json", "e16.json"] {
        assert_eq!(run(&["measure", path(&file(name))]).0, expected, "{name}");
        assert_eq!(
            run(&["bounds", path(&file(name)), "-n", "2,9"]),
            run(&["bounds", path(&file("e.json")), "-n", "2,9"])
        );
    }
    // JSON Lines, and from standard input.
    let lines = format!("{0}{0}", fs::read_to_string(file("e.json")).expect("a file").trim_end().to_owned() + "\r\n");
    let utf16: Vec<u8> = format!("\u{feff}{lines}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    let output = lipscope(&["measure"]).write_stdin(utf16).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8_lossy(&output), format!("{expected}{expected}"));
    let merged = |part: &str| run(&["merge", path(&file("part-0.csv")), path(&file(part))]).0;
    assert_eq!(merged("part-1.csv"), merged("part-1-utf8.csv"));
    // A table that is resumed, and a marked table of tokens.
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens.csv");
    let rows: Vec<u8> = "\u{feff}1,2\r\n3,4\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&tokens, rows).expect("written");
    let (norm, _) = run(&["measure", "--tokens", path(&tokens), "--identity", "1"]);
    fs::write(&tokens, "1,2\n3,4\n").expect("written");
    assert_eq!(run(&["measure", "--tokens", path(&tokens), "--identity", "1"]).0, norm);
    let table = folder.path().join("table.csv");
    let model = ["model", "--weights", "random:gpt2", "--dim", "16", "--heads", "2", "-n", "4", "-o", path(&table)];
    run(&model);
    let plain = fs::read_to_string(&table).expect("written");
    let utf16: Vec<u8> =
        format!("\u{feff}{}", plain.replace('\n', "\r\n")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&table, utf16).expect("written");
    run(&model);
    assert_eq!(fs::read_to_string(&table).expect("written"), plain);
}

#[test]
fn a_pointer_of_git_lfs_is_named_wherever_a_file_is_read() {
    let pointer = case("lfs_pointer/model.safetensors");
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["config.json", "tokenizer.json", "text.txt"] {
        fs::copy(case("zero_tensors").join(name), folder.path().join(name)).expect("copied");
    }
    let weights = fs::read(case("zero_tensors/model.safetensors")).expect("a file");
    fs::write(folder.path().join("model.safetensors"), weights).expect("written");
    fs::copy(&pointer, folder.path().join("tokenizer.json")).expect("copied");
    let of_tokenizer = path(folder.path()).to_owned();
    for arguments in [
        &["model", "--weights", path(&case("lfs_pointer"))][..],
        &["model", "--weights", &of_tokenizer],
        &["model", "--weights", "random:gpt2", "--text", path(&pointer)],
        &["measure", path(&pointer)],
        &["measure", "--tokens", path(&pointer), "--identity", "1"],
        &["merge", path(&pointer)],
        &["train", "--text", path(&pointer)],
    ] {
        let said = problem(arguments, 1);
        for words in ["git-lfs pointer", "12345678", "git lfs pull"] {
            assert!(said.contains(words), "{arguments:?}: {said}");
        }
    }
}

/// The notes of a run over the first layers of a folder with a model.
fn notes_of(folder: &Path) -> String {
    let text = case("zero_tensors/text.txt");
    let arguments = ["model", "--weights", path(folder), "--text", path(&text), "-n", "12", "--windows", "1"];
    let (table, said) = run(&arguments);
    let notes: Vec<&str> = said.lines().filter(|line| line.contains("note")).collect();
    let table = lipscope_models::Table::parse("table", &table).expect("a table").expect("rows");
    assert_eq!(table.notes.len(), notes.len(), "{said}");
    notes.join("\n")
}

#[test]
fn two_copies_of_weights_and_tensors_of_zeros_are_noted() {
    let other_copy = notes_of(&case("index_names_other_copy"));
    assert!(other_copy.contains("9 tensors are in two files") && other_copy.contains("index.json"), "{other_copy}");
    let zeros = notes_of(&case("zero_tensors"));
    assert!(zeros.contains("every number of 4 matrices") && zeros.contains("self_attn.q_proj.weight"), "{zeros}");
    let both = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(case("index_names_other_copy")).expect("a folder").flatten() {
        fs::copy(entry.path(), both.path().join(entry.file_name())).expect("copied");
    }
    fs::copy(case("zero_tensors/model.safetensors"), both.path().join("model.safetensors")).expect("copied");
    let both = notes_of(both.path());
    assert!(both.contains("model.safetensors was read") && both.contains("every number"), "{both}");
    let whole = run(&["model", "--weights", "tests/data/models/gpt2", "-n", "12", "--windows", "1"]).1;
    assert!(!whole.contains("two files") && !whole.contains("zero"), "{whole}");
}

#[test]
fn a_long_text_gives_the_windows_of_its_beginning_for_the_memory_of_its_beginning() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = folder.path().join("long.txt");
    let line = "Attention is all you need; how smooth is it?\n";
    // Above one MiB, which is the beginning that is read at least.
    let count = (5 << 20) / line.len();
    fs::write(&long, line.repeat(count)).expect("written");
    let model = |text: &Path, windows: &str, memory: &str| {
        let mut command =
            lipscope(&["model", "--weights", "tests/data/models/gpt2", "-n", "24", "--estimator", "spectral"]);
        command.args(["--text", path(text), "--windows", windows, "--memory", memory]);
        command
    };
    let short = folder.path().join("short.txt");
    fs::write(&short, line.repeat(100)).expect("written");
    let table =
        |mut command: Command| String::from_utf8_lossy(&command.assert().success().get_output().stdout).into_owned();
    let (of_long, of_short) = (table(model(&long, "2", "300MiB")), table(model(&short, "2", "300MiB")));
    assert_eq!(column(&of_long, "spectral"), column(&of_short, "spectral"));
    assert_ne!(column(&of_long, "text"), column(&of_short, "text"));
    // How much of it is read does not change what the text is called.
    assert_eq!(column(&table(model(&long, "3", "300MiB")), "text")[0], column(&of_long, "text")[0]);
    // What its windows need is refused before it is split.
    let refused = model(&long, "100000", "300MiB").assert().code(3).get_output().stderr.clone();
    let refused = String::from_utf8_lossy(&refused);
    assert!(refused.contains("Splitting the text") && refused.contains("300 MiB"), "{refused}");
    let refused = model(&long, "1", "100MiB").assert().code(3).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&refused).contains("the length of the text"));
    // A file that never ends: no more of it is read than is needed.
    #[cfg(unix)]
    {
        let endless = "yes 'Attention is all you need; how smooth is it?' | ";
        let program = assert_cmd::cargo::cargo_bin!("lipscope");
        let line = format!(
            "{endless} {} model --weights tests/data/models/gpt2 -n 24 --windows 2 --estimator spectral --text -",
            program.display()
        );
        let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(in_repository(".")).output();
        let output = output.expect("there is sh");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let table = String::from_utf8_lossy(&output.stdout);
        assert_eq!(column(&table, "spectral"), column(&of_short, "spectral"));
        assert_eq!(column(&table, "text"), column(&of_long, "text"));
    }
}

#[test]
fn a_file_over_its_limit_is_refused_by_its_size_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let huge = folder.path().join("huge.json");
    // A file of 1 TiB that holds nothing: reading it would not end.
    fs::File::create(&huge).and_then(|file| file.set_len(1 << 40)).expect("a sparse file");
    for arguments in [
        &["measure", path(&huge)][..],
        &["measure", "--tokens", path(&huge), "--identity", "1"],
        &["merge", path(&huge)],
        &["train", "--text", path(&huge)],
        &["model", "--weights", "random:gpt2", "--tokenizer", path(&huge)],
    ] {
        let said = problem(arguments, 1);
        assert!(said.contains("huge.json") || said.contains("1099511627776"), "{arguments:?}: {said}");
        assert!(said.contains("limit") || said.contains("at most"), "{arguments:?}: {said}");
    }
}

#[test]
fn default_lengths_follow_the_model() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["model.safetensors", "tokenizer.json", "text.txt"] {
        fs::copy(in_repository("tests/data/models/llama").join(name), folder.path().join(name)).expect("copied");
    }
    let config = fs::read_to_string(in_repository("tests/data/models/llama/config.json")).expect("a file");
    let mut config: Value = serde_json::from_str(&config).expect("JSON");
    config["max_position_embeddings"] = 16.into();
    fs::write(folder.path().join("config.json"), config.to_string()).expect("written");
    let text = folder.path().join("text.txt");
    let (table, _) = run(&["model", "--weights", path(folder.path()), "--text", path(&text), "--windows", "1"]);
    let lengths: Vec<usize> = column(&table, "n").iter().map(|n| n.parse().expect("a number")).collect();
    assert_eq!(lengths, [2, 4, 6, 8, 10, 12, 14, 16]);
    let said =
        problem(&["model", "--weights", path(folder.path()), "--text", path(&text), "-n", "17", "--windows", "1"], 1);
    assert!(said.contains("16"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_closed_standard_output_ends_with_status_1() {
    let program = assert_cmd::cargo::cargo_bin!("lipscope");
    let e = case("powershell_utf16/e.json");
    for arguments in [
        format!("measure {}", path(&e)),
        format!("bounds {}", path(&e)),
        format!("growth {} -n 2:9:x3 --json", path(&e)),
        format!("sweep {} -n 2,3", path(&e)),
        format!("script --numpy {}", path(&e)),
        "model --families".into(),
        "model --weights random:gpt2 --dim 16 --heads 2 -n 4".into(),
        "--help".into(),
        "--version".into(),
    ] {
        // `true` reads nothing, and has ended before anything is written.
        let piped = format!("{{ sleep 0.3; {} {arguments}; echo $? >&3; }} 3>&2 2>/dev/null | true", program.display());
        let closed = format!("{} {arguments} >&- 2>/dev/null; echo $? >&2", program.display());
        for line in [piped, closed] {
            let mut command = std::process::Command::new("sh");
            let output = command.args(["-c", &line]).current_dir(in_repository(".")).stdin(Stdio::null()).output();
            let status = String::from_utf8_lossy(&output.expect("there is sh").stderr).trim().to_owned();
            assert_eq!(status, "1", "{line}");
        }
    }
    // A table in a file needs no standard output.
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("t.csv");
    let line =
        format!("{} model --weights random:gpt2 --dim 16 --heads 2 -n 4 -o {} >&-", program.display(), path(&out));
    let done = std::process::Command::new("sh").args(["-c", &line]).status().expect("there is sh");
    assert!(done.success() && out.is_file());
    let said = problem_of_closed(program, &e);
    assert!(said.contains("Standard output was closed"), "{said}");
}

#[cfg(unix)]
fn problem_of_closed(program: &Path, file: &Path) -> String {
    let line = format!("{} measure {} >&-", program.display(), path(file));
    let output = std::process::Command::new("sh").args(["-c", &line]).output().expect("there is sh");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_help_of_model_names_every_family_and_bounds_name_other_norms() {
    let (help, _) = run(&["model", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for (_, name) in lipscope_models::names_of_families() {
        assert!(help.contains(name), "{name}: {help}");
    }
    assert!(!help.contains("of a BERT or GPT-2"), "{help}");
    let file = r#"{"tokens":{"source":"random","n":8},"weights":{"source":"identity","sign":-1}}"#;
    let run = |more: &[&str]| {
        let output = lipscope(&[&["bounds", "-n", "2,9"][..], more].concat()).write_stdin(file).assert().success();
        String::from_utf8_lossy(&output.get_output().stdout).into_owned()
    };
    let json: Value = serde_json::from_str(&run(&["--json"])).expect("JSON");
    let columns = run(&[]);
    let header: Vec<&str> = columns.lines().next().expect("a header").split_whitespace().collect();
    let bounds = json["bounds"].as_array().expect("bounds");
    assert!(bounds.iter().any(|bound| bound["norm"] != "spectral"), "{bounds:?}");
    for bound in bounds {
        let (id, norm) = (bound["id"].as_str().expect("a name"), bound["norm"].as_str().expect("a name"));
        let title = if norm == "spectral" { id.to_owned() } else { format!("{id}[{norm}]") };
        assert!(header.contains(&title.as_str()), "{title}: {header:?}");
    }
}

#[test]
fn messages_are_sentences_without_the_words_of_a_parser() {
    for (text, words) in [
        ("{\"tokens\":", "the text ends where a value is missing (line 1, column 10)"),
        ("{\"tokens\":{\"source\":\"explicit\",\"rows\":[[1,2],[3]]}}", "has length 1, but row 1 has length 2"),
    ] {
        let output = lipscope(&["measure"]).write_stdin(text).assert().code(1).get_output().stderr.clone();
        let said = String::from_utf8_lossy(&output);
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("EOF") && !said.contains("1 numbers"), "{said}");
    }
}
