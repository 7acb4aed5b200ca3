//! Builds a `tokenizer.json` from other vocabularies: BERT's `vocab.txt`, and GPT-2's `vocab.json` with `merges.txt`.

use std::collections::BTreeSet;

use lipscope_core::experiment::{InputError, Phrase, json_problem};
use lipscope_core::phrase;
use serde_json::{Map, Value, json};

use super::problem::wrong;
use super::settings::Settings;

/// The tokenizer of a `vocab.txt`, in which the id of a piece is its line number. If no file states whether to
/// lower-case the text, this function guesses it from the pieces; the tokens in `special` do not count for the guess.
pub(super) fn of_word_pieces(
    lines: &str,
    settings: &Settings,
    unknown: &str,
    special: &BTreeSet<&str>,
    notes: &mut Vec<Phrase>,
) -> Value {
    let pieces = word_pieces(lines);
    let lowercase = settings.lowercase.unwrap_or_else(|| {
        let is_cased = is_cased(&pieces, special);
        notes.push(guessed(is_cased, settings.strip_accents.flatten()));
        !is_cased
    });
    let pieces: Map<String, Value> =
        pieces.into_iter().enumerate().map(|(id, piece)| (piece.to_owned(), Value::from(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "lowercase": lowercase,
            "handle_chinese_chars": settings.chinese_characters.unwrap_or(true),
            "strip_accents": settings.strip_accents.flatten(),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": pieces,
        },
    })
}

/// The tokenizer of a `vocab.json` with its `merges.txt`.
///
/// # Errors
/// [`InputError::File`] if `vocab.json` is not a JSON object.
pub(super) fn of_byte_pairs(pieces: &str, merges: &str, settings: &Settings) -> Result<Value, InputError> {
    let pieces: Map<String, Value> =
        serde_json::from_str(pieces).map_err(|error| wrong("vocab.json", json_problem(&error)))?;
    let merges: Vec<&str> = merges.lines().filter(|line| !line.is_empty() && !line.starts_with("#version")).collect();
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {
            "type": "ByteLevel", "add_prefix_space": settings.prefix_space.unwrap_or(false), "trim_offsets": true,
            "use_regex": true,
        },
        "post_processor": null, "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
            "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "vocab": pieces, "merges": merges,
        },
    }))
}

/// The entries of a `vocab.txt`. A line ends as in Python: with `\n`, `\r\n` or `\r`; blanks at its end are no part of
/// a piece, since no word of a text has any.
fn word_pieces(lines: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for line in lines.split_inclusive('\n') {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        pieces.extend(line.split('\r').map(str::trim_end));
    }
    pieces
}

/// Whether a vocabulary has a piece that lower-casing would change, so that lower-cased text never produces it. Entries
/// that look like special ones, such as `[unused1]` or `<S>`, do not count.
fn is_cased(pieces: &[&str], special: &BTreeSet<&str>) -> bool {
    let is_marker = |piece: &str| {
        [('[', ']'), ('<', '>')].iter().any(|(start, end)| piece.starts_with(*start) && piece.ends_with(*end))
    };
    let counts = |piece: &&&str| !special.contains(**piece) && !is_marker(piece);
    pieces.iter().filter(counts).any(|piece| piece.to_lowercase() != **piece)
}

/// The note about the guess.
fn guessed(is_cased: bool, strip_accents: Option<bool>) -> Phrase {
    match (is_cased, strip_accents) {
        (true, _) => phrase!(
            "guessed_cased",
            "no file says whether the text is lower-cased; vocab.txt has entries with capital letters, so it was not"
        ),
        (false, Some(false)) => phrase!(
            "guessed_lower_case",
            "no file says whether the text is lower-cased; no entry of vocab.txt has a capital letter, so it was"
        ),
        (false, _) => phrase!(
            "guessed_lower_case_without_accents",
            "no file says whether the text is lower-cased; no entry of vocab.txt has a capital letter, so it was, and \
             accents were removed"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_python() {
        for text in ["a\nb c\n\nd\n", "a\r\nb c\r\n\r\nd", "a\rb c\r\rd\n", "a \nb c\t\n\n d"] {
            let expected = if text.ends_with(" d") { vec!["a", "b c", "", " d"] } else { vec!["a", "b c", "", "d"] };
            assert_eq!(word_pieces(text), expected, "{text:?}");
        }
        assert_eq!(word_pieces(""), Vec::<&str>::new());
    }

    #[test]
    fn special_entries_do_not_make_a_vocabulary_cased() {
        let none = BTreeSet::new();
        assert!(!is_cased(&["[PAD]", "<S>", "<T>", "[unused1]", "paris", "##s", "我", "ß", "\u{1d400}"], &none));
        assert!(is_cased(&["paris", "Paris"], &none) && is_cased(&["##É"], &none));
        assert!(is_cased(&["NUL"], &none) && !is_cased(&["NUL"], &BTreeSet::from(["NUL"])));
    }

    #[test]
    fn the_guess_is_said_only_where_it_was_made() {
        let read = |settings: &Settings| {
            let mut notes = Vec::new();
            let whole = of_word_pieces("[UNK]\nder\n", settings, "[UNK]", &BTreeSet::new(), &mut notes);
            (whole["normalizer"].clone(), notes.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let (normalizer, notes) = read(&Settings::default());
        assert_eq!((&normalizer["lowercase"], &normalizer["strip_accents"]), (&json!(true), &Value::Null));
        assert!(notes.len() == 1 && notes[0].contains("so it was") && notes[0].contains("accents"), "{notes:?}");
        let (normalizer, notes) = read(&Settings { lowercase: Some(false), ..Settings::default() });
        assert_eq!((&normalizer["lowercase"], notes), (&json!(false), vec![]));
    }
}
