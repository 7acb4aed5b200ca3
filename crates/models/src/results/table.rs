//! Results of a run as a table with one row per cell, written and read as CSV or JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::estimate::{Estimate, Sink, SpectralNorm};
use super::local_bounds::LocalBounds;
use super::statistics::{Statistic, Statistics};
use crate::config::map_kind::Heads;
use lipscope_core::experiment::InputError;
use lipscope_core::experiment::{Phrase, json_problem, library_words, serde_problem};
use lipscope_core::fit::PowerLaw;
use lipscope_core::phrase;
use lipscope_core::spectral::ProbableUpper;
use lipscope_plot::FORMULA_MARKS;

/// The subject of a table. Rows of two tables can be merged only if their subjects are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The model: how it was drawn, or its folder's name and a fingerprint of its config and weight files.
    pub model: String,
    /// A fingerprint of the text's token ids, or [`adversarial_text`](crate::adversarial_text).
    pub text: String,
    /// The [id](crate::MapKind::id) of the map.
    pub map: String,
    /// `none` or `causal`.
    pub mask: String,
    /// `spectral`, `released` or `both`.
    pub estimator: String,
}

/// One cell of a table: a window at a layer and head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// The layer, from 0.
    pub layer: usize,
    /// All heads, or one.
    pub heads: Heads,
    /// Number of tokens in the window.
    pub n: usize,
    /// Index of the window, from 0.
    pub window: usize,
}

/// All measured cells, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Model, text, map, mask and estimators.
    pub subject: Subject,
    /// Results by cell.
    pub rows: BTreeMap<Cell, Estimate>,
    /// Notes, in English, on what was guessed, rounded or ignored to get the results.
    pub notes: Vec<String>,
}

/// A row as written in files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    model: String,
    text: String,
    map: String,
    mask: String,
    estimator: String,
    layer: usize,
    head: String,
    n: usize,
    window: usize,
    spectral: Option<f64>,
    released: Option<f64>,
    radius: f64,
    sink: Option<f64>,
    sink_token: Option<usize>,
    sink_head: Option<usize>,
    iterations: Option<usize>,
    relative_residual: Option<f64>,
    /// Upper bounds at the same tokens. A table without bounds has no such columns.
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    local: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    local_blocks: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    local_token: Column,
    /// The upper number, and the probability that it fails. A table without upper numbers has no such columns.
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    upper: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    failure: Column,
    /// Further numbers. A table that has none of a column lacks it.
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    condition: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    max_logit: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    entropy_mean: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    entropy_min: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    a_norm: Column,
    #[serde(default, skip_serializing_if = "Column::is_absent")]
    vo_norm: Column,
    /// All notes in one text. A table without notes has no such column; tables of earlier versions never have one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    notes: String,
}

/// A number of a column that a table may lack as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Column {
    /// The table has no such column.
    #[default]
    Absent,
    /// The cell, which may be empty.
    Cell(Option<f64>),
}

impl Column {
    fn is_absent(&self) -> bool {
        *self == Column::Absent
    }

    fn number(self) -> Option<f64> {
        match self {
            Column::Absent => None,
            Column::Cell(number) => number,
        }
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Column::Cell)
    }
}

/// Separates two notes in a cell.
const BETWEEN_NOTES: &str = " | ";

impl Record {
    /// The text cells, which may come from a user, such as the name of a folder.
    fn texts(&mut self) -> [&mut String; 6] {
        [&mut self.model, &mut self.text, &mut self.map, &mut self.mask, &mut self.estimator, &mut self.notes]
    }

    /// The further numbers.
    fn statistics(&self) -> Statistics {
        Statistics::of(|statistic| {
            let column = match statistic {
                Statistic::Condition => self.condition,
                Statistic::MaxLogit => self.max_logit,
                Statistic::EntropyMean => self.entropy_mean,
                Statistic::EntropyMin => self.entropy_min,
                Statistic::ANorm => self.a_norm,
                Statistic::VoNorm => self.vo_norm,
            };
            column.number()
        })
    }
}

