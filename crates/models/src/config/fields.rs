//! The fields of a `config.json`, read one by one; absent ones take the family's defaults.

use serde_json::{Map, Value};

use super::activation::Activation;
use super::family::Setting;
use super::layer_set::MAX_LAYERS;
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// The fields of a `config.json`, or of an object in it.
pub(crate) struct Fields {
    map: Map<String, Value>,
    /// The names of the objects around these fields, each with a dot after it.
    path: String,
}

impl Fields {
    /// The fields of the whole file.
    pub(crate) fn of(map: Map<String, Value>) -> Self {
        Fields { map, path: String::new() }
    }

    /// All fields by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.map.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether a field is there and null.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Value::is_null)
    }

    /// How sentences name a field.
    pub(crate) fn name_of(&self, name: &str) -> String {
        format!("{}{name}", self.path)
    }

    /// An object.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Fields>, InputError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_object() {
            Some(map) => Ok(Some(Fields { map: map.clone(), path: format!("{}.", self.name_of(name)) })),
            None => Err(self.bad(name, value, phrase!("json_object", "a JSON object"))),
        }
    }

    /// A field that is there and not null.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, InputError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| self.bad(name, value, phrase!("any_text", "a text"))),
        }
    }

    /// A whole number of at least 1, under any of its names.
    pub(crate) fn size(&self, names: &[&str], default: usize) -> Result<usize, InputError> {
        let Some((name, value)) = self.one_of(names)? else { return Ok(default) };
        let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
        size.filter(|size| *size > 0)
            .ok_or_else(|| self.bad(name, value, phrase!("whole_number_least_1", "a whole number of at least 1")))
    }

    /// A number, under any of its names.
    pub(crate) fn number(&self, names: &[&str], default: f64) -> Result<f64, InputError> {
        let Some((name, value)) = self.one_of(names)? else { return Ok(default) };
        value.as_f64().ok_or_else(|| self.bad(name, value, phrase!("any_number", "a number")))
    }

    /// A whole number of at least 0.
    pub(crate) fn count(&self, name: &str, default: usize) -> Result<usize, InputError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        count.ok_or_else(|| self.bad(name, value, phrase!("whole_number_0_more", "a whole number, 0 or more")))
    }

    /// A list of whole numbers, if it is there.
    pub(crate) fn counts(&self, name: &str) -> Result<Option<Vec<u64>>, InputError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let list = value.as_array().and_then(|list| list.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>());
        let expected = || phrase!("list_of_whole_numbers", "a list of whole numbers");
        list.map(Some).ok_or_else(|| self.bad(name, value, expected()))
    }

    /// A list of numbers, if it is there.
    pub(crate) fn numbers(&self, name: &str) -> Result<Option<Vec<f64>>, InputError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let list = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>());
        list.map(Some).ok_or_else(|| self.bad(name, value, phrase!("list_of_numbers", "a list of numbers")))
    }

    /// A number above 0, if the field is there.
    pub(crate) fn positive(&self, name: &str) -> Result<Option<f64>, InputError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_f64().filter(|number| number.is_finite() && *number > 0.0);
        number.map(Some).ok_or_else(|| self.bad(name, value, phrase!("number_above_0", "a number above 0")))
    }

    /// A number above 0 that has no default.
    pub(crate) fn needed(&self, name: &str) -> Result<f64, InputError> {
        let expected = || phrase!("number_above_0", "a number above 0");
        self.positive(name)?.ok_or_else(|| InputError::MissingKey { key: self.key(name), expected: expected() })
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool, InputError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        value.as_bool().ok_or_else(|| self.bad(name, value, phrase!("true_or_false", "true or false")))
    }

    /// A list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&str>, InputError> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let list = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<&str>>>());
        list.ok_or_else(|| self.bad(name, value, phrase!("list_of_texts", "a list of texts")))
    }

    /// GPT-Neo's `attention_layers`, or else `attention_types`, a list of \[list of words, times\]: whether each layer is
    /// `local`, if one of them is there.
    pub(crate) fn kinds_of_layers(&self) -> Result<Option<Vec<bool>>, InputError> {
        let is_local = |word: &Value| match word.as_str() {
            Some("local") => Some(true),
            Some("global") => Some(false),
            _ => None,
        };
        let list = |value: &Value| value.as_array()?.iter().map(is_local).collect::<Option<Vec<bool>>>();
        let expanded = |part: &Value| {
            let [words, times] = part.as_array()?.as_slice() else { return None };
            let times = usize::try_from(times.as_u64()?).ok()?.min(MAX_LAYERS);
            Some(list(words)?.repeat(times))
        };
        let (name, found) = if let Some(value) = self.get("attention_layers") {
            ("attention_layers", list(value))
        } else if let Some(value) = self.get("attention_types") {
            let parts = value.as_array().and_then(|parts| parts.iter().map(expanded).collect::<Option<Vec<_>>>());
            ("attention_types", parts.map(|parts| parts.concat()))
        } else {
            return Ok(None);
        };
        let expected = || phrase!("kinds_of_layers", "for each layer \"global\" or \"local\"");
        found.map(Some).ok_or_else(|| self.bad(name, &self.map[name], expected()))
    }

    /// One of the words in `choices`; an error if the field is absent.
    pub(crate) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, InputError> {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let expected = phrase!("one_of_words", "one of {words}", words = words.join(", "));
        let Some(found) = self.text(name)? else {
            return Err(InputError::MissingKey { key: self.key(name), expected });
        };
        let chosen = choices.iter().find(|(word, _)| *word == found);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| self.bad(name, &self.map[name], expected))
    }

    /// An activation, under any of the names of the key, by one of the words that all families have or of `own`.
    ///
    /// The refusal of an unsupported one.
    pub(crate) fn activation(
        &self,
        names: &[&str],
        own: &[(&str, Activation)],
        default: Activation,
    ) -> Result<Activation, InputError> {
        let Some((name, _)) = self.one_of(names)? else { return Ok(default) };
        let found = self.text(name)?.unwrap_or_default();
        let mut known = own.iter().chain(&Activation::BY_NAME);
        if let Some((_, activation)) = known.find(|(word, _)| *word == found) {
            return Ok(*activation);
        }
        let words = own.iter().chain(&Activation::BY_NAME).map(|(word, _)| *word).collect::<Vec<_>>();
        let reason = phrase!("why_activation", "the activations that are read are {names}", names = words.join(", "));
        Err(self.not_supported(name, reason))
    }

    /// Whether the fields have a setting.
    pub(crate) fn has(&self, setting: &Setting) -> bool {
        let text = |name: &str| self.get(name).and_then(Value::as_str);
        match *setting {
            Setting::Is(name, value) => self.get(name).map(Value::to_string).as_deref() == Some(value),
            Setting::Begins(name, start) => text(name).is_some_and(|found| found.starts_with(start)),
            Setting::BeginsNot(name, start) => text(name).is_some_and(|found| !found.starts_with(start)),
        }
    }

    /// The value under one of several names; several may be there if they agree.
    fn one_of<'a>(&'a self, names: &[&'a str]) -> Result<Option<(&'a str, &'a Value)>, InputError> {
        let mut found = names.iter().filter_map(|name| Some((*name, self.get(name)?)));
        let Some((name, own)) = found.next() else { return Ok(None) };
        match found.find(|(_, other)| *other != own) {
            Some((other, value)) => Err(InputError::Conflict {
                what: format!("config.json: `{name}` = {own}").into(),
                problem: phrase!(
                    "two_names_disagree",
                    "and `{other}` = {value} are two names of one size, and they disagree",
                    other = other,
                    value = value.to_string()
                ),
                fix: phrase!(
                    "copy_config_again",
                    "Copy config.json again from the place where the model was published."
                ),
            }),
            None => Ok(Some((name, own))),
        }
    }

    /// A setting with its value, and with the version of transformers that wrote the file if the file names it.
    pub(crate) fn setting(&self, name: &str) -> Phrase {
        let (key, value) = (self.name_of(name), shortened(self.get(name)));
        match self.get("transformers_version").and_then(Value::as_str) {
            Some(version) => phrase!(
                "setting_of_version",
                "config.json, written by transformers {version}: `{key}` = {value}",
                version = shortened_text(version),
                key = key,
                value = value
            ),
            None => phrase!("setting_of_config", "config.json: `{key}` = {value}", key = key, value = value),
        }
    }

    /// The refusal of a setting. It proposes no edit: with another value the file would describe a model that does not
    /// exist.
    pub(crate) fn not_supported(&self, name: &str, reason: Phrase) -> InputError {
        InputError::Conflict {
            what: self.setting(name),
            problem: phrase!("not_supported", "is not supported: {reason}", reason = reason),
            fix: phrase!(
                "do_not_edit_setting",
                "Measure a model without it; with another value in the file, the number would be that of no model."
            ),
        }
    }

    /// The error for a field whose value is not of the expected kind.
    fn bad(&self, name: &str, value: &Value, expected: impl Into<Phrase>) -> InputError {
        InputError::bad_value(self.key(name), value.to_string(), expected)
    }

    /// How errors name a field.
    fn key(&self, name: &str) -> String {
        format!("config.json: {}", self.name_of(name))
    }
}

fn shortened(value: Option<&Value>) -> String {
    shortened_text(&value.map_or_else(String::new, Value::to_string))
}

fn shortened_text(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
