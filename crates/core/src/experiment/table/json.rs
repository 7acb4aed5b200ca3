//! JSON with names in it: records, tables in the forms of pandas, objects around a list, and one object a line.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::brackets::{self, Node};
use super::header::{is_name_of_rows, listed};

use super::decimal::is_numeric;
use super::labels::{index_question, run_of};
use super::reading::{Notes, TableReading};
use crate::experiment::error::shorten;
use crate::experiment::json_problem::json_problem;
use crate::experiment::strict_json::key_twice;
use crate::experiment::{FirstColumn, InputError, Phrase, Table, TableAnswers};
use crate::phrase;

/// Whether a text is an object of JSON, or a list of objects.
pub(super) fn is_named(text: &str) -> bool {
    let object = |text: &str| text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']));
    object(text) || text.strip_prefix('[').is_some_and(|list| object(list.trim_start()))
}

/// Reads the one list of numbers in a text that [`is_named`].
///
/// # Errors
/// [`InputError`] where the text holds several possible lists, or none.
pub(super) fn read(table: Table, text: &str, answers: TableAnswers, notes: Notes) -> Result<TableReading, InputError> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let mut values: Vec<Json> =
        values.collect::<Result<_, _>>().map_err(|problem| InputError::Json { detail: json_problem(&problem) })?;
    let value = if values.len() == 1 { values.remove(0) } else { Json::List(values) };
    let mut reader = Reader { table, answers, notes };
    let node = reader.table_of(value)?;
    brackets::rows_of_node(table, node, reader.notes)
}

/// A JSON value. The keys of an object keep their order, which fixes the order of the dimensions.
#[derive(Clone, Debug)]
enum Json {
    Number(f64),
    Numbers(Vec<f64>),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
    Text(String),
    /// true, false and null.
    Other(&'static str),
}

impl Json {
    /// Whether it is a list of rows, or an object with one such list in it.
    fn holds_table(&self) -> bool {
        match self {
            Json::List(values) => {
                let is_row = |value: &Json| matches!(value, Json::Numbers(_) | Json::List(_) | Json::Object(_));
                !values.is_empty() && values.iter().all(is_row)
            }
            Json::Object(members) => members.iter().filter(|(_, value)| value.holds_table()).count() == 1,
            _ => false,
        }
    }
}

struct Reader {
    table: Table,
    answers: TableAnswers,
    notes: Notes,
}

impl Reader {
    fn table_of(&mut self, value: Json) -> Result<Node, InputError> {
        match value {
            Json::Numbers(numbers) => Ok(Node::Numbers(numbers)),
            Json::List(values) if !values.is_empty() && values.iter().all(|value| matches!(value, Json::Object(_))) => {
                self.records(values)
            }
            Json::List(values) => values
                .into_iter()
                .enumerate()
                .map(|(at, value)| match value {
                    Json::Number(_) | Json::Text(_) | Json::Other(_) => Err(self.not_a_number(at, 0, &value)),
                    value => self.table_of(value),
                })
                .collect::<Result<_, _>>()
                .map(Node::List),
            Json::Object(members) => self.object(members),
            value => Err(self.not_a_number(0, 0, &value)),
        }
    }

    fn not_a_number(&self, row: usize, column: usize, value: &Json) -> InputError {
        let found = match value {
            Json::Text(text) => format!("\"{}\"", shorten(text)).into(),
            Json::Other(word) => (*word).into(),
            _ => phrase!("a_list_there", "a list"),
        };
        InputError::NotANumber { what: self.table.inside(), row: row + 1, column: column + 1, found }
    }

    fn refused(&self, problem: Phrase) -> InputError {
        let fix =
            phrase!("write_list_of_rows", "Write one list of rows, like [[1, 2], [3, 4]], one row for each token.");
        InputError::File { file: self.table.name(), problem, fix }
    }

