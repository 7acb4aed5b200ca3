//! Reads the members of one JSON object, so that every error names its field.

use std::collections::BTreeMap;
use std::fmt;

use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::error::RowProblem;
use super::missing_numbers::with_null;

/// The largest whole number that every reader of JSON keeps.
const MOST: u64 = 1 << 53;

/// Lists of numbers or null by their key.
pub(crate) type Lists = BTreeMap<String, Vec<Option<f64>>>;

/// The members of an object that have not been read yet.
#[derive(Debug)]
pub(crate) struct Members(Map<String, Value>);

impl Members {
    /// Reads a line of a log.
    pub(crate) fn of_line(line: &str) -> Result<Self, RowProblem> {
        serde_json::from_str(&with_null(line)).map_err(|error| RowProblem::not_json(&error))
    }

    pub(crate) fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// Takes a member; null counts as absent.
    fn take(&mut self, field: &str) -> Option<Value> {
        self.0.remove(field).filter(|value| !value.is_null())
    }

    /// Takes a member that must be there and not null.
    fn need(&mut self, field: &str, allowed: Phrase) -> Result<Value, RowProblem> {
        match self.0.remove(field) {
            None => Err(RowProblem::Missing { field: field.into(), allowed }),
            Some(Value::Null) => Err(RowProblem::wrong(field, &Value::Null, allowed)),
            Some(value) => Ok(value),
        }
    }

    /// Takes a number that may be null, but whose key must be there.
    pub(crate) fn needed_size(&mut self, field: &str) -> Result<Option<f64>, RowProblem> {
        if !self.has(field) {
            return Err(RowProblem::Missing { field: field.into(), allowed: size() });
        }
        self.size(field)
    }

    /// Takes a number that is at least 0, if it is there.
    pub(crate) fn size(&mut self, field: &str) -> Result<Option<f64>, RowProblem> {
        self.number_where(field, size(), |x| x >= 0.0)
    }

    /// Takes a number, if it is there.
    pub(crate) fn number(&mut self, field: &str) -> Result<Option<f64>, RowProblem> {
        self.number_where(field, any_number(), |_| true)
    }

    fn number_where(
        &mut self,
        field: &str,
        allowed: Phrase,
        accept: fn(f64) -> bool,
    ) -> Result<Option<f64>, RowProblem> {
        let Some(value) = self.take(field) else { return Ok(None) };
        let number = value.as_f64().filter(|&x| accept(x));
        number.map(Some).ok_or_else(|| RowProblem::wrong(field, &value, allowed))
    }

    /// Takes a whole number that must be there.
    pub(crate) fn needed_count(&mut self, field: &str) -> Result<u64, RowProblem> {
        let value = self.need(field, whole())?;
        whole_number(&value).ok_or_else(|| RowProblem::wrong(field, &value, whole()))
    }

    /// Takes a whole number, if it is there.
    pub(crate) fn count(&mut self, field: &str) -> Result<Option<u64>, RowProblem> {
        let Some(value) = self.take(field) else { return Ok(None) };
        whole_number(&value).map(Some).ok_or_else(|| RowProblem::wrong(field, &value, whole()))
    }

    /// Takes a text that must be there and not be empty.
    pub(crate) fn needed_text(&mut self, field: &str) -> Result<String, RowProblem> {
        match self.need(field, name())? {
            Value::String(text) if !text.is_empty() => Ok(text),
            other => Err(RowProblem::wrong(field, &other, name())),
        }
    }

    /// Takes a text, if it is there.
    pub(crate) fn text(&mut self, field: &str) -> Result<Option<String>, RowProblem> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(RowProblem::wrong(field, &other, phrase!("any_text", "a text"))),
        }
    }

    /// Takes one of a few words, which must be there.
    pub(crate) fn choice<T: Copy>(&mut self, field: &str, choices: &[(&'static str, T)]) -> Result<T, RowProblem> {
        let words = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
        let allowed = phrase!("run_one_of", "one of {words}", words = words);
        let value = self.need(field, allowed.clone())?;
        let found = choices.iter().find(|(word, _)| value.as_str() == Some(word));
        found.map(|(_, choice)| *choice).ok_or_else(|| RowProblem::wrong(field, &value, allowed))
    }

    /// Takes a list of names, if it is there.
    pub(crate) fn names(&mut self, field: &str) -> Result<Vec<String>, RowProblem> {
        let Some(value) = self.take(field) else { return Ok(Vec::new()) };
        let list = value.as_array().and_then(|list| list.iter().map(text_of).collect());
        list.ok_or_else(|| RowProblem::wrong(field, &value, phrase!("run_names", "a list of names")))
    }

    /// Takes an object of lists of numbers or null, if it is there.
    pub(crate) fn lists(&mut self, field: &str) -> Result<Lists, RowProblem> {
        match self.take(field) {
            None => Ok(Lists::new()),
            Some(Value::Object(lists)) => lists.into_iter().map(|(key, list)| numbers(field, key, &list)).collect(),
            Some(other) => Err(RowProblem::wrong(field, &other, phrase!("an_object", "an object { .. }"))),
        }
    }

    /// What is left: numbers or null.
    pub(crate) fn finish(mut self) -> Result<Vec<(String, Option<f64>)>, RowProblem> {
        let fields: Vec<String> = self.0.keys().cloned().collect();
        fields.into_iter().map(|field| Ok((field.clone(), self.number(&field)?))).collect()
    }
}

fn any_number() -> Phrase {
    phrase!("run_number", "a number or null")
}

fn size() -> Phrase {
    phrase!("run_size", "a number that is at least 0, or null")
}

fn whole() -> Phrase {
    phrase!("run_whole", "a whole number that is at least 0")
}

fn name() -> Phrase {
    phrase!("run_name", "a text that is not empty")
}

/// A whole number, which may be written with a fraction of zero, as JSON Schema allows.
fn whole_number(value: &Value) -> Option<u64> {
    let of_fraction = || value.as_f64().filter(|x| x.fract() == 0.0 && *x >= 0.0 && *x <= MOST as f64);
    value.as_u64().or_else(|| of_fraction().map(|x| x as u64)).filter(|&x| x <= MOST)
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The numbers of the heads under a key.
fn numbers(field: &str, key: String, list: &Value) -> Result<(String, Vec<Option<f64>>), RowProblem> {
    let number = |value: &Value| if value.is_null() { Some(None) } else { value.as_f64().map(Some) };
    let found = list.as_array().and_then(|list| list.iter().map(number).collect::<Option<Vec<_>>>());
    let allowed = || phrase!("run_numbers", "a list of numbers or null, one for each head");
    match found {
        Some(numbers) => Ok((key, numbers)),
        None => Err(RowProblem::wrong(format!("{field}.{key}"), list, allowed())),
    }
}

impl<'de> Deserialize<'de> for Members {
    /// Refuses a key given twice, since readers differ in which of the two they keep.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members, A::Error> {
        let mut object = Map::new();
        while let Some((key, value)) = members.next_entry::<String, Value>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate field `{key}`")));
            }
            object.insert(key, value);
        }
        Ok(Members(object))
    }
}
