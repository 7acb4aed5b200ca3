//! NaN and infinity as other programs write them into JSON, which has neither.

use std::borrow::Cow;

/// The words for numbers that are none, the longer ones first.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// A line of JSON with null in place of NaN and infinity, which Python's `json` writes as bare words. Texts stay as they are.
pub(crate) fn with_null(line: &str) -> Cow<'_, str> {
    if WORDS.iter().any(|word| line.contains(word)) { Cow::Owned(replaced(line)) } else { Cow::Borrowed(line) }
}

fn replaced(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (written, read) = match WORDS.iter().find(|word| rest.starts_with(**word)) {
            Some(word) => ("null", word.len()),
            None if first == '"' => taken(rest, length_of_text(rest)),
            None => taken(rest, first.len_utf8()),
        };
        out.push_str(written);
        rest = &rest[read..];
    }
    out
}

fn taken(rest: &str, length: usize) -> (&str, usize) {
    (&rest[..length], length)
}

/// The bytes of the quoted text at the beginning, with both quotation marks; all that is left if it does not end.
fn length_of_text(quoted: &str) -> usize {
    let mut is_escaped = false;
    let end = quoted.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or(quoted.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_become_null_and_texts_stay() {
        for (line, expected) in [
            (r#"{"a": NaN, "b": [-Infinity,Infinity]}"#, r#"{"a": null, "b": [null,null]}"#),
            (r#"{"NaN": "Infinity \" NaN \\", "é": NaN}"#, r#"{"NaN": "Infinity \" NaN \\", "é": null}"#),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#""NaN"#, r#""NaN"#),
            (r#"{"a\": NaN"#, r#"{"a\": NaN"#),
            ("-NaN", "-null"),
        ] {
            assert_eq!(with_null(line), expected);
        }
    }
}
