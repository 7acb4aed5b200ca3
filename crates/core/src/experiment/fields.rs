//! Reads a JSON object key by key and keeps track of its path, so that every error names the full path of the key.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Phrase;
use super::error::InputError;
use super::rows::Rows;
use super::strict_json::Json;
use crate::phrase;

/// The fields of one JSON object that have not been read yet.
pub(super) struct Fields {
    path: String,
    left: BTreeMap<String, Json>,
    known: Vec<&'static str>,
}

impl Fields {
    /// The fields of the object `value` found at `path` ("" for the whole file).
    pub(super) fn of(path: &str, value: Json) -> Result<Self, InputError> {
        match value {
            Json::Object(left) => Ok(Fields { path: path.into(), left, known: Vec::new() }),
            other => {
                let name = if path.is_empty() { phrase!("experiment", "The experiment") } else { path.into() };
                Err(InputError::bad_value(name, other.to_string(), phrase!("an_object", "an object { .. }")))
            }
        }
    }

    /// The full path of a key of this object.
    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) }
    }

    /// Removes and returns an optional key; null counts as absent.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Json> {
        self.known.push(key);
        self.left.remove(key).filter(|value| !value.is_null())
    }

    /// Whether a key is there and not null.
    pub(super) fn has(&self, key: &str) -> bool {
        self.left.get(key).is_some_and(|value| !value.is_null())
    }

    /// Refuses a key that was renamed since earlier files: ignoring it would change the meaning of the file.
    pub(super) fn renamed(&self, old: &str, now: &str) -> Result<(), InputError> {
        if self.left.contains_key(old) {
            return Err(InputError::RenamedKey { key: self.path_of(old), now: now.into() });
        }
        Ok(())
    }

    /// Removes and returns a required key.
    pub(super) fn need(&mut self, key: &'static str, expected: Phrase) -> Result<Json, InputError> {
        self.take(key).ok_or_else(|| InputError::MissingKey { key: self.path_of(key), expected })
    }

    /// Reads one of a few words; `default` if the key is absent.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&str, T)],
        default: Option<T>,
    ) -> Result<T, InputError> {
        let words = || any_of(choices.iter().map(|(word, _)| format!("\"{word}\"").into()));
        match self.take(key) {
            None => default.ok_or_else(|| InputError::MissingKey { key: self.path_of(key), expected: words() }),
            Some(value) => value
                .as_str()
                .and_then(|found| choices.iter().find(|(word, _)| *word == found))
                .map(|(_, choice)| *choice)
                .ok_or_else(|| InputError::bad_value(self.path_of(key), value.to_string(), words())),
        }
    }

    /// Reads a finite number that satisfies `accept`; `default` if the key is absent.
    pub(super) fn number(
        &mut self,
        key: &'static str,
        default: f64,
        expected: Phrase,
        accept: impl Fn(f64) -> bool,
    ) -> Result<f64, InputError> {
        Ok(self.optional_number(key, expected, accept)?.unwrap_or(default))
    }

    /// Reads a number above 0, if the key is there.
    pub(super) fn positive(&mut self, key: &'static str) -> Result<Option<f64>, InputError> {
        self.optional_number(key, phrase!("number_above_0", "a number above 0"), |x| x > 0.0)
    }

    /// Reads a finite number that satisfies `accept`, if the key is there.
    pub(super) fn optional_number(
        &mut self,
        key: &'static str,
        expected: Phrase,
        accept: impl Fn(f64) -> bool,
    ) -> Result<Option<f64>, InputError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.as_f64().filter(|x| x.is_finite() && accept(*x)) {
            Some(x) => Ok(Some(x)),
            None => Err(InputError::bad_value(self.path_of(key), value.to_string(), expected)),
        }
    }

    /// Reads a number, or a list of 1 to `most` numbers, if the key is there. All satisfy `accept`.
    pub(super) fn number_or_list(
        &mut self,
        key: &'static str,
        most: usize,
        expected: Phrase,
        accept: impl Fn(f64) -> bool,
    ) -> Result<Option<NumberOrList>, InputError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let number = |value: &Json| value.as_f64().filter(|x| x.is_finite() && accept(*x));
        if let Some(x) = number(&value) {
            return Ok(Some(NumberOrList::Number(x)));
        }
        let list: Option<Vec<f64>> = value.entries().and_then(|entries| entries.iter().map(number).collect());
        match list.filter(|list| (1..=most).contains(&list.len())) {
            Some(list) => Ok(Some(NumberOrList::List(list))),
            None => Err(InputError::bad_value(self.path_of(key), value.to_string(), expected)),
        }
    }

    /// Reads a whole number of at least `least`; `default` if the key is absent.
    pub(super) fn count(&mut self, key: &'static str, default: u64, least: u64) -> Result<u64, InputError> {
        let Some(value) = self.take(key) else { return Ok(default) };
        // 8.0 counts as a whole number, because other languages write it so.
        let whole = value.as_u64().or_else(|| {
            value.as_f64().filter(|x| x.fract() == 0.0 && (0.0..9.007_199_254_740_992e15).contains(x)).map(|x| x as u64)
        });
        if whole.is_none() && value.as_f64().is_some_and(|x| x.fract() == 0.0 && x > 0.0) {
            return Err(InputError::TooLarge {
                what: format!("`{}`", self.path_of(key)).into(),
                found: value.to_string().into(),
                limit: u64::MAX.to_string().into(),
                fix: phrase!("make_smaller", "Make it smaller."),
            });
        }
        whole.filter(|n| *n >= least).ok_or_else(|| {
            let expected = match least {
                0 => phrase!("whole_number_0_more", "a whole number, 0 or more"),
                _ => phrase!("whole_number_least", "a whole number of at least {least}", least = least),
            };
            InputError::bad_value(self.path_of(key), value.to_string(), expected)
        })
    }

    /// Reads a size: a whole number from one to `limit`.
    pub(super) fn size(&mut self, key: &'static str, default: usize, limit: usize) -> Result<usize, InputError> {
        let found = self.count(key, default as u64, 1)?;
        usize::try_from(found).ok().filter(|size| *size <= limit).ok_or_else(|| InputError::TooLarge {
            what: format!("`{}`", self.path_of(key)).into(),
            found: found.to_string().into(),
            limit: limit.to_string().into(),
            fix: phrase!("make_smaller", "Make it smaller."),
        })
    }

    /// Reads a size that has no default: a whole number from one to `limit`.
    pub(super) fn required_size(&mut self, key: &'static str, limit: usize) -> Result<usize, InputError> {
        if !self.has(key) {
            let expected = phrase!("whole_number_least", "a whole number of at least {least}", least = 1u64);
            return Err(InputError::MissingKey { key: self.path_of(key), expected });
        }
        self.size(key, 1, limit)
    }

    /// Reads the word of `source`.
    pub(super) fn source(&mut self, sources: &[&'static str]) -> Result<&'static str, InputError> {
        let choices: Vec<(&str, &'static str)> = sources.iter().map(|source| (*source, *source)).collect();
        self.choice("source", &choices, None)
    }

    /// Reads a list of rows.
    pub(super) fn rows(&mut self, key: &'static str) -> Result<Rows, InputError> {
        let value =
            self.need(key, phrase!("list_rows_numbers_like", "a list of rows of numbers, like [[1,2],[3,4]]"))?;
        rows_of(&self.path_of(key), &value)
    }

    /// Reads a list of rows, if the key is there.
    pub(super) fn optional_rows(&mut self, key: &'static str) -> Result<Option<Rows>, InputError> {
        self.take(key).map(|value| rows_of(&self.path_of(key), &value)).transpose()
    }

    /// Ends the reading: a key that was not read is unknown, and an error.
    pub(super) fn finish(self) -> Result<(), InputError> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(key) => Err(InputError::UnknownKey { key: self.path_of(key), expected: self.known.join(", ") }),
        }
    }
}

