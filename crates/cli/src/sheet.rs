//! The table of a command, as CSV or, with `--json`, as a JSON document with the same columns.

use std::borrow::Cow;
use std::io::{self, BufWriter, StdoutLock, Write};

use clap::Args;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::output::stdout;

/// The form of a command's table.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct FormArguments {
    /// Write JSON.
    ///
    /// It is an object whose "rows" are objects with the columns as keys, and null where a cell is empty or a number above the
    /// range of f64.
    #[arg(long)]
    json: bool,
    /// Write CSV with every digit, also on a terminal.
    ///
    /// A cell is empty where there is no value, and inf above the range of f64.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl FormArguments {
    /// The form that the command line names.
    pub(super) fn chosen(self) -> Option<Form> {
        match (self.json, self.csv) {
            (true, _) => Some(Form::Json),
            (false, true) => Some(Form::Csv),
            (false, false) => None,
        }
    }

    /// The form of a table, which is CSV where the command line names none.
    pub(super) fn form(self) -> Form {
        self.chosen().unwrap_or(Form::Csv)
    }
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A header, then a line for each row.
    Csv,
    /// `{"rows": [{column: value, ..}, ..], ..}`, a line for each row.
    Json,
}

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// A measured number, with every digit.
    Number(f64),
    /// A number that someone chose, or a count that may exceed every integer type: 3, not 3.0.
    Plain(f64),
    /// An integer.
    Whole(usize),
    /// A word or a sentence.
    Text(&'a str),
    /// There is no value.
    Absent,
}

impl From<f64> for Cell<'_> {
    fn from(number: f64) -> Self {
        Cell::Number(number)
    }
}

impl From<usize> for Cell<'_> {
    fn from(number: usize) -> Self {
        Cell::Whole(number)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Cell::Text(text)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Absent, T::into)
    }
}

impl Cell<'_> {
    /// The cell as CSV has it, before quotes.
    fn text(&self) -> Cow<'_, str> {
        match self {
            Cell::Number(number) => format!("{number:?}").into(),
            Cell::Plain(number) => number.to_string().into(),
            Cell::Whole(number) => number.to_string().into(),
            Cell::Text(text) => (*text).into(),
            Cell::Absent => "".into(),
        }
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // JSON has no infinity and no NaN.
            Cell::Number(number) | Cell::Plain(number) if !number.is_finite() => serializer.serialize_none(),
            Cell::Number(number) | Cell::Plain(number) => serializer.serialize_f64(*number),
            Cell::Whole(number) => serializer.serialize_u64(*number as u64),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Absent => serializer.serialize_none(),
        }
    }
}

/// A row with the columns as keys, in their order.
struct Row<'a>(&'a [String], &'a [Cell<'a>]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1))
    }
}

/// A table that is written row by row.
pub(super) struct Sheet<W> {
    out: W,
    form: Form,
    columns: Vec<String>,
    n_rows: usize,
}

impl Sheet<BufWriter<StdoutLock<'static>>> {
    /// Begins a table on standard output, for rows that come all at once.
    pub(super) fn on_stdout<C: Into<String>>(form: Form, columns: impl IntoIterator<Item = C>) -> io::Result<Self> {
        Sheet::begin(BufWriter::new(stdout()?), form, columns)
    }
}

impl<W: Write> Sheet<W> {
    /// Writes what comes before the rows.
    ///
    /// # Errors
    /// Those of `out`, as for all functions here.
    pub(super) fn begin<C: Into<String>>(
        mut out: W,
        form: Form,
        columns: impl IntoIterator<Item = C>,
    ) -> io::Result<Self> {
        let columns: Vec<String> = columns.into_iter().map(C::into).collect();
        match form {
            Form::Csv => write_line(&mut out, columns.iter().map(String::as_bytes))?,
            Form::Json => write!(out, "{{\"rows\":[")?,
        }
        Ok(Sheet { out, form, columns, n_rows: 0 })
    }

    /// Writes a row, with a cell for each column.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        debug_assert_eq!(cells.len(), self.columns.len(), "a cell for each of {:?}", self.columns);
        match self.form {
            Form::Csv => {
                let texts: Vec<Cow<'_, str>> = cells.iter().map(Cell::text).collect();
                write_line(&mut self.out, texts.iter().map(|text| text.as_bytes()))?;
            }
            Form::Json => {
                self.out.write_all(if self.n_rows == 0 { b"\n" } else { b",\n" })?;
                serde_json::to_writer(&mut self.out, &Row(&self.columns, cells))?;
            }
        }
        self.n_rows += 1;
        Ok(())
    }

    /// Hands on what was written so far.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Ends the table.
    pub(super) fn end(self) -> io::Result<()> {
        self.end_with([])
    }

    /// Ends the table; JSON also gets these values beside the rows.
    pub(super) fn end_with<const N: usize>(mut self, more: [(&str, Value); N]) -> io::Result<()> {
        if self.form == Form::Json {
            self.out.write_all(if self.n_rows == 0 { b"]" } else { b"\n]" })?;
            for (key, value) in more {
                write!(self.out, ",\n{}:{value}", Value::from(key))?;
            }
            writeln!(self.out, "}}")?;
        }
        self.out.flush()
    }
}

/// Writes a line of CSV. The library's writer would hold lines back, or flush `out` after each.
fn write_line<'a>(out: &mut impl Write, cells: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
    let mut line = csv::Writer::from_writer(Vec::new());
    line.write_record(cells)?;
    out.write_all(&line.into_inner().map_err(csv::IntoInnerError::into_error)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(form: Form, rows: &[[Cell<'_>; 3]]) -> String {
        let mut bytes = Vec::new();
        let mut sheet = Sheet::begin(&mut bytes, form, ["n", "norm", "why"]).expect("a vector takes all");
        rows.iter().try_for_each(|row| sheet.row(row)).expect("a vector takes all");
        sheet.end_with([("fit", json!({"exponent": 0.5}))]).expect("a vector takes all");
        String::from_utf8(bytes).expect("text")
    }

    const ROWS: [[Cell<'static>; 3]; 3] = [
        [Cell::Whole(2), Cell::Number(1.0), Cell::Absent],
        [Cell::Plain(3.0), Cell::Number(f64::INFINITY), Cell::Text("sharp")],
        [Cell::Absent, Cell::Number(1e-7), Cell::Text("one, \"two\"")],
    ];

    #[test]
    fn csv_has_every_digit_and_quotes_what_would_be_two_cells() {
        let expected = "n,norm,why\n2,1.0,\n3,inf,sharp\n,1e-7,\"one, \"\"two\"\"\"\n";
        assert_eq!(written(Form::Csv, &ROWS), expected);
    }

    #[test]
    fn json_has_the_same_columns_in_their_order_and_null_for_what_is_absent() {
        let text = written(Form::Json, &ROWS);
        let found: Value = serde_json::from_str(&text).expect("one document");
        assert_eq!(found["rows"][1], json!({"n": 3.0, "norm": null, "why": "sharp"}));
        assert_eq!(found["rows"][2], json!({"n": null, "norm": 1e-7, "why": "one, \"two\""}));
        assert_eq!(found["fit"]["exponent"], 0.5);
        assert!(text.starts_with("{\"rows\":[\n{\"n\":2,\"norm\":1.0,\"why\":null},\n"), "{text}");
    }

    #[test]
    fn a_table_without_rows_is_a_document_too() {
        let found: Value = serde_json::from_str(&written(Form::Json, &[])).expect("one document");
        assert_eq!(found["rows"], json!([]));
    }
}