/// The text of a CSV cell, protected so that no spreadsheet reads it as a formula.
fn guarded(text: &str) -> String {
    if needs_guard(text) { format!("'{text}") } else { text.to_owned() }
}

/// The original text of a protected cell.
fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| needs_guard(text)).unwrap_or(cell)
}

/// Whether the text needs an apostrophe in front. A text that begins with an apostrophe needs a second one, because
/// reading removes one.
fn needs_guard(text: &str) -> bool {
    text.starts_with(FORMULA_MARKS) || text.starts_with('\'')
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(subject: Subject) -> Self {
        Table { subject, rows: BTreeMap::new(), notes: Vec::new() }
    }

    /// The same table with the notes of a model, its tokenizer and others, each once.
    #[must_use]
    pub fn with_notes<'a>(mut self, notes: impl IntoIterator<Item = &'a Phrase>) -> Self {
        self.add_notes(notes.into_iter().map(Phrase::to_string));
        self
    }

    /// The table as CSV with a header; numbers are exact.
    ///
    /// # Errors
    /// None in practice: it writes to memory.
    pub fn to_csv(&self) -> Result<String, InputError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let failed = |problem: String| broken(phrase!("table", "The table"), library_words(problem));
        for mut record in self.records() {
            record.texts().into_iter().for_each(|text| *text = guarded(text));
            writer.serialize(record).map_err(|error| failed(error.to_string()))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
    }

    /// The table as one JSON object with the rows, each of which states the subject, and the fitted slopes.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let rows: Vec<Record> = self.records().collect();
        let fits: Vec<Value> = self
            .groups()
            .iter()
            .map(|group| {
                let fit = |fit: Option<PowerLaw>| fit.map(|fit| fit.to_value());
                json!({
                    "layer": group.layer, "head": group.heads.id(), "spectral": fit(group.spectral),
                    "released": fit(group.released),
                })
            })
            .collect();
        json!({"rows": rows, "fits": fits})
    }

    /// Reads the output of [`Table::to_csv`] or [`Table::to_value`]; `None` if it has no rows. A last line of CSV
    /// without a line break is ignored: it may be truncated.
    ///
    /// # Errors
    /// [`InputError::File`] that names the file, and the row if one is wrong; [`InputError::Conflict`] if rows
    /// contradict each other.
    pub fn parse(file: &str, text: &str) -> Result<Option<Self>, InputError> {
        #[derive(Deserialize)]
        struct Whole {
            rows: Vec<Record>,
        }
        if text.trim_start().starts_with('{') {
            let whole: Whole = serde_json::from_str(text).map_err(|error| broken(file, json_problem(&error)))?;
            return Table::of_records(file, whole.rows);
        }
        let whole_lines = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut reader = csv::Reader::from_reader(whole_lines.as_bytes());
        let header = reader.headers().cloned().unwrap_or_default();
        let records: Result<Vec<Record>, _> = reader.deserialize().collect();
        let mut records = records.map_err(|error| broken(file, row_problem(&error, &header)))?;
        for text in records.iter_mut().flat_map(Record::texts) {
            *text = unguarded(text).to_owned();
        }
        Table::of_records(file, records)
    }

    /// Adds the rows of another table; on an error this table is unchanged.
    ///
    /// # Errors
    /// [`InputError::Conflict`] if the subjects differ, or if both have a cell with different numbers.
    pub fn merge(&mut self, file: &str, mut other: Table) -> Result<(), InputError> {
        self.check_subject(file, &other.subject)?;
        for (cell, estimate) in &mut other.rows {
            self.check_row(file, cell, estimate)?;
            // A row may have been measured once with bounds or an upper number and once without.
            if let Some(present) = self.rows.get(cell) {
                *estimate = estimate.or_with(present);
            }
        }
        // One ordered merge, since both are sorted.
        self.rows.append(&mut other.rows);
        self.add_notes(other.notes);
        Ok(())
    }

    /// Adds those notes that the table does not have yet.
    pub fn add_notes(&mut self, notes: impl IntoIterator<Item = String>) {
        for note in notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Checks that a row is new, or equal to the one already present but for bounds or an upper number that one of them
    /// lacks.
    fn check_row(&self, file: impl Into<Phrase>, cell: &Cell, estimate: &Estimate) -> Result<(), InputError> {
        if self.rows.get(cell).is_none_or(|present| present.is_alike(estimate)) {
            return Ok(());
        }
        let Cell { layer, heads, n, window } = cell;
        Err(InputError::Conflict {
            what: phrase!(
                "layer_head_n_window",
                "Layer {layer}, head {head}, n = {n}, window {window} of {file}",
                layer = layer,
                head = heads.id(),
                n = n,
                window = window,
                file = file.into()
            ),
            problem: phrase!("has_other_numbers_than", "has other numbers than the same window of an earlier table"),
            fix: phrase!("measure_again_leave_one", "Measure it again, or leave one of the tables out."),
        })
    }

    /// Checks that another table has the same subject.
    ///
    /// # Errors
    /// [`InputError::Conflict`] that names the difference.
    pub fn check_subject(&self, file: impl Into<Phrase>, other: &Subject) -> Result<(), InputError> {
        let Subject { model, text, map, mask, estimator } = &self.subject;
        let parts: [Part<'_>; 5] = [
            (|| phrase!("table_model", "model"), model, &other.model),
            (|| phrase!("table_text", "text"), text, &other.text),
            (|| phrase!("table_map", "map"), map, &other.map),
            (|| phrase!("table_mask", "mask"), mask, &other.mask),
            (|| phrase!("table_estimator", "estimator"), estimator, &other.estimator),
        ];
        for (what, here, there) in parts {
            if here != there {
                return Err(InputError::Conflict {
                    what: phrase!("part_of_file", "{file}: its {what}", file = file.into(), what = what()),
                    problem: phrase!("differs_here", "is {there}, and here it is {here}", there = there, here = here),
                    fix: phrase!("use_another_file_same", "Use another file, or the same settings."),
                });
            }
        }
        Ok(())
    }

    fn records(&self) -> impl Iterator<Item = Record> {
        let has_bounds = self.rows.values().any(|estimate| estimate.bounds.is_some());
        let has_upper = self.rows.values().any(|estimate| estimate.upper.is_some());
        let has = |statistic| self.rows.values().any(|estimate| estimate.statistics.get(statistic).is_some());
        let present = Statistic::ALL.map(has);
        self.rows.iter().map(move |(cell, estimate)| {
            let column = |number: Option<Option<f64>>| number.map_or(Column::Absent, Column::Cell);
            let bound = |of: fn(LocalBounds) -> Option<f64>| column(has_bounds.then(|| estimate.bounds.and_then(of)));
            let upper = |of: fn(ProbableUpper) -> f64| column(has_upper.then(|| estimate.upper.map(of)));
            let further = |of: Statistic| column(present[of as usize].then(|| estimate.statistics.get(of)));
            let Subject { model, text, map, mask, estimator } = self.subject.clone();
            let Estimate { spectral, sink, .. } = *estimate;
            Record {
                model,
                text,
                map,
                mask,
                estimator,
                layer: cell.layer,
                head: cell.heads.id(),
                n: cell.n,
                window: cell.window,
                spectral: spectral.map(|norm| norm.value),
                released: estimate.released,
                radius: estimate.radius,
                sink: sink.map(|sink| sink.mass),
                sink_token: sink.map(|sink| sink.token),
                sink_head: sink.map(|sink| sink.head),
                iterations: spectral.map(|norm| norm.iterations),
                relative_residual: spectral.map(|norm| norm.relative_residual),
                local: bound(|bounds| bounds.local),
                local_blocks: bound(|bounds| bounds.blocks),
                local_token: bound(|bounds| bounds.token),
                upper: upper(|upper| upper.value),
                failure: upper(|upper| upper.failure),
                condition: further(Statistic::Condition),
                max_logit: further(Statistic::MaxLogit),
                entropy_mean: further(Statistic::EntropyMean),
                entropy_min: further(Statistic::EntropyMin),
                a_norm: further(Statistic::ANorm),
                vo_norm: further(Statistic::VoNorm),
                notes: self.notes.join(BETWEEN_NOTES),
            }
        })
    }

    /// The table of these rows; `None` if there are none.
    fn of_records(file: &str, records: Vec<Record>) -> Result<Option<Self>, InputError> {
        let mut table: Option<Table> = None;
        for (at, record) in records.into_iter().enumerate() {
            let line = Line { file, row: at + 1 };
            let statistics = record.statistics();
            let heads = Heads::parse(&record.head)
                .ok_or_else(|| broken(line, phrase!("head", "head {head}", head = record.head)))?;
            let cell = Cell { layer: record.layer, heads, n: record.n, window: record.window };
            let spectral = match (record.spectral, record.iterations, record.relative_residual) {
                (Some(value), Some(iterations), Some(relative_residual)) => {
                    Some(SpectralNorm { value, iterations, relative_residual })
                }
                _ => None,
            };
            let sink = match (record.sink, record.sink_token, record.sink_head) {
                (Some(mass), Some(token), Some(head)) => Some(Sink { mass, token, head }),
                _ => None,
            };
            let numbers = [
                ("spectral", record.spectral),
                ("released", record.released),
                ("radius", Some(record.radius)),
                ("sink", record.sink),
                ("relative_residual", record.relative_residual),
                ("local", record.local.number()),
                ("local_blocks", record.local_blocks.number()),
                ("local_token", record.local_token.number()),
                ("upper", record.upper.number()),
                ("failure", record.failure.number()),
            ];
            let further = Statistic::ALL.map(|statistic| (statistic.id(), statistics.get(statistic)));
            if let Some((column, _)) =
                numbers.into_iter().chain(further).find(|(_, x)| x.is_some_and(|x| !x.is_finite()))
            {
                return Err(broken(
                    line,
                    phrase!("column_not_finite", "`{column}` is not a finite number", column = column),
                ));
            }
            let [local, blocks, token] = [record.local, record.local_blocks, record.local_token].map(Column::number);
            let has_bounds = local.or(blocks).or(token).is_some();
            let bounds = has_bounds.then_some(LocalBounds { local, blocks, token });
            let upper = match (record.upper.number(), record.failure.number()) {
                (Some(value), Some(failure)) => Some(ProbableUpper { value, failure }),
                _ => None,
            };
            let Record { released, radius, .. } = record;
            let estimate = Estimate { spectral, released, radius, sink, bounds, upper, statistics };
            let Record { model, text, map, mask, estimator, notes, .. } = record;
            let subject = Subject { model, text, map, mask, estimator };
            let table = table.get_or_insert_with(|| Table::new(subject.clone()));
            table.check_subject(line, &subject)?;
            table.check_row(line, &cell, &estimate)?;
            table.add_notes(notes.split(BETWEEN_NOTES).filter(|note| !note.is_empty()).map(str::to_owned));
            table.rows.insert(cell, estimate);
        }
        Ok(table)
    }
}

