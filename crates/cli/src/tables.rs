//! Tokens and weights from the user's own files, one file each, instead of an experiment.

use std::io;
use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use super::argument::by_name;
use super::console::emit;
use super::exit::Failure;
use super::files::{MOST_INPUT, read_bytes};
use lipscope_core::experiment::{
    Experiment, FirstColumn, FirstRow, InputError, NumberComma, Table, TableAnswers, TableQuestion, TableSource,
    TokenSource, WeightSource, WeightTables, WeightsReading,
};

/// The signs of identity weights.
const SIGNS: [(&str, f64); 2] = [("1", 1.0), ("-1", -1.0)];

/// The files of tokens and weights.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tables, in place of an experiment")]
pub(super) struct TableArguments {
    /// Tokens, one a row: CSV, JSON, .npy, or what NumPy, PyTorch or R print.
    ///
    /// What MATLAB, Julia and pandas print is read too. The attention is dot-product attention without mask and normaliser; an
    /// experiment file says more.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    tokens: Option<PathBuf>,
    /// A = I or A = -I, and V = I.
    #[arg(long, value_name = "1|-1", allow_hyphen_values = true, value_parser = by_name(SIGNS, |(id, _)| id).map(|(_, sign)| sign), requires = "tokens")]
    identity: Option<f64>,
    /// Q, k x d, in the same formats.
    #[arg(long, value_name = "FILE", requires_all = ["tokens", "k"], conflicts_with = "identity")]
    q: Option<PathBuf>,
    /// K, k x d.
    #[arg(long, value_name = "FILE", requires = "q")]
    k: Option<PathBuf>,
    /// V, any number of rows of d numbers; the identity if left out.
    #[arg(long, value_name = "FILE", requires = "q")]
    v: Option<PathBuf>,
    /// The output matrix, any number of rows; none if left out.
    #[arg(long, value_name = "FILE", requires = "q")]
    output: Option<PathBuf>,
    /// What the first row of the tables is: names or numbers of the columns (first-row), or numbers of the table (none).
    #[arg(long, value_name = "WHERE", requires = "tokens", hide_short_help = true)]
    header: Option<HeaderPlace>,
    /// What the first column of the tables is: names or numbers of the rows (first-column), or numbers of the table (none).
    #[arg(long, value_name = "WHERE", requires = "tokens", hide_short_help = true)]
    index: Option<IndexPlace>,
    /// What the comma in a number such as 1,234 is: the decimal mark (comma), or a mark between thousands (point).
    #[arg(long, value_name = "MARK", requires = "tokens", hide_short_help = true)]
    decimal: Option<DecimalMark>,
}

/// Whether the first row holds the names of columns.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum HeaderPlace {
    FirstRow,
    None,
}

/// Whether the first column holds the names of rows.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum IndexPlace {
    FirstColumn,
    None,
}

/// The mark before the decimals.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DecimalMark {
    Comma,
    Point,
}

impl TableArguments {
    /// The experiment of the tables; `None` if the arguments name no table.
    pub(super) fn experiment(&self) -> Result<Option<Result<Experiment, InputError>>, Failure> {
        if self.tokens.is_none() {
            return Ok(None);
        }
        let tokens = self.source(self.tokens.as_deref())?;
        if self.identity.is_none() && self.q.is_none() {
            let problem = "--tokens needs weights: add --identity 1, --identity -1, or --q and --k";
            return Err(io::Error::other(problem).into());
        }
        let [q, k, v, output] = [&self.q, &self.k, &self.v, &self.output].map(|path| self.source(path.as_deref()));
        let tables = WeightTables { q: q?, k: k?, v: v?, output: output? };
        Ok(Some(self.read(&tokens, &tables)))
    }

    /// Reads the experiment, and tells on standard error how each table was read, one line each.
    fn read(&self, tokens: &TableSource, tables: &WeightTables) -> Result<Experiment, InputError> {
        let reading = tokens.read(Table::Tokens)?;
        emit!("{}", reading.line(Table::Tokens));
        let weights = match self.identity {
            Some(sign) => WeightSource::Identity { sign },
            None => {
                let WeightsReading { weights, notes } = tables.read_with_notes(Some(reading.rows.n_columns()))?;
                notes.iter().for_each(|note| emit!("{note}"));
                weights
            }
        };
        Ok(Experiment::of(TokenSource::Explicit(reading.rows), weights))
    }

    /// The bytes of a file, and the answers that apply to all tables; empty without a file.
    fn source(&self, path: Option<&Path>) -> Result<TableSource, InputError> {
        let Some(path) = path else { return Ok(TableSource::default()) };
        let bytes = read_bytes(path, MOST_INPUT)?;
        let answers = TableAnswers {
            header: self.header.map(|place| match place {
                HeaderPlace::FirstRow => FirstRow::Header,
                HeaderPlace::None => FirstRow::Numbers,
            }),
            index: self.index.map(|place| match place {
                IndexPlace::FirstColumn => FirstColumn::Index,
                IndexPlace::None => FirstColumn::Numbers,
            }),
            decimal: self.decimal.map(|mark| match mark {
                DecimalMark::Comma => NumberComma::Decimal,
                DecimalMark::Point => NumberComma::Thousands,
            }),
        };
        Ok(TableSource { answers, ..TableSource::file(path.display().to_string(), bytes) })
    }
}

/// The options that answer the question in an error; `None` for an error without a question.
pub(super) fn options_that_answer(problem: &InputError) -> Option<&'static str> {
    match problem {
        InputError::TwoReadings { question, .. } => Some(match question {
            TableQuestion::Header => "Add --header first-row to drop it, or --header none to keep it.",
            TableQuestion::Index => "Add --index first-column to drop it, or --index none to keep it.",
            TableQuestion::Decimal => "Add --decimal comma, or --decimal point where it stands between thousands.",
            TableQuestion::Columns => "Add --decimal comma, or --decimal point where it separates columns.",
            TableQuestion::Point => "Add --decimal comma where it stands between thousands, or --decimal point.",
        }),
        _ => None,
    }
}
