//! Pasted texts and dropped files: tokens, weights or a whole experiment.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::own_weights::{TableSource, WeightsReading};
use super::table::{Table, TableReading};
use super::{DecodedText, Experiment, InputError, Phrase, refuse_lfs_pointer};
use crate::phrase;

/// The content of a text or file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Given {
    /// A list of tokens, and how it was read.
    Tokens(TableReading),
    /// An experiment file.
    Experiment(Box<Experiment>),
    /// Listed weights, from a table for each matrix.
    Weights(WeightsReading),
}

impl Given {
    /// Reads a text or file: an experiment if it is a JSON object and not a table, otherwise tokens. Errors name the
    /// file.
    ///
    /// # Errors
    /// [`InputError`] if it can be read as neither.
    pub fn read(file: Option<&str>, bytes: &[u8]) -> Result<Self, InputError> {
        Self::read_source(&TableSource {
            file: file.map(str::to_string),
            bytes: bytes.to_vec(),
            ..TableSource::default()
        })
    }

    /// Reads a text or file as [`Given::read`] does, with the author's answers to questions about it.
    ///
    /// # Errors
    /// Those of [`Given::read`]; [`InputError::TwoReadings`] where a question has no answer yet.
    pub fn read_source(source: &TableSource) -> Result<Self, InputError> {
        let name = source.file.as_deref().map_or_else(|| phrase!("file", "The file"), Phrase::from);
        refuse_lfs_pointer(name, &source.bytes)?;
        match DecodedText::from_bytes(&source.bytes) {
            Some(decoded) if is_experiment(&decoded.text) => {
                Experiment::from_json(&decoded.text).map(|experiment| Given::Experiment(Box::new(experiment)))
            }
            _ => source.read(Table::Tokens).map(Given::Tokens),
        }
    }
}

/// Whether a text is meant as an experiment, be it whole or broken: a JSON object that is no table. These count as
/// tables: numbers in braces as other programs write them, one object per line, and an object without the keys of an
/// experiment.
fn is_experiment(text: &str) -> bool {
    let text = text.trim_start();
    let Some(inside) = text.strip_prefix('{') else { return false };
    if inside.trim_start().starts_with(|c: char| c == '{' || c == '-' || c == '.' || c.is_ascii_digit()) {
        return false;
    }
    match serde_json::Deserializer::from_str(text).into_iter::<Outline>().next() {
        Some(Ok(outline)) => {
            let has_tokens = matches!(outline.tokens, Some(Member::Object(_)));
            let others = [outline.weights, outline.attention, outline.mask, outline.normalization];
            has_tokens || others.iter().any(Option::is_some)
        }
        _ => true,
    }
}

/// Keys that tell an experiment from a table.
#[derive(Deserialize)]
struct Outline {
    tokens: Option<Member>,
    weights: Option<IgnoredAny>,
    attention: Option<IgnoredAny>,
    mask: Option<IgnoredAny>,
    normalization: Option<IgnoredAny>,
}

/// The tokens of an experiment are an object; a list under that key is a table.
#[derive(Deserialize)]
#[serde(untagged)]
enum Member {
    Object(#[expect(dead_code, reason = "only its kind is asked for")] BTreeMap<String, IgnoredAny>),
    Other(IgnoredAny),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_starts_with_a_brace_is_an_experiment_and_other_text_is_tokens() {
        let experiment =
            r#" {"tokens":{"source":"explicit","rows":[[-1],[1]]},"weights":{"source":"identity","sign":-1}}"#;
        assert!(matches!(Given::read(None, experiment.as_bytes()), Ok(Given::Experiment(_))));
        assert!(matches!(Given::read(Some("it.csv"), experiment.as_bytes()), Ok(Given::Experiment(_))));
        assert!(matches!(Given::read(None, b"1,2\n3,4"), Ok(Given::Tokens(reading)) if reading.rows.n_rows() == 2));
        assert!(Given::read(None, b"{").is_err() && Given::read(Some("junk.csv"), &[0xff, 0]).is_err());
    }
}
