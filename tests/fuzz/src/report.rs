//! The table of docs/reliability.md.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::corpus;
use crate::door::Door;

/// Around the table in the document.
const BEGIN: &str = "<!-- fuzz: written by `make fuzz` -->";
const END: &str = "<!-- fuzz: end -->";

/// What all processes together did at a door.
#[derive(Clone, Debug)]
pub struct Row {
    /// The door.
    pub door: &'static Door,
    /// Inputs that were read.
    pub inputs: u64,
    /// How many of them were taken.
    pub taken: u64,
    /// The longest that one took.
    pub slowest: Duration,
    /// How long the door was worked on.
    pub time: Duration,
    /// Faults that this run found.
    pub faults: usize,
}

/// When, where and how a run was made: the sentence over the table.
#[derive(Clone, Debug)]
pub struct Circumstances {
    /// The day, as 2026-01-31.
    pub date: String,
    /// The commit.
    pub commit: String,
    /// How many processes read inputs.
    pub processes: usize,
    /// The seed.
    pub seed: u64,
}

/// The table as Markdown.
///
/// # Errors
/// Where a corpus cannot be read.
pub fn table(rows: &[Row], run: &Circumstances) -> io::Result<String> {
    let mut out = String::new();
    let total: u64 = rows.iter().map(|row| row.inputs).sum();
    let minutes = rows.iter().map(|row| row.time.as_secs_f64()).sum::<f64>() / 60.0;
    let Circumstances { date, commit, processes, seed } = run;
    let mut line = |text: std::fmt::Arguments<'_>| writeln!(out, "{text}").map_err(io::Error::other);
    line(format_args!(
        "{date}, commit {commit}, seed {seed}: {} inputs in {minutes:.0} minutes by {processes} processes. A build with debug \
         assertions and overflow checks.\n",
        thousands(total)
    ))?;
    line(format_args!(
        "| door | what is read, and what is done with it | inputs | taken | slowest | minutes | faults now | faults mended |"
    ))?;
    line(format_args!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"))?;
    for row in rows {
        let mended = corpus::entries(row.door.name)?.iter().filter(|entry| entry.name.starts_with("fault-")).count();
        line(format_args!(
            "| `{}` | {} | {} | {} | {:.2} s | {:.1} | {} | {mended} |",
            row.door.name,
            row.door.about,
            thousands(row.inputs),
            thousands(row.taken),
            row.slowest.as_secs_f64(),
            row.time.as_secs_f64() / 60.0,
            row.faults,
        ))?;
    }
    Ok(out)
}

/// Puts a table into a document, in the place of the one that is there.
///
/// # Errors
/// Where the document cannot be read or written, or has no place for the table.
pub fn write(document: &Path, table: &str) -> io::Result<()> {
    let text = fs::read_to_string(document)?;
    let lacks = || io::Error::other(format!("{} lacks the lines {BEGIN} and {END}", document.display()));
    let (before, rest) = text.split_once(BEGIN).ok_or_else(lacks)?;
    let (_, after) = rest.split_once(END).ok_or_else(lacks)?;
    fs::write(document, format!("{before}{BEGIN}\n{table}{END}{after}"))
}

fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_number_is_written_with_its_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(super::thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
