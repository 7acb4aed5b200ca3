//! How the program ends: its exit statuses, and the errors that end a command.

use std::process::ExitCode;
use std::{fmt, io};

use lipscope_core::experiment::InputError;

/// An exit status. `lipscope --help` and docs/command_line.md list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// All results were written.
    Done,
    /// The input is wrong, a file cannot be read or written, or a part has no result.
    Failed,
    /// The command line itself is wrong.
    Usage,
    /// A task would hold more memory than it may.
    Refused,
    /// `merge`: windows are missing.
    Incomplete,
    /// The process was interrupted. No code of ours returns it: a shell reports 128 + 2 for a process that SIGINT has ended.
    Interrupted,
}

impl Exit {
    const ALL: [Exit; 6] = [Exit::Done, Exit::Failed, Exit::Usage, Exit::Refused, Exit::Incomplete, Exit::Interrupted];

    fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::Incomplete => 4,
            Exit::Interrupted => 130,
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "all results were written",
            Exit::Failed => {
                "the input is wrong, a file or standard output cannot be read or written, or a part has no result"
            }
            Exit::Usage => "the command line is wrong: an unknown option, or a value that it does not take",
            Exit::Refused => "the work needs more memory than --memory allows; it was not begun",
            Exit::Incomplete => "merge: windows are missing; the others were written",
            Exit::Interrupted => "interrupted (Ctrl-C); files are whole, and the same model or train command resumes",
        }
    }

    /// The status for the problems of an input with several parts: the refusal where every problem is one.
    pub(super) fn of_all<'a>(problems: impl IntoIterator<Item = &'a InputError>) -> Exit {
        let statuses = problems.into_iter().map(Exit::of);
        statuses.reduce(|one, other| if one == other { one } else { Exit::Failed }).unwrap_or(Exit::Done)
    }

    fn of(problem: &InputError) -> Exit {
        match problem {
            InputError::TooCostly { .. } => Exit::Refused,
            _ => Exit::Failed,
        }
    }

    /// The statuses with their meanings, a line each.
    pub(super) fn table() -> String {
        let line = |exit: Exit| format!("  {:>3}  {}", exit.code(), exit.meaning());
        format!("Exit status:\n{}", Exit::ALL.map(line).join("\n"))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// An error that ends a command.
#[derive(Debug)]
pub(super) enum Failure {
    /// The input cannot be used.
    Input(InputError),
    /// The system refused something: a file, a stream, a thread.
    System(io::Error),
}

impl Failure {
    /// The exit status.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Failure::Input(problem) => Exit::of(problem),
            Failure::System(_) => Exit::Failed,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(problem) => problem.fmt(f),
            Failure::System(error) if error.kind() == io::ErrorKind::BrokenPipe => closed_output().fmt(f),
            Failure::System(error) => error.fmt(f),
        }
    }
}

impl From<InputError> for Failure {
    fn from(problem: InputError) -> Failure {
        Failure::Input(problem)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::System(error)
    }
}

/// The error for a standard output that its reader closed.
pub(super) fn closed_output() -> InputError {
    InputError::Conflict {
        what: "Standard output".into(),
        problem: "was closed before all results were written".into(),
        fix: "Read it to its end, or write to a file.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_problems_are_a_refusal_where_each_of_them_is_one() {
        let costly = InputError::TooCostly {
            what: "A task".into(),
            bytes: 2,
            limit: 1,
            lower: lipscope_core::experiment::Size::Tokens,
            at_most: None,
        };
        assert_eq!(Exit::of_all([]), Exit::Done);
        assert_eq!(Exit::of_all([&costly, &costly]), Exit::Refused);
        assert_eq!(Exit::of_all([&costly, &InputError::OneToken]), Exit::Failed);
    }

    #[test]
    fn a_closed_pipe_is_a_failure_that_is_named() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit(), Exit::Failed);
        assert!(failure.to_string().contains("Standard output"), "{failure}");
    }
}
