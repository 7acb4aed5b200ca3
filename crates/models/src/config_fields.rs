//! The fields of a `config.json`, read one by one; absent ones take the family's defaults.

use serde_json::{Map, Value};

use super::config::Activation;
use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;

/// The fields of a `config.json`.
pub(super) struct Fields(pub(super) Map<String, Value>);

impl Fields {
    /// A field that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, InputError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| bad(name, value, phrase!("any_text", "a text"))),
        }
    }

    /// A whole number of at least 1, under the family's own name or the name that all families of transformers share.
    pub(super) fn size(&self, names: [&str; 2], default: usize) -> Result<usize, InputError> {
        let [name, shared] = names;
        let Some((name, value)) = self.one_of(name, shared)? else { return Ok(default) };
        let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
        size.filter(|size| *size > 0)
            .ok_or_else(|| bad(name, value, phrase!("whole_number_least_1", "a whole number of at least 1")))
    }

    /// A number.
    pub(super) fn number(&self, name: &str, default: f64) -> Result<f64, InputError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        value.as_f64().ok_or_else(|| bad(name, value, phrase!("any_number", "a number")))
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool, InputError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        value.as_bool().ok_or_else(|| bad(name, value, phrase!("true_or_false", "true or false")))
    }

    /// A list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<&str>, InputError> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let list = value.as_array().and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<&str>>>());
        list.ok_or_else(|| bad(name, value, phrase!("list_of_texts", "a list of texts")))
    }

    /// One of the words in `choices`; an error if the field is absent.
    pub(super) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, InputError> {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let expected = phrase!("one_of_words", "one of {words}", words = words.join(", "));
        let Some(found) = self.text(name)? else { return Err(InputError::MissingKey { key: key(name), expected }) };
        let chosen = choices.iter().find(|(word, _)| *word == found);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| bad(name, &self.0[name], expected))
    }

    /// An activation; `None` for an unsupported one.
    pub(super) fn activation(&self, name: &str, default: Activation) -> Result<Option<Activation>, InputError> {
        Ok(match self.text(name)? {
            None => Some(default),
            Some("gelu" | "gelu_python") => Some(Activation::GeluErf),
            // These differ in how sqrt(2/pi) is rounded, and in intermediate roundings.
            Some("gelu_new" | "gelu_pytorch_tanh" | "gelu_python_tanh" | "gelu_fast" | "gelu_accurate") => {
                Some(Activation::GeluTanh)
            }
            Some("relu") => Some(Activation::Relu),
            Some(_) => None,
        })
    }

    /// The value under one of two names; both may be there if they agree.
    fn one_of<'a>(&'a self, name: &'a str, shared: &'a str) -> Result<Option<(&'a str, &'a Value)>, InputError> {
        match (self.get(name), self.get(shared).filter(|_| shared != name)) {
            (Some(own), Some(other)) if own != other => Err(InputError::Conflict {
                what: format!("config.json: `{name}` = {own}").into(),
                problem: phrase!(
                    "two_names_disagree",
                    "and `{other}` = {value} are two names of one size, and they disagree",
                    other = shared,
                    value = other.to_string()
                ),
                fix: phrase!(
                    "copy_config_again",
                    "Copy config.json again from the place where the model was published."
                ),
            }),
            (Some(value), _) => Ok(Some((name, value))),
            (None, value) => Ok(value.map(|value| (shared, value))),
        }
    }
}

/// How errors name a field.
pub(super) fn key(name: &str) -> String {
    format!("config.json: {name}")
}

/// The error for a field whose value is not of the expected kind.
pub(super) fn bad(name: &str, value: &Value, expected: impl Into<Phrase>) -> InputError {
    InputError::bad_value(key(name), value.to_string(), expected)
}
