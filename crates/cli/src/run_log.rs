//! The log of a monitored run that a command writes: to a file, which it continues, or to standard output.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::exit::Failure;
use super::files::{MOST_RESULTS, probe, read_text_up_to, save, unwritable};
use super::output::stdout;
use lipscope_core::experiment::InputError;
use lipscope_run::{Header, Row, Run, RunError};

/// A log.
pub(super) struct RunLog {
    /// The file; standard output without one.
    out: Option<PathBuf>,
    /// The lines of the file.
    lines: Vec<String>,
    /// The steps of which it has norms.
    steps: BTreeSet<u64>,
}

impl RunLog {
    /// Continues the log of a file, or begins one. A file that cannot be written is refused here.
    ///
    /// # Errors
    /// [`InputError`] if the file is no log of this model, these maps and columns; those of standard output.
    pub(super) fn open(out: Option<&Path>, header: Header) -> Result<Self, Failure> {
        let begun = RunLog { out: out.map(Path::to_path_buf), lines: vec![header.to_line()], steps: BTreeSet::new() };
        let Some(path) = out else {
            writeln!(stdout()?, "{}", header.to_line())?;
            return Ok(begun);
        };
        probe(path).map_err(|error| unwritable(path, &error))?;
        if !path.is_file() {
            return Ok(begun);
        }
        let name = path.display().to_string();
        let text = read_text_up_to(path, MOST_RESULTS)?.text;
        if text.trim().is_empty() {
            return Ok(begun);
        }
        let run = match Run::parse(&text) {
            Ok(run) => run,
            Err(RunError::NoRows) => return Ok(begun),
            Err(error) => return Err(error.in_file(name).into()),
        };
        if run.header() != Some(&header) {
            return Err(another_run(name).into());
        }
        // A step without any norm is measured again: its checkpoint may not have been whole.
        let steps: BTreeSet<u64> = run.rows().iter().filter(|row| row.value.is_some()).map(|row| row.step).collect();
        let kept = run.rows().iter().filter(|row| steps.contains(&row.step));
        let lines = std::iter::once(header.to_line()).chain(kept.map(Row::to_line)).collect();
        Ok(RunLog { lines, steps, ..begun })
    }

    /// Whether the log has norms of a step.
    pub(super) fn has_step(&self, step: u64) -> bool {
        self.steps.contains(&step)
    }

    /// Adds the rows of a step and writes them.
    ///
    /// # Errors
    /// [`InputError::Conflict`] if the file cannot be written; those of standard output.
    pub(super) fn add(&mut self, rows: Vec<Row>) -> Result<(), Failure> {
        let lines: Vec<String> = rows.iter().map(Row::to_line).collect();
        let Some(path) = &self.out else {
            let mut out = stdout()?;
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
            return Ok(out.flush()?);
        };
        self.lines.extend(lines);
        let text = self.lines.join("\n") + "\n";
        Ok(save(path, text).map_err(|error| unwritable(path, &error))?)
    }
}

fn another_run(file: String) -> InputError {
    InputError::Conflict {
        what: file.into(),
        problem: "is a log of another model, probe, maps or columns".into(),
        fix: "Give a file that does not exist, or the options of that log.".into(),
    }
}