/// A part of a subject: its name, its value in this table, and its value in the other table.
type Part<'a> = (fn() -> Phrase, &'a str, &'a str);

/// A row of a file, as errors name it.
#[derive(Clone, Copy)]
struct Line<'a> {
    file: &'a str,
    /// One-based.
    row: usize,
}

impl From<Line<'_>> for Phrase {
    fn from(Line { file, row }: Line<'_>) -> Self {
        phrase!("row", "{file}, row {row}", file = file, row = row)
    }
}

fn broken(file: impl Into<Phrase>, problem: Phrase) -> InputError {
    InputError::File {
        file: file.into(),
        problem: phrase!(
            "not_table_lipscope_model",
            "it is not a table of `lipscope model` ({detail})",
            detail = problem
        ),
        fix: phrase!("give_csv_json_file", "Give a CSV or JSON file that it wrote."),
    }
}

/// What is wrong with a row of CSV.
fn row_problem(error: &csv::Error, header: &csv::StringRecord) -> Phrase {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => phrase!(
            "row_of_other_length",
            "line {line} has length {found}, and the header has length {expected}",
            line = line,
            found = *len,
            expected = *expected_len
        ),
        csv::ErrorKind::Deserialize { err, .. } => match (err.kind(), err.field()) {
            (csv::DeserializeErrorKind::Message(message), _) => {
                phrase!("problem_in_line", "{problem} (line {line})", problem = serde_problem(message), line = line)
            }
            (_, field) => phrase!(
                "cell_unreadable",
                "in line {line} the cell of the column {column} has no value that belongs there",
                line = line,
                column = field.and_then(|at| header.get(at as usize)).unwrap_or_default()
            ),
        },
        _ => library_words(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_one_row(model: &str) -> Table {
        let mut table = Table::new(Subject {
            model: model.into(),
            text: "0".into(),
            map: "attention".into(),
            mask: "none".into(),
            estimator: "both".into(),
        });
        let statistics = Statistics::default();
        let (spectral, released, sink) = (None, Some(1.5), None);
        let estimate = Estimate { spectral, released, radius: 2.0, sink, bounds: None, upper: None, statistics };
        table.rows.insert(Cell { layer: 0, heads: Heads::All, n: 3, window: 0 }, estimate);
        table
    }

    #[test]
    fn notes_are_written_read_and_merged_and_a_table_without_them_is_as_before() {
        let plain = of_one_row("m");
        assert!(!plain.to_csv().expect("written").contains("notes"));
        let notes = [Phrase::verbatim("the casing was guessed"), Phrase::verbatim("=rounded, to 32 bits")];
        let noted = plain.clone().with_notes(&notes).with_notes(&notes[1..]);
        assert_eq!(noted.notes.len(), 2);
        for text in [noted.to_csv().expect("written"), noted.to_value().to_string()] {
            assert_eq!(Table::parse("it", &text), Ok(Some(noted.clone())), "{text}");
        }
        let mut merged = plain;
        merged.merge("it.csv", noted.clone()).expect("the same subject");
        assert_eq!(merged, noted);
    }

    #[test]
    fn further_numbers_are_written_read_and_merged_and_a_table_without_them_is_as_before() {
        let plain = of_one_row("m");
        assert!(!plain.to_csv().expect("written").contains("max_logit"));
        let with = |statistics: Statistics| {
            let mut table = plain.clone();
            table.rows.values_mut().for_each(|row| row.statistics = statistics);
            table
        };
        let only = |statistic: Statistic, value: f64| Statistics::of(|one| (one == statistic).then_some(value));
        let (one, other) = (with(only(Statistic::MaxLogit, -0.5)), with(only(Statistic::VoNorm, 3.0)));
        for text in [one.to_csv().expect("written"), one.to_value().to_string()] {
            assert!(text.contains("max_logit") && !text.contains("vo_norm"), "{text}");
            assert_eq!(Table::parse("it", &text), Ok(Some(one.clone())), "{text}");
        }
        let mut both = one.clone();
        both.merge("other.csv", other).expect("each lacks a number of the other");
        let found = both.rows.values().next().expect("a row").statistics;
        assert_eq!((found.get(Statistic::MaxLogit), found.get(Statistic::VoNorm)), (Some(-0.5), Some(3.0)));
        assert!(both.merge("third.csv", with(only(Statistic::MaxLogit, 1.0))).is_err());
        let infinite = one.to_csv().expect("written").replace("-0.5", "inf");
        assert!(Table::parse("it", &infinite).is_err());
    }

    #[test]
    fn a_model_named_like_a_formula_is_written_as_text_and_read_as_it_was() {
        for model in ["=cmd|' /C calc'!A0", "+x", "-1 model", "@a", "'quoted", "''=", "plain", "", "\t=1", "\n=1"] {
            let table = of_one_row(model);
            let csv = table.to_csv().expect("written");
            let cell = csv.split_once('\n').expect("a row").1.trim_start_matches('"');
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\n']), "{cell}");
            assert_eq!(Table::parse("it.csv", &csv), Ok(Some(table.clone())), "{csv}");
            assert_eq!(Table::parse("it.json", &table.to_value().to_string()), Ok(Some(table)));
        }
    }
}
