//! The command line under faults from outside: full disks, folders that cannot be written to, signals, missing shards.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use lipscope_testkit::in_repository;

const EXPERIMENT: &str =
    r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#;

/// A small randomly initialised model; lengths follow.
const SMALL: [&str; 10] = ["model", "--weights", "random:gpt2", "--dim", "32", "--depth", "3", "--heads", "4", "-n"];

fn lipscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository(".")).args(arguments).stdin(Stdio::null());
    command
}

fn small(lengths: &str, more: &[&str]) -> Command {
    lipscope(&[&SMALL[..], &[lengths], more].concat())
}

fn done(mut command: Command) -> Output {
    command.output().expect("it runs")
}

/// Merges tables of a folder.
fn merge(folder: &Path, parts: &[&str], more: &[&str]) -> Output {
    let mut command = lipscope(&["merge"]);
    command.args(parts.iter().map(|part| folder.join(part))).arg("-o").arg(folder.join("all.csv")).args(more);
    done(command)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names of the files of a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn merged_parts_that_lack_windows_say_which_and_of_which_shards_and_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let run = |shard: &str, out: &str| {
        let output = done(small("8,20,40", &["--windows", "12", "--layers", "0,2", "--shard", shard, "-o", out]));
        assert!(output.status.success(), "{}", said(&output));
    };
    for shard in ["0", "1", "2"] {
        run(&format!("{shard}/3"), &path(&format!("{shard}.csv")));
    }
    let all = path("all.csv");
    let output = merge(folder.path(), &["0.csv", "1.csv", "2.csv"], &[]);
    assert!(output.status.success() && !said(&output).contains("missing"), "{}", said(&output));
    let whole = fs::read_to_string(&all).expect("written");
    // One shard is missing: the rows of the others are written all the same.
    let output = merge(folder.path(), &["0.csv", "2.csv"], &[]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("measurements are missing: n = "), "{}", said(&output));
    let part = fs::read_to_string(&all).expect("written");
    assert!(part.lines().all(|line| whole.contains(line)) && part.len() < whole.len(), "{part}");
    // If the number of windows and shards is given, everything missing is named.
    let known = |parts: &[&str]| merge(folder.path(), parts, &["--windows", "12", "--shards", "3"]);
    assert!(known(&["0.csv", "1.csv", "2.csv"]).status.success());
    let problem = said(&known(&["0.csv", "2.csv"]));
    let lacking = whole.lines().count() - part.lines().count();
    assert!(problem.contains(&format!("{lacking} of 72 measurements are missing: n = ")), "{problem}");
    assert!(problem.contains("They belong to the shards 1/3 ("), "{problem}");
    assert!(!problem.contains("0/3") && !problem.contains("2/3"), "{problem}");
    // A shard that ended early, and one that is not there.
    let early = fs::read_to_string(path("2.csv")).expect("written");
    let cut: Vec<&str> = early.lines().collect();
    fs::write(path("2.csv"), cut[..cut.len() - 1].join("\n") + "\n").expect("written");
    let problem = said(&known(&["0.csv", "2.csv"]));
    assert!(problem.contains("1/3 (") && problem.contains("2/3 (1 windows)"), "{problem}");
    lipscope(&["merge", "x.csv", "--shards", "0"])
        .stderr(Stdio::null())
        .status()
        .map_or_else(|problem| panic!("{problem}"), |status| assert_eq!(status.code(), Some(2)));
    // A single table lacks windows too; which ones is unknown.
    let output = merge(folder.path(), &["2.csv"], &[]);
    assert_eq!(output.status.code(), Some(4));
    assert!(
        said(&output).contains("measurements are missing") && !said(&output).contains("shards"),
        "{}",
        said(&output)
    );
    // A table that claims more windows than any run has is refused quickly.
    let row = early.lines().nth(1).expect("a row").replacen(",0,all,", ",7,all,", 1);
    let fields: Vec<&str> = row.split(',').collect();
    let far = [&fields[..8], &["18446744073709551615"], &fields[9..]].concat().join(",");
    fs::write(path("far.csv"), format!("{}\n{far}\n", early.lines().next().expect("a header"))).expect("written");
    let output = merge(folder.path(), &["far.csv"], &[]);
    assert!(said(&output).contains("measurements are missing."), "{}", said(&output));
}

