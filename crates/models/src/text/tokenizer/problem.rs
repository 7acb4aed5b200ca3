//! Errors about tokenizer files, with parts of the files quoted.

use lipscope_core::experiment::{InputError, Phrase, json_problem, library_words};
use lipscope_core::phrase;
use serde_json::{Map, Value};

/// The error for a file from which no tokenizer can be made.
pub(super) fn wrong(file: impl Into<Phrase>, problem: Phrase) -> InputError {
    InputError::File {
        file: file.into(),
        problem: phrase!("not_tokenizer_this_kind", "it is not a tokenizer of this kind ({detail})", detail = problem),
        fix: phrase!("copy_file_again_from", "Copy the file again from the model's folder."),
    }
}

/// The error for a text that the library cannot tokenize, in the library's words.
pub(super) fn unable(error: &tokenizers::Error) -> InputError {
    wrong(phrase!("tokenizer", "The tokenizer"), library_words(error.to_string()))
}

/// Parses the text of a JSON file that holds one object.
pub(super) fn object(file: &'static str, text: &str) -> Result<Map<String, Value>, InputError> {
    serde_json::from_str(text).map_err(|error| wrong(file, json_problem(&error)))
}

/// The name of a list of tokens in errors.
pub(super) fn list_of_tokens() -> Phrase {
    phrase!("list_of_tokens", "a list of tokens")
}

/// The error for a value that does not fit its key.
pub(super) fn wrong_value(file: &'static str, key: &str, found: &Value, expected: Phrase) -> InputError {
    wrong(
        file,
        phrase!(
            "key_found_expected",
            "`{key}` is {found}, not {expected}",
            key = quoted(key).trim_matches('"').to_owned(),
            found = shortened(found),
            expected = expected
        ),
    )
}

/// A text of a file in quotation marks, shortened, without control characters.
pub(super) fn quoted(text: &str) -> String {
    shortened(&Value::String(text.to_owned()))
}

/// A list of quoted texts of a file, cut to fit a sentence.
pub(super) fn listed<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    const MOST: usize = 8;
    let mut shown: Vec<String> = texts.take(MOST + 1).map(|text| quoted(text)).collect();
    if shown.len() > MOST {
        shown[MOST] = "…".into();
    }
    shown.join(", ")
}

/// A value as JSON, cut after forty characters; a list or an object stands between backticks.
pub(super) fn shortened(value: &Value) -> String {
    let text = value.to_string();
    let mut start: String = text.chars().take(40).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => start,
        Value::Array(_) | Value::Object(_) => format!("`{start}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_is_shortened_and_has_no_control_characters() {
        assert_eq!(quoted("a\0b\u{1b}"), r#""a\u0000b\u001b""#);
        assert_eq!(quoted(&"é".repeat(50)).chars().count(), 41);
        let many: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(listed(many.iter().take(2)), r#""0", "1""#);
        assert!(listed(many.iter()).ends_with(r#""7", …"#), "{}", listed(many.iter()));
    }
}
