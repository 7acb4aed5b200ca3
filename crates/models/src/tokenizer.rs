//! Tokenizers in the formats that models come with: `tokenizer.json`, BERT's `vocab.txt`, or GPT-2's `vocab.json` with
//! `merges.txt`. No special tokens, truncation or padding: windows contain only the text.

use std::ops::Range;

use serde_json::{Map, Value, json};
use tokenizers::normalizers::Replace;
use tokenizers::{NormalizedString, Normalizer as _};

use lipscope_core::experiment::InputError;
use lipscope_core::experiment::{Phrase, json_problem, library_words};
use lipscope_core::phrase;

/// The contents of a tokenizer's files; the first complete format is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenizerFiles {
    /// `tokenizer.json`.
    pub tokenizer: Option<String>,
    /// `vocab.txt`: one word piece per line.
    pub word_pieces: Option<String>,
    /// `vocab.json`: byte-level pieces with their ids.
    pub pieces: Option<String>,
    /// `merges.txt`: pairs of pieces in the order of merging.
    pub merges: Option<String>,
}

/// Converts text to token ids.
#[derive(Clone, Debug)]
pub struct Tokenizer(tokenizers::Tokenizer);

impl Tokenizer {
    /// Builds a tokenizer from its files.
    ///
    /// # Errors
    /// [`InputError::File`] that names the file.
    pub fn new(files: &TokenizerFiles) -> Result<Self, InputError> {
        let (file, text): (Phrase, _) = match files {
            TokenizerFiles { tokenizer: Some(text), .. } => ("tokenizer.json".into(), needed_of(text)?),
            TokenizerFiles { word_pieces: Some(lines), .. } => ("vocab.txt".into(), word_piece_json(lines).to_string()),
            TokenizerFiles { pieces: Some(pieces), merges: Some(merges), .. } => (
                phrase!("vocab_json_merges_txt", "vocab.json with merges.txt"),
                byte_level_json(pieces, merges)?.to_string(),
            ),
            _ => {
                return Err(InputError::File {
                    file: phrase!("tokenizer", "The tokenizer"),
                    problem: phrase!("missing", "it is missing"),
                    fix: phrase!(
                        "give_tokenizer_json_vocab",
                        "Give tokenizer.json, or vocab.txt, or vocab.json together with merges.txt."
                    ),
                });
            }
        };
        let mut tokenizer = tokenizers::Tokenizer::from_bytes(text)
            .map_err(|error| wrong(file.clone(), library_words(error.to_string())))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| wrong(file, library_words(error.to_string())))?;
        Ok(Tokenizer(tokenizer))
    }

    /// The token ids of a text.
    ///
    /// # Errors
    /// [`InputError::File`] if the tokenizer has no token for a part of the text.
    pub fn ids(&self, text: &str) -> Result<Vec<u32>, InputError> {
        let encoding = self
            .0
            .encode_fast(text, false)
            .map_err(|error| wrong(phrase!("tokenizer", "The tokenizer"), library_words(error.to_string())))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The token ids of a text and the byte range of each token.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn ids_and_spans(&self, text: &str) -> Result<(Vec<u32>, Vec<Range<usize>>), InputError> {
        let encoding = self
            .0
            .encode(text, false)
            .map_err(|error| wrong(phrase!("tokenizer", "The tokenizer"), library_words(error.to_string())))?;
        let spans = encoding.get_offsets().iter().map(|(start, end)| *start..*end).collect();
        Ok((encoding.get_ids().to_vec(), spans))
    }
}

/// A `tokenizer.json` without the parts that are never used: its decoder, which turns ids into text (the library panics at
/// a broken one, and at broken JSON inside of it), and its post-processor, which adds special tokens and may repeat the
/// text any number of times.
fn needed_of(text: &str) -> Result<String, InputError> {
    let mut whole: Value = serde_json::from_str(text).map_err(|error| wrong("tokenizer.json", json_problem(&error)))?;
    check_merges(&whole["model"])?;
    check_replacements(&whole["normalizer"])?;
    if let Some(fields) = whole.as_object_mut() {
        fields.remove("decoder");
        fields.remove("post_processor");
        // Merges that are left out at random are for training: the same text would have other tokens each time.
        if let Some(model) = fields.get_mut("model").and_then(Value::as_object_mut) {
            model.remove("dropout");
        }
        if let Some(normalizer) = fields.get_mut("normalizer") {
            drop_empty_prefixes(normalizer);
        }
    }
    Ok(whole.to_string())
}

