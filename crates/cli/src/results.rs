//! The results file of a run: saved while it runs, resumed, and merged from shards.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::model_chart;
use super::model_files::unreadable;
use super::model_summary::summary;
use lipscope_core::experiment::InputError;
use lipscope_models::{Cell, Estimate, Table};

/// Output format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// One window per line, with a header.
    Csv,
    /// One object with the windows and the fitted slopes.
    Json,
}

/// Arguments of `lipscope merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// Tables of `lipscope model` about the same model, text and map.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Output file; by default standard output.
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Form::Csv)]
    format: Form,
    /// Also draw both estimators over n, with their slopes, into this SVG file.
    #[arg(long)]
    svg: Option<PathBuf>,
}

pub(super) fn merge(arguments: &MergeArguments) -> io::Result<ExitCode> {
    match merged(&arguments.files).and_then(|table| {
        write_whole(arguments.out.as_deref(), arguments.format, &table)?;
        Ok(table)
    }) {
        Ok(table) => {
            eprint!("{}", summary(&table));
            if let Some(path) = &arguments.svg {
                model_chart::write(path, &table)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(problem) => {
            eprintln!("lipscope merge: {problem}");
            Ok(ExitCode::FAILURE)
        }
    }
}

fn merged(files: &[PathBuf]) -> Result<Table, InputError> {
    let mut whole: Option<Table> = None;
    for path in files {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        // A shard without windows leaves an empty table.
        let Some(table) = Table::parse(&name, &text)? else { continue };
        match &mut whole {
            None => whole = Some(table),
            Some(whole) => whole.merge(&name, table)?,
        }
    }
    whole.ok_or_else(|| InputError::Empty { what: "Every table".into(), least: "one with a row".into() })
}

/// The table of a run and the file in which it is saved.
pub(super) struct Results {
    table: Table,
    form: Form,
    out: Option<PathBuf>,
    saved: Instant,
}

impl Results {
    /// Loads the rows that the file already has; `empty` holds the subject of the run.
    pub(super) fn open(out: Option<&Path>, form: Form, empty: Table) -> Result<Self, InputError> {
        let mut table = empty;
        if let Some(path) = out.filter(|path| path.exists()) {
            let name = path.display().to_string();
            let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
            if let Some(present) = Table::parse(&name, &text)? {
                table.merge(&name, present)?;
            }
        }
        Ok(Results { table, form, out: out.map(Path::to_path_buf), saved: Instant::now() })
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Adds rows; the file is updated after at most a few seconds.
    pub(super) fn add(&mut self, rows: Vec<(Cell, Estimate)>) -> Result<(), InputError> {
        /// Time between two updates of the file; writing a table of a hundred thousand rows takes a tenth of it.
        const BETWEEN: Duration = Duration::from_secs(2);
        self.table.rows.extend(rows);
        if self.out.is_some() && self.saved.elapsed() > BETWEEN {
            write_whole(self.out.as_deref(), self.form, &self.table)?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    /// Writes the complete table.
    pub(super) fn finish(self) -> Result<Table, InputError> {
        write_whole(self.out.as_deref(), self.form, &self.table)?;
        Ok(self.table)
    }
}

/// Writes to a temporary file and renames it, so that an interrupted run leaves a complete table.
fn write_whole(out: Option<&Path>, form: Form, table: &Table) -> Result<(), InputError> {
    let text = match form {
        Form::Csv => table.to_csv()?,
        Form::Json => table.to_value().to_string() + "\n",
    };
    let Some(path) = out else {
        return io::stdout().lock().write_all(text.as_bytes()).map_err(|error| unreadable(Path::new("-"), &error));
    };
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, path)).map_err(|error| unreadable(path, &error))
}