    /// A list of objects with the same keys, one object a row.
    fn records(&mut self, values: Vec<Json>) -> Result<Node, InputError> {
        let mut rows: Vec<Vec<(String, Json)>> = Vec::with_capacity(values.len());
        for value in values {
            let Json::Object(members) = value else { continue };
            rows.push(members);
        }
        let keys: Vec<String> =
            rows.first().map(|row| row.iter().map(|(key, _)| key.clone()).collect()).unwrap_or_default();
        for (at, row) in rows.iter_mut().enumerate() {
            // Puts the keys of every row in the order of the first row.
            let is_same = row.len() == keys.len() && row.iter().zip(&keys).all(|((key, _), other)| key == other);
            if !is_same {
                row.sort_by_key(|(key, _)| keys.iter().position(|other| other == key));
                let is_permuted =
                    row.len() == keys.len() && row.iter().zip(&keys).all(|((key, _), other)| key == other);
                if !is_permuted {
                    return Err(self.refused(phrase!(
                        "other_keys",
                        "object {row} has other keys than object 1",
                        row = at + 1
                    )));
                }
            }
        }
        let is_all = |column: usize, kind: fn(&Json) -> bool| rows.iter().all(|row| kind(&row[column].1));
        let lists: Vec<usize> =
            (0..keys.len()).filter(|column| is_all(*column, |value| matches!(value, Json::Numbers(_)))).collect();
        let is_word = |value: &Json| matches!(value, Json::Text(text) if !is_numeric(text));
        let words: Vec<usize> = (0..keys.len()).filter(|column| is_all(*column, is_word)).collect();
        let mut kept: Vec<usize> = match lists.len() {
            0 => (0..keys.len()).filter(|column| !words.contains(column)).collect(),
            1 => lists.clone(),
            _ => return Err(self.several(&keys)),
        };
        if lists.is_empty()
            && kept.len() > 1
            && let Some(found) = self.possible_index(&rows, kept[0], &keys[kept[0]])
        {
            match self.answers.index {
                Some(FirstColumn::Index) => {
                    kept.remove(0);
                }
                Some(FirstColumn::Numbers) => {}
                None => return Err(index_question(self.table, &found)),
            }
        }
        let dropped: Vec<&str> =
            (0..keys.len()).filter(|column| !kept.contains(column)).map(|column| keys[column].as_str()).collect();
        if !dropped.is_empty() {
            self.notes.drop(phrase!("keys_dropped", "the keys {keys}", keys = shorten(&dropped.join(", "))));
        }
        let mut table = Vec::with_capacity(rows.len());
        for (at, row) in rows.into_iter().enumerate() {
            let mut numbers = Vec::with_capacity(kept.len());
            for (column, (_, value)) in row.into_iter().enumerate().filter(|(column, _)| kept.contains(column)) {
                match value {
                    Json::Number(x) => numbers.push(x),
                    Json::Numbers(list) => numbers.extend(list),
                    other => return Err(self.not_a_number(at, column, &other)),
                }
            }
            table.push(Node::Numbers(numbers));
        }
        Ok(Node::List(table))
    }

    /// The first numbers of a column that may number the rows, because it counts them or its key says so; `None` for
    /// other columns.
    fn possible_index(&self, rows: &[Vec<(String, Json)>], column: usize, key: &str) -> Option<String> {
        let numbers = || {
            rows.iter().map(|row| match &row[column].1 {
                Json::Number(x) => Some(*x),
                _ => None,
            })
        };
        let is_called_so = is_name_of_rows(key) && numbers().all(|x| x.is_some_and(|x| x.fract() == 0.0));
        run_of(numbers()).or_else(|| is_called_so.then(|| listed(numbers().flatten().map(|x| x.to_string()))))
    }

    /// Finds the list in an object.
    fn object(&mut self, members: Vec<(String, Json)>) -> Result<Node, InputError> {
        let has = |key: &str| members.iter().any(|(other, _)| other == key);
        if has("nbformat") {
            return Err(InputError::File {
                file: self.table.name(),
                problem: phrase!("it_is_notebook", "it is a notebook (.ipynb), which holds programs and prints"),
                fix: phrase!(
                    "export_from_notebook",
                    "Save the array in the notebook with `numpy.save(\"x.npy\", x)`, or copy what `print(x.tolist())` prints."
                ),
            });
        }
        if has("weights") && has("tokens") {
            return Err(InputError::File {
                file: self.table.name(),
                problem: phrase!("it_is_experiment", "it is a whole experiment and not a table"),
                fix: phrase!("give_as_experiment", "Give it as the experiment."),
            });
        }
        if has("data") && has("columns") {
            self.notes.drop(phrase!("columns_and_index", "the names of columns and rows"));
            let data = members.into_iter().find(|(key, _)| key == "data").map(|(_, data)| data);
            return data.map_or(Ok(Node::Numbers(Vec::new())), |data| self.table_of(data));
        }
        if members.len() > 1 && members.iter().all(|(_, value)| matches!(value, Json::Object(_))) {
            return self.frame(members);
        }
        let is_table = Json::holds_table;
        let count = |kind: &dyn Fn(&Json) -> bool| members.iter().filter(|(_, value)| kind(value)).count();
        let (tables, lists) = (count(&is_table), count(&|value| matches!(value, Json::Numbers(_))));
        let is_chosen: &dyn Fn(&Json) -> bool = match (tables, lists) {
            (1, _) => &is_table,
            (0, 1) => &|value| matches!(value, Json::Numbers(_)),
            _ => {
                let keys: Vec<String> = members.into_iter().map(|(key, _)| key).collect();
                return Err(self.several(&keys));
            }
        };
        let others: Vec<&str> =
            members.iter().filter(|(_, value)| !is_chosen(value)).map(|(key, _)| key.as_str()).collect();
        if !others.is_empty() {
            self.notes.drop(phrase!("keys_dropped", "the keys {keys}", keys = shorten(&others.join(", "))));
        }
        let is_vector = |key: &str| matches!(key, "embedding" | "embeddings" | "vector");
        let is_one_token = members.iter().any(|(key, value)| is_chosen(value) && tables == 0 && is_vector(key));
        let chosen = members.into_iter().map(|(_, value)| value).find(|value| is_chosen(value));
        if is_one_token && let Some(Json::Numbers(numbers)) = chosen {
            return Ok(Node::List(vec![Node::Numbers(numbers)]));
        }
        chosen.map_or(Ok(Node::Numbers(Vec::new())), |value| self.table_of(value))
    }

