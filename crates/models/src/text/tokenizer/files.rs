//! The files of a tokenizer, gathered from a folder.

use lipscope_core::experiment::InputError;

/// The names of a tokenizer's files, in the order in which [`TokenizerFiles::gather`] asks for them.
pub const TOKENIZER_FILES: [&str; 7] = [
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
];

/// The contents of a tokenizer's files. One format must be complete: `tokenizer.json`, or `vocab.txt`, or `vocab.json`
/// with `merges.txt`. The other three say how to treat the text, and which tokens are matched before it is split.
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
    /// `tokenizer_config.json`: how to treat the text, and the special tokens.
    pub config: Option<String>,
    /// `special_tokens_map.json`: the special tokens, as older versions of transformers write them.
    pub special_tokens: Option<String>,
    /// `added_tokens.json`: tokens beside the vocabulary with their ids, as older versions of transformers write them.
    pub added_tokens: Option<String>,
}

impl TokenizerFiles {
    /// Asks for each of [`TOKENIZER_FILES`] by name; `None` stands for a file that is not there. A `tokenizer.json`
    /// holds the vocabulary, so if there is one, no other vocabulary file is asked for.
    ///
    /// # Errors
    /// The first error of `read`.
    pub fn gather(mut read: impl FnMut(&str) -> Result<Option<String>, InputError>) -> Result<Self, InputError> {
        let [tokenizer, word_pieces, pieces, merges, config, special_tokens, added_tokens] = TOKENIZER_FILES;
        let tokenizer = read(tokenizer)?;
        let is_whole = tokenizer.is_some();
        let mut vocabulary = |name: &str| if is_whole { Ok(None) } else { read(name) };
        let (word_pieces, pieces, merges) = (vocabulary(word_pieces)?, vocabulary(pieces)?, vocabulary(merges)?);
        Ok(TokenizerFiles {
            tokenizer,
            word_pieces,
            pieces,
            merges,
            config: read(config)?,
            special_tokens: read(special_tokens)?,
            added_tokens: read(added_tokens)?,
        })
    }
}

/// A file's text without a byte order mark, which some editors put first and which is no part of the first entry.
pub(super) fn text_of(file: &Option<String>) -> Option<&str> {
    file.as_deref().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_asked_for_once_and_lands_in_its_field() {
        let mut asked = Vec::new();
        let files = TokenizerFiles::gather(|name| {
            asked.push(name.to_owned());
            Ok((name != "tokenizer.json").then(|| name.to_owned()))
        })
        .expect("no error");
        assert_eq!(asked, TOKENIZER_FILES);
        let some = |name: &str| Some(name.to_owned());
        let expected = TokenizerFiles {
            tokenizer: None,
            word_pieces: some("vocab.txt"),
            pieces: some("vocab.json"),
            merges: some("merges.txt"),
            config: some("tokenizer_config.json"),
            special_tokens: some("special_tokens_map.json"),
            added_tokens: some("added_tokens.json"),
        };
        assert_eq!(files, expected);
    }

    #[test]
    fn beside_a_tokenizer_json_no_other_vocabulary_is_read() {
        let files = TokenizerFiles::gather(|name| {
            assert!(!name.starts_with("vocab") && name != "merges.txt", "{name} was asked for");
            Ok(Some(name.to_owned()))
        })
        .expect("no error");
        assert_eq!(files.tokenizer.as_deref(), Some("tokenizer.json"));
        assert_eq!(files.added_tokens.as_deref(), Some("added_tokens.json"));
    }

    #[test]
    fn an_error_of_the_reader_is_passed_on() {
        let error = InputError::OneToken;
        assert_eq!(TokenizerFiles::gather(|_| Err(error.clone())), Err(error));
    }

    #[test]
    fn one_byte_order_mark_is_no_part_of_a_text() {
        assert_eq!(text_of(&Some("\u{feff}[PAD]".into())), Some("[PAD]"));
        assert_eq!(text_of(&Some("[PAD]\u{feff}".into())), Some("[PAD]\u{feff}"));
        assert_eq!(text_of(&None), None);
    }
}
