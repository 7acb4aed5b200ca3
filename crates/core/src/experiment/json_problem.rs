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
            "{problem} (line {line}, column {column})",
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

/// Sentences for what serde_json says; other messages are quoted.
fn problem(message: &str) -> Phrase {
    match message {
        "EOF while parsing a list" => {
            phrase!("eof_while_parsing_list", "the text ends inside a list, whose closing bracket ] is missing")
        }
        "EOF while parsing an object" => {
            phrase!("eof_while_parsing_object", "the text ends inside an object, whose closing brace } is missing")
        }
        "EOF while parsing a string" => {
            phrase!(
                "eof_while_parsing_string",
                "the text ends inside a string, whose closing quotation mark is missing"
            )
        }
        "EOF while parsing a value" => {
            phrase!("eof_while_parsing_value", "the text ends where a value is missing")
        }
        "expected `:`" => phrase!("expected_colon", "a colon is missing between a key and its value"),
        "expected `,` or `]`" => {
            phrase!("expected_comma_or_bracket", "a comma or the closing bracket ] of a list is missing")
        }
        "expected `,` or `}`" => {
            phrase!("expected_comma_or_brace", "a comma or the closing brace } of an object is missing")
        }
        "expected ident" => phrase!("expected_ident", "a word is neither true, false nor null"),
        "expected value" => phrase!("expected_value", "a value is missing"),
        "expected `\"`" => phrase!("expected_quote", "a quotation mark is missing"),
        "invalid escape" => phrase!("invalid_escape", "a backslash stands before a character that needs none"),
        "invalid number" => phrase!("invalid_number", "a number is not written as in JSON, such as 0.5 or -2"),
        "number out of range" => phrase!("number_out_range", "a number is too large"),
        "invalid unicode code point" => {
            phrase!("invalid_unicode_code_point", "a string has a character that Unicode does not have")
        }
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            phrase!(
                "control_character_u0000_u001f",
                "a string has a line break or another control character, which JSON writes as an escape such as \\n"
            )
        }
        "key must be a string" => phrase!("key_must_be_string", "a key has no quotation marks"),
        "lone leading surrogate in hex escape" => {
            phrase!(
                "lone_leading_surrogate_hex",
                "an escape \\u is half of a character, and its second half is missing"
            )
        }
        "trailing comma" => phrase!("trailing_comma", "a comma stands before a closing bracket or brace"),
        "trailing characters" => phrase!("trailing_characters", "more text follows the end of the JSON value"),
        "unexpected end of hex escape" => {
            phrase!("unexpected_end_hex_escape", "an escape \\u has fewer than four hexadecimal digits")
        }
        "recursion limit exceeded" => {
            phrase!("recursion_limit_exceeded", "lists and objects lie too deep within each other")
        }
        other => serde_problem(other),
    }
}

/// Sentences for what serde says about a key, in any format; other messages are quoted.
#[must_use]
pub fn serde_problem(message: &str) -> Phrase {
    let quoted = |before: &str| message.strip_prefix(before)?.strip_suffix('`');
    if let Some(key) = quoted("duplicate field `") {
        return phrase!(
            "key_twice",
            "the key `{key}` stands twice in one object, and only one can be meant",
            key = key
        );
    }
    if let Some(key) = quoted("missing field `") {
        return phrase!("missing_field", "the key `{key}` is missing", key = key);
    }
    match message.strip_prefix("invalid type: ").and_then(|types| types.split_once(", expected ")) {
        Some((found, expected)) => phrase!(
            "invalid_type",
            "a value is of another kind: {found} in place of {expected}",
            found = without_ticks(found),
            expected = without_ticks(expected)
        ),
        None => library_words(without_ticks(message)),
    }
}

fn without_ticks(text: &str) -> String {
    text.replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The problem of a text that should be a list of numbers.
    fn said(text: &str) -> String {
        json_problem(&serde_json::from_str::<serde_json::Value>(text).expect_err(text)).to_string()
    }

    #[test]
    fn no_problem_is_said_in_the_words_of_the_parser() {
        for text in [
            "[1",
            "{\"a\":1",
            "\"a",
            "{\"a\":",
            "{\"a\" 1}",
            "[1 2]",
            "{\"a\":1 2",
            "nul",
            "[}",
            "{a:1}",
            "\"\\x\"",
            "01",
            "1e999",
            "\"\n\"",
            "{1:2}",
            "\"\\ud800\"",
            "[1,]",
            "1 2",
            "\"\\u12",
            &"[".repeat(200),
        ] {
            let said = said(text);
            for word in ["EOF", "`", "expected", "ident", "trailing", "parsing"] {
                assert!(!said.contains(word), "{text}: {said}");
            }
            assert!(said.contains("(line 1, column ") || said.contains("(line 2, column "), "{text}: {said}");
        }
        assert_eq!(said("{\"tokens\":"), "the text ends where a value is missing (line 1, column 10)");
    }

    #[test]
    fn a_key_that_is_missing_and_a_value_of_another_kind_are_named() {
        #[derive(Debug, serde::Deserialize)]
        struct Index {
            #[expect(dead_code, reason = "only its kind is asked for")]
            weight_map: Vec<u32>,
        }
        let said = |text: &str| json_problem(&serde_json::from_str::<Index>(text).expect_err(text)).to_string();
        assert!(said("{}").starts_with("the key `weight_map` is missing"), "{}", said("{}"));
        let other = said("{\"weight_map\":true}");
        assert!(other.starts_with("a value is of another kind: boolean true in place of a sequence"), "{other}");
    }
}