#[test]
fn shards_that_hold_whole_lengths_or_last_windows_are_missed_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let shared_out = |lengths: &str, more: &[&str]| {
        for shard in 0..3 {
            let (shard, out) = (format!("{shard}/3"), path(&format!("{shard}.csv")));
            let _ = fs::remove_file(&out);
            let output = done(small(lengths, &[&["--shard", &shard, "-o", &out], more].concat()));
            assert!(output.status.success(), "{}", said(&output));
        }
    };
    let merge = |parts: &[&str], more: &[&str]| merge(folder.path(), parts, more);
    let (all, two) = (["0.csv", "1.csv", "2.csv"], ["0.csv", "1.csv"]);
    // One window for each length, and one length in each shard.
    shared_out("300,400,500", &["--windows", "1", "--mask", "none", "--estimator", "released"]);
    let rows = |part: &str| fs::read_to_string(path(part)).expect("written").lines().count() - 1;
    assert_eq!(all.map(rows), [1, 1, 1]);
    let run = ["-n", "300,400,500", "--windows", "1"];
    for more in [&[][..], &["--shards", "3"], &run, &[&run[..], &["--shards", "3"]].concat()] {
        let output = merge(&all, more);
        assert!(output.status.success(), "{more:?}: {}", said(&output));
    }
    let output = merge(&two, &["--shards", "3"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("the run had 3 shards, and the tables given are 2: "), "{}", said(&output));
    let output = merge(&two, &[&run[..], &["--shards", "3"]].concat());
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("1 of 3 measurements are missing: n = 300 windows 0."), "{}", said(&output));
    assert!(said(&output).contains("They belong to the shards 2/3 (1 windows)"), "{}", said(&output));
    // Tables merged earlier are fewer than the shards; the facts about the run show that they are complete.
    fs::rename(path("all.csv"), path("some.csv")).expect("there");
    let some = ["some.csv", "2.csv"];
    assert_eq!(merge(&some, &["--shards", "3"]).status.code(), Some(4));
    assert!(merge(&some, &[&run[..], &["--shards", "3"]].concat()).status.success());
    // Heads at adversarial tokens are distributed in another way, so only a table of each shard is enough.
    shared_out("4", &["--adversarial", "2", "--head", "0,1,2", "--layers", "0"]);
    assert!(merge(&all, &["--shards", "3"]).status.success());
    assert_eq!(merge(&two, &["--shards", "3", "-n", "4", "--windows", "1"]).status.code(), Some(4));
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_that_finds_no_room_on_standard_error_stops_nothing() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let mut child =
        lipscope(&["measure"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(full).spawn().expect("it runs");
    let lines = [EXPERIMENT, r#"{"tokens":1}"#, EXPERIMENT].join("\n");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), lines.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_sentence_and_takes_nothing_away() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    for arguments in [&["measure", "-"][..], &["bounds", "-"], &["growth", "-"], &["certify", "-", "--epsilon", "0.1"]]
    {
        let mut child =
            lipscope(arguments).stdin(Stdio::piped()).stdout(full()).stderr(Stdio::piped()).spawn().expect("it runs");
        std::io::Write::write_all(&mut child.stdin.take().expect("piped"), EXPERIMENT.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("No space left"), "{arguments:?}: {}", said(&output));
    }
    // A path that is not a regular file is written directly, not replaced.
    let output = done(small("4", &["--windows", "1", "-o", "/dev/full"]));
    assert!(said(&output).contains("/dev/full cannot be written") && !output.status.success(), "{}", said(&output));
    // If its file cannot be written, a measured table goes to standard output.
    assert!(said(&output).contains("the table is on standard output"), "{}", said(&output));
    assert_eq!(output.stdout, done(small("4", &["--windows", "1"])).stdout);
    assert!(!Path::new("/dev/full.part").exists() && !fs::metadata("/dev/full").expect("there").is_file());
    assert!(done(small("4", &["--windows", "1", "-o", "/dev/null"])).status.success());
    assert!(!fs::metadata("/dev/null").expect("there").is_file());
}

#[cfg(unix)]
#[test]
fn a_table_that_finds_no_more_room_stays_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("table.csv").display().to_string();
    assert!(done(small("4", &["--windows", "1", "-o", &table])).status.success());
    let before = fs::read_to_string(&table).expect("written");
    // A file size limit stands in for a full disk: a kilobyte here.
    let program = assert_cmd::cargo::cargo_bin!("lipscope").display().to_string();
    let command = format!("trap '' XFSZ; ulimit -f 1; exec '{program}' \"$@\"");
    let output = Command::new("bash")
        .args(["-c", &command, "lipscope"])
        .args(SMALL)
        .args(["4,6,8", "--windows", "9", "-o", &table])
        .output()
        .expect("bash runs");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("table.csv cannot be written"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&table).expect("still there"), before);
    assert_eq!(names(folder.path()), ["table.csv"]);
    // A link stays a link to the table.
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink(&table, &link).expect("a link");
    assert!(done(small("4,6", &["--windows", "1", "-o", &link.display().to_string()])).status.success());
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert!(fs::read_to_string(&table).expect("there").len() > before.len());
    // A link to a missing table stays a link too.
    fs::remove_file(&table).expect("there");
    assert!(done(small("4,6", &["--windows", "1", "-o", &link.display().to_string()])).status.success());
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink() && Path::new(&table).is_file());
    // The file's permissions do not become wider.
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&table, fs::Permissions::from_mode(0o600)).expect("ours");
    assert!(done(small("4,6,8", &["--windows", "1", "-o", &table])).status.success());
    assert_eq!(fs::metadata(&table).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("none/table.csv").display().to_string();
    for out in [&*inside, if cfg!(target_os = "linux") { "/proc/table.csv" } else { &inside }] {
        let output = done(small("4", &["--windows", "1", "-o", out]));
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains(&format!("{out} cannot be written")), "{}", said(&output));
        // The refusal comes before anything is measured: otherwise the table would be on standard output.
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        let output = done(small("4", &["--windows", "1", "--svg", out]));
        assert!(output.status.code() == Some(1) && said(&output).contains(out), "{}", said(&output));
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Rows of a table, each of them whole.
#[cfg(unix)]
fn rows(table: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(table) else { return Vec::new() };
    assert!(text.ends_with('\n'), "the last line is not whole");
    let rows: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    assert!(rows.iter().all(|row| row.split(',').count() == 17), "{text}");
    rows
}

/// Waits until a table has more rows, or its run is over.
#[cfg(unix)]
fn wait_for_more(table: &Path, before: usize, run: &mut Child) {
    while rows(table).len() <= before && run.try_wait().expect("a process").is_none() {
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn signals_while_a_table_is_written_lose_nothing_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("table.csv");
    // This run takes more than three times as long as the time from one writing of its table to the next, which is
    // below two seconds.
    let long = ["--windows", "25", "--layers", "0,1,2", "--head", "each", "--threads", "1", "--tolerance", "1e-14"];
    let run = |more: &[&str]| small("8:40:1", &[&long[..], more].concat());
    let out = table.display().to_string();
    let mut before: Vec<String> = Vec::new();
    let mut cut_off = 0;
    for signal in ["TERM", "INT", "KILL"] {
        let mut child = run(&["-o", &out]).stderr(Stdio::null()).spawn().expect("it runs");
        wait_for_more(&table, before.len(), &mut child);
        // The run may be over already.
        let _ = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).output();
        cut_off += usize::from(child.wait().expect("it ends").code().is_none());
        let after: BTreeSet<String> = rows(&table).into_iter().collect();
        assert!(before.iter().all(|row| after.contains(row)), "{signal} took rows away");
        before = after.into_iter().collect();
    }
    assert!(cut_off > 0 && !before.is_empty(), "no signal met a run at work");
    let output = done(run(&["-o", &out]));
    assert!(output.status.success(), "{}", said(&output));
    let whole = String::from_utf8(done(run(&[])).stdout).expect("text");
    assert_eq!(fs::read_to_string(&table).expect("written"), whole);
    assert_eq!(names(folder.path()), ["table.csv"]);
}

#[test]
fn a_line_that_costs_too_much_or_is_none_leaves_the_others_answered() {
    let huge = r#"{"tokens":{"source":"random","n":16384,"d":256},"weights":{"source":"random","heads":1024}}"#;
    let nested = "[".repeat(100_000);
    let lines = [EXPERIMENT, huge, &nested, "\u{0}", EXPERIMENT].join("\n");
    let mut child = lipscope(&["measure"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), lines.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    let problem = said(&output);
    assert!(
        ["line 2: The measurement would take", "line 3: ", "line 4: "].iter().all(|line| problem.contains(line)),
        "{problem}"
    );
}