/// A number, or a list of numbers.
pub(super) enum NumberOrList {
    /// One number.
    Number(f64),
    /// At least one.
    List(Vec<f64>),
}

/// Reads a list of rows; errors name row and column.
pub(super) fn rows_of(path: &str, value: &Json) -> Result<Rows, InputError> {
    let expected = phrase!("list_rows_numbers_like", "a list of rows of numbers, like [[1,2],[3,4]]");
    let what = format!("`{path}`");
    let lists = value.entries().ok_or_else(|| InputError::bad_value(path, value.to_string(), expected))?;
    let rows = lists.iter().enumerate().map(|(row_idx, list)| row_of((path, &what, row_idx), list));
    Rows::from_lists(&what, &rows.collect::<Result<Vec<_>, InputError>>()?)
}

fn row_of<'a>((path, what, row_idx): (&str, &str, usize), list: &'a Json) -> Result<Cow<'a, [f64]>, InputError> {
    if let Json::Numbers(numbers) = list {
        return Ok(Cow::Borrowed(numbers));
    }
    let entries = list.entries().ok_or_else(|| {
        InputError::bad_value(
            format!("{path}[{row_idx}]"),
            list.to_string(),
            phrase!("list_numbers", "a list of numbers"),
        )
    })?;
    let number = |(column_idx, entry): (usize, &Json)| {
        entry.as_f64().filter(|x| x.is_finite()).ok_or_else(|| InputError::NotANumber {
            what: what.into(),
            row: row_idx + 1,
            column: column_idx + 1,
            found: super::error::shorten(&entry.to_string()).into(),
        })
    };
    entries.iter().enumerate().map(number).collect()
}

/// `first or second or third`.
fn any_of(mut words: impl Iterator<Item = Phrase>) -> Phrase {
    let first = words.next().unwrap_or_else(|| Phrase::verbatim(""));
    words.fold(first, |before, word| phrase!("or", "{first} or {rest}", first = before, rest = word))
}
