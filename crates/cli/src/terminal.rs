//! Who reads standard output: people at a terminal, or a program.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use console::Term;

use super::output::stdout;
use super::people::{Colours, Look};
use super::sheet::Form;

/// The most characters of a line: longer ones are hard to read.
const MOST_WIDTH: usize = 100;
/// The least: a number and its sign.
const LEAST_WIDTH: usize = 24;

/// The reader of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// People at a terminal.
    People(Look),
    /// A program, a file, or people who asked for the form that programs read.
    Program,
}

impl Reader {
    /// The reader of standard output, where `chosen` is the form that the command line names.
    pub(super) fn for_stdout(chosen: Option<Form>) -> Reader {
        let stdout = io::stdout();
        if chosen.is_some() || !stdout.is_terminal() {
            return Reader::Program;
        }
        // Respects NO_COLOR, CLICOLOR and TERM.
        let colours = match AutoStream::choice(&stdout) {
            ColorChoice::Never => Colours::Absent,
            ColorChoice::Auto | ColorChoice::Always | ColorChoice::AlwaysAnsi => Colours::Ansi,
        };
        let (_, columns) = Term::stdout().size();
        Reader::People(Look { width: usize::from(columns).clamp(LEAST_WIDTH, MOST_WIDTH), colours })
    }
}

/// Writes a text for people to standard output; a console of Windows without escape sequences gets its colours too.
///
/// # Errors
/// Those of standard output.
pub(super) fn write(text: &str) -> io::Result<()> {
    let out = stdout()?;
    let choice = AutoStream::choice(&out);
    let mut out = AutoStream::new(out, choice);
    out.write_all(text.as_bytes())?;
    out.flush()
}
