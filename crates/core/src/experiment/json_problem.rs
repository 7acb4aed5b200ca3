//! The messages of serde_json about a text that is not JSON, as data.

use super::Phrase;
use crate::phrase;

/// The problem that serde_json found, with line and column.
#[must_use]
pub fn json_problem(error: &serde_json::Error) -> Phrase {
    let message = error.to_string();
    let (line, column) = (error.line(), error.column());
    match message.strip_suffix(&format!(" at line {line} column {column}")) {
        Some(message) => phrase!(
            "line_column",
            "{problem} at line {line} column {column}",
            problem = problem(message),
            line = line,
            column = column
        ),
        None => library_words(message),
    }
}

/// A message of a library about a text or file, to be quoted.
#[must_use]
pub fn library_words(text: impl Into<String>) -> Phrase {
    phrase!("library", "{text}", text = text.into())
}

/// Common problems get phrases of their own; other messages are quoted.
fn problem(message: &str) -> Phrase {
    match message {
        "EOF while parsing a list" => phrase!("eof_while_parsing_list", "EOF while parsing a list"),
        "EOF while parsing an object" => phrase!("eof_while_parsing_object", "EOF while parsing an object"),
        "EOF while parsing a string" => phrase!("eof_while_parsing_string", "EOF while parsing a string"),
        "EOF while parsing a value" => phrase!("eof_while_parsing_value", "EOF while parsing a value"),
        "expected `:`" => phrase!("expected_colon", "expected `:`"),
        "expected `,` or `]`" => phrase!("expected_comma_or_bracket", "expected `,` or `]`"),
        "expected `,` or `}`" => phrase!("expected_comma_or_brace", "expected `,` or `}`"),
        "expected ident" => phrase!("expected_ident", "expected ident"),
        "expected value" => phrase!("expected_value", "expected value"),
        "expected `\"`" => phrase!("expected_quote", "expected `\"`"),
        "invalid escape" => phrase!("invalid_escape", "invalid escape"),
        "invalid number" => phrase!("invalid_number", "invalid number"),
        "number out of range" => phrase!("number_out_range", "number out of range"),
        "invalid unicode code point" => phrase!("invalid_unicode_code_point", "invalid unicode code point"),
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            phrase!("control_character_u0000_u001f", "control character (\\u0000-\\u001F) found while parsing a string")
        }
        "key must be a string" => phrase!("key_must_be_string", "key must be a string"),
        "lone leading surrogate in hex escape" => {
            phrase!("lone_leading_surrogate_hex", "lone leading surrogate in hex escape")
        }
        "trailing comma" => phrase!("trailing_comma", "trailing comma"),
        "trailing characters" => phrase!("trailing_characters", "trailing characters"),
        "unexpected end of hex escape" => phrase!("unexpected_end_hex_escape", "unexpected end of hex escape"),
        "recursion limit exceeded" => phrase!("recursion_limit_exceeded", "recursion limit exceeded"),
        other => match other.strip_prefix("duplicate field `").and_then(|key| key.strip_suffix('`')) {
            Some(key) => {
                phrase!("key_twice", "the key `{key}` stands twice in one object, and only one can be meant", key = key)
            }
            None => library_words(other),
        },
    }
}
