//! Reads a log line by line, so that a caller can pause between lines.

use super::error::{RowProblem, RunError};
use super::header::Header;
use super::members::Members;
use super::row::Row;
use super::run::{Gathered, Run};

/// Reads the lines of a log, one at a time.
#[derive(Clone, Debug, Default)]
pub struct RunReader {
    gathered: Gathered,
    lines: usize,
}

impl RunReader {
    /// A reader before the first line.
    #[must_use]
    pub fn new() -> Self {
        RunReader::default()
    }

    /// Reads the next line; a blank line holds nothing.
    ///
    /// # Errors
    /// [`RunError::Line`] with its number.
    pub fn read_line(&mut self, line: &str) -> Result<(), RunError> {
        self.lines += 1;
        // A file that an editor saved may begin with a mark of its encoding.
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() {
            return Ok(());
        }
        self.take(line).map_err(|problem| RunError::Line { line: self.lines, problem })
    }

    /// Reads the rest of a text after its last line break. A program that is still writing may have written only a part of the
    /// line: what is not JSON is left out.
    ///
    /// # Errors
    /// As [`RunReader::read_line`].
    pub fn read_last_line(&mut self, line: &str) -> Result<(), RunError> {
        match self.read_line(line) {
            Err(RunError::Line { problem: RowProblem::NotJson { .. }, .. }) if !self.gathered.is_empty() => Ok(()),
            read => read,
        }
    }

    fn take(&mut self, line: &str) -> Result<(), RowProblem> {
        let members = Members::of_line(line)?;
        if !Header::is_meant(&members) {
            self.gathered.add(Row::try_from(members)?);
            return Ok(());
        }
        if !self.gathered.is_empty() || self.gathered.header().is_some() {
            return Err(RowProblem::SecondHeader);
        }
        *self.gathered.header() = Some(members.try_into()?);
        Ok(())
    }

    /// The run.
    ///
    /// # Errors
    /// [`RunError::NoRows`].
    pub fn finish(self) -> Result<Run, RunError> {
        if self.gathered.is_empty() { Err(RunError::NoRows) } else { Ok(self.gathered.finish()) }
    }
}

impl Run {
    /// Reads a whole log. The steps of a [`RunReader`] do the same in pieces.
    ///
    /// # Errors
    /// [`RunError`] with the line, the field, what was found and what is allowed.
    pub fn parse(text: &str) -> Result<Self, RunError> {
        let mut reader = RunReader::new();
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_some() { reader.read_line(line)? } else { reader.read_last_line(line)? }
        }
        reader.finish()
    }
}
