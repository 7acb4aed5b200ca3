//! The table of docs/reliability.md: the inputs that all runs of this version read, each run with its own seed.
//!
//! The runs are kept beside the document, in its folder's `fuzz.json`. A run replaces an earlier run with the same
//! seed, because it reads the same inputs; runs of another version are removed.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::corpus;
use crate::doors::DOORS;

/// Marks around the table in the document.
const BEGIN: &str = "<!-- fuzz: written by `make fuzz` -->";
const END: &str = "<!-- fuzz: end -->";

/// The results of all processes at a door.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// The name of the door.
    pub door: String,
    /// Inputs that were read.
    pub inputs: u64,
    /// How many of them were taken.
    pub taken: u64,
    /// The longest time of one input, in seconds.
    pub slowest: f64,
    /// How long processes worked on the door.
    pub minutes: f64,
    /// Faults that were found.
    pub faults: u64,
}

/// A run of `make fuzz`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The version of Lipscope.
    pub version: String,
    /// The day, as 2026-01-31.
    pub date: String,
    /// The commit.
    pub commit: String,
    /// How many processes read inputs.
    pub processes: usize,
    /// The seed.
    pub seed: u64,
    /// The doors.
    pub doors: Vec<Row>,
}

impl Run {
    fn inputs(&self) -> u64 {
        self.doors.iter().map(|row| row.inputs).sum()
    }

    fn minutes(&self) -> f64 {
        self.doors.iter().map(|row| row.minutes).sum()
    }
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.inputs += other.inputs;
        self.taken += other.taken;
        self.slowest = self.slowest.max(other.slowest);
        self.minutes += other.minutes;
        self.faults += other.faults;
    }
}

/// A seed that no run of a document has: one more than the largest.
///
/// # Errors
/// Where the kept runs cannot be read.
pub fn next_seed(document: &Path) -> io::Result<u64> {
    Ok(runs(document)?.iter().map(|run| run.seed).max().unwrap_or(0) + 1)
}

/// Keeps a run and writes the table of all runs of its version into the document.
///
/// # Errors
/// Where the document, the runs or a corpus cannot be read or written, or the document has no place for the table.
pub fn record(document: &Path, run: Run) -> io::Result<()> {
    let mut runs = runs(document)?;
    runs.retain(|other| other.version == run.version && other.seed != run.seed);
    runs.push(run);
    let text = fs::read_to_string(document)?;
    let lacks = || io::Error::other(format!("{} lacks the lines {BEGIN} and {END}", document.display()));
    let (before, rest) = text.split_once(BEGIN).ok_or_else(lacks)?;
    let (_, after) = rest.split_once(END).ok_or_else(lacks)?;
    let kept = kept(document);
    fs::create_dir_all(kept.parent().unwrap_or(document))?;
    fs::write(kept, serde_json::to_string_pretty(&runs)? + "\n")?;
    fs::write(document, format!("{before}{BEGIN}\n{}{END}{after}", table(&runs)?))
}

/// The file of the runs of a document.
fn kept(document: &Path) -> PathBuf {
    document.with_extension("").join("fuzz.json")
}

fn runs(document: &Path) -> io::Result<Vec<Run>> {
    match fs::read(kept(document)) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(problem) => Err(problem),
    }
}

/// The tables as Markdown: doors, then runs.
fn table(runs: &[Run]) -> io::Result<String> {
    let mut out = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| writeln!(out, "{text}").map_err(io::Error::other);
    let inputs = runs.iter().map(Run::inputs).sum();
    let minutes: f64 = runs.iter().map(Run::minutes).sum();
    let version = runs.first().map_or("", |run| &run.version);
    line(format_args!(
        "Version {version}: {} inputs in {minutes:.0} minutes; runs, each with a seed of its own: {}.\n",
        thousands(inputs),
        runs.len()
    ))?;
    line(format_args!(
        "| door | what is read, and what is done with it | inputs | taken | slowest | minutes | faults found | faults kept as tests |"
    ))?;
    line(format_args!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"))?;
    for door in &DOORS {
        let mut sum = Row::default();
        runs.iter().flat_map(|run| &run.doors).filter(|row| row.door == door.name).for_each(|row| sum.add(row));
        let n_kept = corpus::entries(door.name)?.iter().filter(|entry| entry.name.starts_with("fault-")).count();
        line(format_args!(
            "| `{}` | {} | {} | {} | {:.2} s | {:.1} | {} | {n_kept} |",
            door.name,
            door.about,
            thousands(sum.inputs),
            thousands(sum.taken),
            sum.slowest,
            sum.minutes,
            sum.faults,
        ))?;
    }
    line(format_args!("\n| run | commit | seed | processes | minutes | inputs | faults found |"))?;
    line(format_args!("| --- | --- | ---: | ---: | ---: | ---: | ---: |"))?;
    for run in runs {
        let Run { date, commit, seed, processes, doors, .. } = run;
        let faults: u64 = doors.iter().map(|row| row.faults).sum();
        let (minutes, inputs) = (run.minutes(), thousands(run.inputs()));
        line(format_args!("| {date} | {commit} | {seed} | {processes} | {minutes:.0} | {inputs} | {faults} |"))?;
    }
    Ok(out)
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, Row, Run, fs, kept, next_seed, record};

    #[test]
    fn a_number_is_written_with_its_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(super::thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn runs_add_up_unless_they_read_the_same_inputs() {
        let folder = tempfile::tempdir().expect("a folder");
        let document = folder.path().join("document.md");
        fs::write(&document, format!("before\n{BEGIN}\n{END}\nafter\n")).expect("a document");
        let run = |version: &str, seed, inputs| Run {
            version: version.into(),
            date: "2026-01-31".into(),
            commit: "abc".into(),
            processes: 1,
            seed,
            doors: vec![Row { door: "plan".into(), inputs, ..Row::default() }],
        };
        for (version, seed, inputs, total) in
            [("1", 1, 1000, "1,000"), ("1", 2, 500, "1,500"), ("1", 2, 700, "1,700"), ("2", 3, 5, "5")]
        {
            record(&document, run(version, seed, inputs)).expect("a table");
            let text = fs::read_to_string(&document).expect("the document");
            assert!(text.contains(&format!("Version {version}: {total} inputs")), "{text}");
            assert!(text.starts_with("before\n") && text.ends_with("after\n"), "{text}");
        }
        assert_eq!(next_seed(&document).expect("the runs"), 4);
        assert!(kept(&document).starts_with(folder.path().join("document")));
    }
}
