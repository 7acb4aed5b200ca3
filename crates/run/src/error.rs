//! Errors of a log: the line, the field, what was found and what is allowed.

use std::fmt;

use lipscope_core::experiment::{InputError, Phrase, json_problem};
use lipscope_core::phrase;

/// What is wrong with one line of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum RowProblem {
    /// The line is not JSON.
    NotJson {
        /// The parser's message.
        detail: Phrase,
        /// The column in the line, from 1.
        column: usize,
    },
    /// A required key is missing.
    Missing {
        /// The key.
        field: String,
        /// What it may hold.
        allowed: Phrase,
    },
    /// A value of the wrong kind or outside its range.
    Wrong {
        /// The key, with that of the object which holds it.
        field: String,
        /// The value, as JSON, shortened.
        found: String,
        /// What it may hold.
        allowed: Phrase,
    },
    /// A second header: two logs in one file.
    SecondHeader,
}

impl RowProblem {
    /// What the parser says of a line, which is line 1 of its text.
    pub(crate) fn not_json(error: &serde_json::Error) -> Self {
        let whole = json_problem(error);
        let problem = whole.arguments().find(|(name, _)| *name == "problem").map(|(_, problem)| problem.clone());
        RowProblem::NotJson { detail: problem.unwrap_or(whole), column: error.column() }
    }

    /// A [`RowProblem::Wrong`] whose value is shortened to fit a sentence.
    pub(crate) fn wrong(field: impl Into<String>, found: &serde_json::Value, allowed: Phrase) -> Self {
        const MOST: usize = 40;
        let text = found.to_string();
        let short: String = text.chars().take(MOST).collect();
        let found = if short.len() < text.len() { short + "…" } else { text };
        RowProblem::Wrong { field: field.into(), found, allowed }
    }

    /// The problem as a part of a sentence.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self.clone() {
            RowProblem::NotJson { detail, column } => {
                phrase!("run_not_json", "it is not JSON: {detail} (column {column})", column = column, detail = detail)
            }
            RowProblem::Missing { field, allowed } => phrase!(
                "run_field_missing",
                "the key {field} is missing, which must be {allowed}",
                field = format!("`{field}`"),
                allowed = allowed
            ),
            RowProblem::Wrong { field, found, allowed } => phrase!(
                "run_field_wrong",
                "{field} is {found}, but it must be {allowed}",
                field = format!("`{field}`"),
                found = found,
                allowed = allowed
            ),
            RowProblem::SecondHeader => {
                phrase!("run_second_header", "it begins a second log, but a file holds one run")
            }
        }
    }
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl std::error::Error for RowProblem {}

/// Why a text is no log of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum RunError {
    /// A line that is wrong.
    Line {
        /// One-based.
        line: usize,
        /// What is wrong with it.
        problem: RowProblem,
    },
    /// A text without rows.
    NoRows,
}

impl RunError {
    /// The problem as a part of a sentence.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            RunError::Line { line, problem } => {
                phrase!("run_line", "in line {line}, {problem}", line = *line, problem = problem.phrase())
            }
            RunError::NoRows => phrase!("run_no_rows", "it has no rows of a run"),
        }
    }

    /// The error of a whole file, with its name.
    #[must_use]
    pub fn in_file(&self, file: impl Into<Phrase>) -> InputError {
        InputError::File {
            file: file.into(),
            problem: self.phrase(),
            fix: phrase!("give_run_log", "Give a log of `lipscope.torch.Monitor` (a `.jsonl` file)."),
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl std::error::Error for RunError {}