/// Checks that the second piece of every merge begins with the prefix of pieces inside a word, which the library cuts off
/// without a look.
fn check_merges(model: &Value) -> Result<(), InputError> {
    let Some(prefix) = model["continuing_subword_prefix"].as_str().filter(|prefix| !prefix.is_empty()) else {
        return Ok(());
    };
    let second = |merge: &Value| match merge {
        Value::String(pair) => pair.split(' ').nth(1).map(str::to_owned),
        pair => pair[1].as_str().map(str::to_owned),
    };
    let merges = model["merges"].as_array().into_iter().flatten();
    match merges.filter_map(second).find(|piece| !piece.starts_with(prefix)) {
        None => Ok(()),
        Some(piece) => Err(wrong(
            "tokenizer.json",
            phrase!(
                "merge_without_prefix",
                "it merges the piece {piece}, which does not begin with its prefix {prefix}",
                piece = piece,
                prefix = prefix
            ),
        )),
    }
}

/// Takes away what puts an empty text in front, which changes nothing, and at which the library loses count as well.
fn drop_empty_prefixes(normalizer: &mut Value) {
    if normalizer["prepend"].as_str() == Some("") {
        *normalizer = Value::Null;
    }
    // The library takes a list for whatever has one field, so that normalizers stand in lists of lists too.
    let inner = match normalizer {
        Value::Array(inner) => Some(inner),
        other => other.get_mut("normalizers").and_then(Value::as_array_mut),
    };
    if let Some(inner) = inner {
        inner.iter_mut().for_each(drop_empty_prefixes);
        inner.retain(|normalizer| !normalizer.is_null());
    }
}

/// Checks that no pattern that is replaced matches where there is no character: the library then loses count of what came
/// from where, and panics. It is tried on texts of one character, of which such a pattern leaves the character and adds to it.
fn check_replacements(part: &Value) -> Result<(), InputError> {
    const MARK: char = '\u{10ffff}';
    match part {
        Value::Array(inner) => inner.iter().try_for_each(check_replacements)?,
        Value::Object(inner) => inner.values().try_for_each(check_replacements)?,
        _ => return Ok(()),
    }
    let marked = json!({"type": "Replace", "pattern": part, "content": MARK});
    // The library takes a list for a normalizer too, and whatever has a pattern for one that replaces: so every part that
    // reads as a pattern is tried, wherever it stands. What else is wrong, the library says itself.
    let Ok(replace) = serde_json::from_value::<Replace>(marked) else { return Ok(()) };
    let matches_nothing = |c: char| {
        let mut text = NormalizedString::from(c.to_string());
        replace.normalize(&mut text).is_ok() && text.get().contains(c) && text.get().contains(MARK)
    };
    if ('\0'..='\x7f').chain(['\u{e9}', '\u{4e2d}']).any(matches_nothing) {
        let problem = phrase!(
            "replaces_nothing",
            "it replaces the pattern {pattern}, which also matches where there is no character",
            pattern = part.to_string()
        );
        return Err(wrong("tokenizer.json", problem));
    }
    Ok(())
}

fn wrong(file: impl Into<Phrase>, problem: Phrase) -> InputError {
    InputError::File {
        file: file.into(),
        problem: phrase!("not_tokenizer_this_kind", "it is not a tokenizer of this kind ({detail})", detail = problem),
        fix: phrase!("copy_file_again_from", "Copy the file again from the model's folder."),
    }
}

/// In `vocab.txt` the id of a piece is its line number. The file does not record whether text is lower-cased: it is
/// assumed so if no piece has a capital letter.
fn word_piece_json(lines: &str) -> Value {
    let is_special = |piece: &str| piece.starts_with('[') && piece.ends_with(']');
    let is_cased = lines.lines().any(|piece| !is_special(piece) && piece.chars().any(char::is_uppercase));
    let pieces: Map<String, Value> =
        lines.lines().enumerate().map(|(id, piece)| (piece.trim_end().to_string(), Value::from(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
            "lowercase": !is_cased,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": null, "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": pieces,
        },
    })
}

fn byte_level_json(pieces: &str, merges: &str) -> Result<Value, InputError> {
    let pieces: Map<String, Value> =
        serde_json::from_str(pieces).map_err(|error| wrong("vocab.json", json_problem(&error)))?;
    let merges: Vec<&str> = merges.lines().filter(|line| !line.is_empty() && !line.starts_with("#version")).collect();
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        "post_processor": null, "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": "",
            "end_of_word_suffix": "", "fuse_unk": false, "byte_fallback": false, "vocab": pieces, "merges": merges,
        },
    }))
}