    fn several(&self, keys: &[String]) -> InputError {
        let keys = shorten(&keys.join(", "));
        self.refused(phrase!("several_lists", "it does not say which of its keys holds the rows ({keys})", keys = keys))
    }

    /// Reads an object whose members are objects of numbers. The members are columns, as pandas writes them, or rows.
    fn frame(&mut self, members: Vec<(String, Json)>) -> Result<Node, InputError> {
        let keys: Vec<String> = members.iter().map(|(key, _)| key.clone()).collect();
        let mut parts: Vec<Vec<(String, Json)>> = Vec::with_capacity(members.len());
        for (_, value) in members {
            let Json::Object(part) = value else { continue };
            parts.push(part);
        }
        let inner: Vec<String> =
            parts.first().map(|part| part.iter().map(|(key, _)| key.clone()).collect()).unwrap_or_default();
        let is_same = parts.iter().all(|part| part.iter().map(|(key, _)| key).eq(&inner));
        let is_run = |keys: &[String]| keys.iter().enumerate().all(|(at, key)| *key == at.to_string());
        let mut rows = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let mut row = Vec::with_capacity(part.len());
            for (column, (_, value)) in part.iter().enumerate() {
                let Json::Number(x) = value else { return Err(self.not_a_number(at, column, value)) };
                row.push(*x);
            }
            rows.push(row);
        }
        let rows = match (is_same, is_run(&keys), is_run(&inner)) {
            (true, true, false) => rows,
            (true, false, true) => {
                (0..inner.len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect()
            }
            (true, true, true) => {
                return Err(InputError::File {
                    file: self.table.name(),
                    problem: phrase!(
                        "objects_numbered_twice",
                        "both levels of it are numbered, so it does not say which are rows and which are columns"
                    ),
                    fix: phrase!("export_json_values", "Write it with `df.to_json(orient=\"values\")`."),
                });
            }
            _ => return Err(self.several(&keys)),
        };
        self.notes.drop(phrase!("columns_and_index", "the names of columns and rows"));
        Ok(Node::List(rows.into_iter().map(Node::Numbers).collect()))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_f64<E>(self, x: f64) -> Result<Json, E> {
        Ok(Json::Number(x))
    }

    fn visit_u64<E>(self, x: u64) -> Result<Json, E> {
        Ok(Json::Number(x as f64))
    }

    fn visit_i64<E>(self, x: i64) -> Result<Json, E> {
        Ok(Json::Number(x as f64))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Other(if value { "true" } else { "false" }))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Other("null"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut numbers = Vec::new();
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            match value {
                Json::Number(x) if values.is_empty() => numbers.push(x),
                value => {
                    values.extend(std::mem::take(&mut numbers).into_iter().map(Json::Number));
                    values.push(value);
                }
            }
        }
        Ok(if values.is_empty() { Json::Numbers(numbers) } else { Json::List(values) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        let mut keys = HashSet::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            // A key given twice would add an element to the list; other readers keep the last of the two values.
            if !keys.insert(key.clone()) {
                return Err(key_twice(&key));
            }
            members.push((key, value));
        }
        Ok(Json::Object(members))
    }
}
