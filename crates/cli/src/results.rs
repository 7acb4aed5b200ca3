//! The results file of a run: saved while it runs, resumed, and merged from shards.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::console::{emit, emit_lines};
use super::exit::{Exit, Failure, closed_output};
use super::figure::FigureArguments;
use super::files::{MOST_RESULTS, probe, read_text_up_to, save, unwritable};
use super::missing::{Known, missing};
use super::model_chart;
use super::model_chart::{emit_notes, summary};
use super::output::stdout;
use super::sheet::{Form, FormArguments};
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::sweep::parse_lengths;
use lipscope_models::{Cell, Estimate, Table};

/// The heading of facts about the run.
const RUN: &str = "The run, so that missing parts are seen";

/// Arguments of `lipscope merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// Tables of `lipscope model` about the same model, text and map.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Output file; by default standard output.
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    figure: FigureArguments,
    /// Windows per length of the run, so that missing last windows are seen.
    #[arg(long, value_name = "N", help_heading = RUN)]
    windows: Option<usize>,
    /// Lengths of the run, so that missing lengths are seen.
    ///
    /// They are written as for `lipscope model`.
    #[arg(long, short = 'n', value_name = "LIST", help_heading = RUN)]
    lengths: Option<String>,
    /// Shards of the run, so that those that lack windows are named.
    ///
    /// A table of each is expected. Without it they are named where the tables show how many there were.
    #[arg(long, value_name = "N", help_heading = RUN, value_parser = clap::value_parser!(u32).range(1..))]
    shards: Option<u32>,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<Exit, Failure> {
    let known = known(arguments)?;
    let (table, parts) = merged(&arguments.files)?;
    write_whole(arguments.out.as_deref(), arguments.form.form(), &table)?;
    emit_notes("lipscope merge", &table);
    emit_lines(&summary(&table));
    model_chart::write(&arguments.figure, &table)?;
    Ok(match missing(&table, &parts, &known) {
        // All available rows have been written: they can be used while the rest is measured.
        Some(said) => {
            emit!("lipscope merge: {said}");
            Exit::Incomplete
        }
        None => Exit::Done,
    })
}

/// Facts about the run from the arguments.
fn known(arguments: &MergeArguments) -> Result<Known, InputError> {
    Ok(Known {
        windows: arguments.windows,
        lengths: arguments.lengths.as_deref().map(parse_lengths).transpose()?,
        shards: arguments.shards.map(|count| count as usize),
        tables: arguments.files.len(),
    })
}

/// The merged table, and the tables it was merged from.
fn merged(files: &[PathBuf]) -> Result<(Table, Vec<Table>), InputError> {
    let mut whole: Option<Table> = None;
    let mut parts = Vec::new();
    for path in files {
        let name = path.display().to_string();
        let text = read_text_up_to(path, MOST_RESULTS)?.text;
        // A shard without windows leaves an empty table.
        let Some(table) = Table::parse(&name, &text)? else { continue };
        parts.push(table.clone());
        match &mut whole {
            None => whole = Some(table),
            Some(whole) => whole.merge(&name, table)?,
        }
    }
    let whole =
        whole.ok_or_else(|| InputError::Empty { what: "Every table".into(), least: "one with a row".into() })?;
    Ok((whole, parts))
}

/// Where the table of a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// To a file, which is updated while the run goes on.
    File(PathBuf),
    /// To standard output, at the end.
    StandardOutput,
    /// Nowhere: people read a text about it.
    Nowhere,
}

impl Destination {
    fn file(&self) -> Option<&Path> {
        match self {
            Destination::File(path) => Some(path),
            Destination::StandardOutput | Destination::Nowhere => None,
        }
    }
}

/// The table of a run, and where it goes.
pub(super) struct Results {
    table: Table,
    form: Form,
    destination: Destination,
    saved: Instant,
    has_news: bool,
}

impl Results {
    /// Loads the rows that the file already has; `empty` holds the subject of the run. A file that cannot be written is
    /// refused here, before hours of measuring.
    pub(super) fn open(destination: Destination, form: Form, empty: Table) -> Result<Self, InputError> {
        let mut table = empty;
        if let Some(path) = destination.file() {
            probe(path).map_err(|error| unwritable(path, &error))?;
        }
        if let Some(path) = destination.file().filter(|path| path.is_file()) {
            let name = path.display().to_string();
            let text = read_text_up_to(path, MOST_RESULTS)?.text;
            if let Some(present) = Table::parse(&name, &text)? {
                table.merge(&name, present)?;
            }
        }
        Ok(Results { table, form, destination, saved: Instant::now(), has_news: false })
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    /// Adds rows; [`Results::keep`] writes them to the file.
    pub(super) fn add(&mut self, rows: Vec<(Cell, Estimate)>) {
        self.table.rows.extend(rows);
        self.has_news = true;
    }

    /// Adds notes to the table.
    pub(super) fn add_notes(&mut self, notes: impl IntoIterator<Item = Phrase>) {
        self.table.add_notes(notes.into_iter().map(|note| note.to_string()));
    }

    /// Updates the file if it lacks rows and was not updated recently.
    pub(super) fn keep(&mut self) -> Result<(), InputError> {
        /// Time between two updates of the file; a table of a hundred thousand rows is written in a tenth of it.
        const BETWEEN: Duration = Duration::from_millis(1_500);
        let file = self.destination.file().filter(|_| self.has_news && self.saved.elapsed() > BETWEEN);
        if let Some(path) = file {
            write_whole(Some(path), self.form, &self.table)?;
            (self.saved, self.has_news) = (Instant::now(), false);
        }
        Ok(())
    }

    /// Writes the complete table. If the file cannot be written, the table goes to standard output, because measuring
    /// it may have taken hours.
    pub(super) fn finish(self) -> (Table, Option<InputError>) {
        if self.destination == Destination::Nowhere {
            return (self.table, None);
        }
        let file = self.destination.file();
        let outcome = write_whole(file, self.form, &self.table);
        if outcome.is_err() && file.is_some() && write_whole(None, self.form, &self.table).is_ok() {
            emit!("lipscope model: the table is on standard output, because its file cannot be written");
        }
        (self.table, outcome.err())
    }
}

/// Writes the whole table each time, so that the file of an interrupted run can be read.
fn write_whole(out: Option<&Path>, form: Form, table: &Table) -> Result<(), InputError> {
    let text = match form {
        Form::Csv => table.to_csv()?,
        Form::Json => table.to_value().to_string() + "\n",
    };
    let Some(path) = out else {
        return match stdout().and_then(|mut out| out.write_all(text.as_bytes())) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(closed_output()),
            Err(error) => Err(unwritable(Path::new("-"), &error)),
            Ok(()) => Ok(()),
        };
    };
    save(path, &text).map_err(|error| unwritable(path, &error))
}
