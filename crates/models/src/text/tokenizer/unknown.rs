//! Parts of a text for which a tokenizer has no token.
//!
//! A byte-pair model without an unknown token drops such characters silently, so that the ids would be those of another
//! text.

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use serde_json::Value;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{Model as _, ModelWrapper, OffsetReferential, OffsetType, PreTokenizer as _, Tokenizer};

use super::problem::{quoted, unable};

/// Whether the tokenizer has tokens for every character of every text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// Each character becomes part of a token, or the library returns an error.
    Whole,
    /// The model may leave characters out, so each text is checked.
    Checked,
}

impl Coverage {
    /// The coverage of a tokenizer, given its `tokenizer.json`.
    pub(super) fn of(tokenizer: &Tokenizer, whole: &Value) -> Self {
        let ModelWrapper::BPE(model) = tokenizer.get_model() else { return Coverage::Whole };
        let is_byte_level = has_byte_level(&whole["pre_tokenizer"]) || has_byte_level(&whole["normalizer"]);
        let has_affix = |key: &str| whole["model"][key].as_str().is_some_and(|affix| !affix.is_empty());
        let is_plain = !has_affix("continuing_subword_prefix") && !has_affix("end_of_word_suffix");
        let has_all = || ByteLevel::alphabet().iter().all(|byte| model.token_to_id(&byte.to_string()).is_some());
        if model.get_unk_token().is_some() || is_byte_level && is_plain && has_all() {
            Coverage::Whole
        } else {
            Coverage::Checked
        }
    }

    /// Checks that no part of a text would be left out.
    ///
    /// # Errors
    /// [`InputError::File`] with the first part that has no token.
    pub(super) fn check(self, tokenizer: &Tokenizer, text: &str) -> Result<(), InputError> {
        if self == Coverage::Whole {
            return Ok(());
        }
        let added = tokenizer.get_added_vocabulary();
        let mut parts = added.extract_and_normalize(tokenizer.get_normalizer(), text);
        if let Some(splits) = tokenizer.get_pre_tokenizer() {
            splits.pre_tokenize(&mut parts).map_err(|error| unable(&error))?;
        }
        for (part, (start, end), tokens) in parts.get_splits(OffsetReferential::Original, OffsetType::Byte) {
            if tokens.is_some() {
                continue;
            }
            let found = tokenizer.get_model().tokenize(part).map_err(|error| unable(&error))?;
            let covered: usize = found.iter().map(|token| token.offsets.1 - token.offsets.0).sum();
            if covered < part.len() {
                return Err(InputError::File {
                    file: phrase!("tokenizer", "The tokenizer"),
                    problem: phrase!(
                        "no_token_for_part",
                        "it has no token for a character of {part}",
                        part = quoted(text.get(start..end).unwrap_or(part))
                    ),
                    fix: phrase!("other_text_or_vocabulary", "Give a text without it, or the whole vocabulary."),
                });
            }
        }
        Ok(())
    }
}

/// Whether a part of `tokenizer.json`, or any part inside it, writes text as bytes.
fn has_byte_level(part: &Value) -> bool {
    match part {
        Value::Array(inner) => inner.iter().any(has_byte_level),
        Value::Object(inner) => {
            inner.get("type").is_some_and(|kind| kind == "ByteLevel") || inner.values().any(has_byte_level)
        }
        _ => false,
    }
}
