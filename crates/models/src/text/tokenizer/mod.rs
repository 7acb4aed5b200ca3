//! Tokenizers in the formats that models come with: `tokenizer.json`, BERT's `vocab.txt`, or GPT-2's `vocab.json` with
//! `merges.txt`, each with the settings and tokens in the files beside them. The code puts no special tokens around the
//! text unless it is asked to, and does not cut or pad it.
//!
//! The ids are those of the library `tokenizers`, and of the classes of transformers that are built on it.

mod added;
mod around;
mod class;
mod files;
mod problem;
mod settings;
mod unknown;
mod vocabulary;
mod whole_file;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use lipscope_core::experiment::{InputError, Phrase, library_words};
use lipscope_core::phrase;
use serde_json::{Map, Value};

pub use files::{TOKENIZER_FILES, TokenizerFiles};

use added::{ADDED_TOKENS, Added, SPECIAL_TOKENS, Sources};
use class::Class;
use files::text_of;
use problem::{listed, object, quoted, unable, wrong};
use settings::{CONFIG, Settings, SpecialInText};
use unknown::Coverage;

use super::special_tokens::{SpecialToken, SpecialTokens};

/// Converts text to token ids.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// Ids that files give to added tokens, keyed by the library's ids.
    renamed: BTreeMap<u32, u32>,
    coverage: Coverage,
    notes: Vec<Phrase>,
    /// What is put around a text, or why that is not known.
    around: Result<SpecialTokens, InputError>,
    /// Whether a token is put in front, as `tokenizer_config.json` says.
    adds_first: Option<bool>,
}

/// The vocabulary that the files hold.
#[derive(Clone, Copy, Debug)]
enum Vocabulary<'a> {
    WholeFile(&'a str),
    WordPieces(&'a str),
    BytePairs { pieces: &'a str, merges: &'a str },
}

impl Tokenizer {
    /// Builds a tokenizer from its files.
    ///
    /// # Errors
    /// [`InputError::File`] that names the file, if it is missing or broken or has a setting that is not supported.
    pub fn new(files: &TokenizerFiles) -> Result<Self, InputError> {
        let mut notes = Vec::new();
        let map = |file, text: &Option<String>| text_of(text).map(|text| object(file, text)).transpose();
        let config = map(CONFIG, &files.config)?.unwrap_or_default();
        let (special_tokens, added_tokens) =
            (map(SPECIAL_TOKENS, &files.special_tokens)?, map(ADDED_TOKENS, &files.added_tokens)?);
        let settings = Settings::of(&config)?;
        let vocabulary = vocabulary_of(files, settings.class.as_ref())?;
        if !settings.unknown.is_empty() {
            notes.push(phrase!(
                "tokenizer_keys_not_known",
                "tokenizer_config.json has keys that are not known here and were not used: {keys}",
                keys = listed(settings.unknown.iter())
            ));
        }

        let mut around = Ok(SpecialTokens::default());
        let (file, mut whole) = match vocabulary {
            Vocabulary::WholeFile(text) => {
                let (whole, post_processor) = whole_file::needed_of(text)?;
                around = around::of_post_processor(&post_processor);
                ("tokenizer.json".into(), whole)
            }
            Vocabulary::WordPieces(_) => (Phrase::from("vocab.txt"), Value::Null),
            Vocabulary::BytePairs { pieces, merges } => (
                phrase!("vocab_json_merges_txt", "vocab.json with merges.txt"),
                vocabulary::of_byte_pairs(pieces, merges, &settings)?,
            ),
        };
        notes.extend(without_meaning(&settings, vocabulary));
        let in_whole_file = whole_file::given_ids(&whole)?;
        let default = match vocabulary {
            Vocabulary::WordPieces(_) => Class::of("BertTokenizer"),
            Vocabulary::BytePairs { .. } => Class::of("GPT2Tokenizer"),
            Vocabulary::WholeFile(_) => Class::of("TokenizersBackend"),
        };
        let added = Added::of(&Sources {
            config: &config,
            special_tokens: special_tokens.as_ref(),
            added_tokens: added_tokens.as_ref(),
            defaults: settings.class.as_ref().unwrap_or(&default).special_tokens(),
            whole_file: &in_whole_file,
        })?;
        check_never_split(&settings, &config, &added)?;
        if !added.left_out.is_empty() {
            notes.push(phrase!(
                "added_tokens_json_not_read",
                "added_tokens.json was not read, because tokenizer_config.json lists the added tokens without {tokens}",
                tokens = listed(added.left_out.iter())
            ));
        }
        match vocabulary {
            Vocabulary::WordPieces(lines) => {
                let special: BTreeSet<&str> = added.tokens.iter().map(|token| token.content.as_str()).collect();
                let unknown = added.named.get("unk_token").map_or("[UNK]", String::as_str);
                whole = vocabulary::of_word_pieces(lines, &settings, unknown, &special, &mut notes);
            }
            Vocabulary::WholeFile(_) => {
                notes.extend(whole_file::other_unknown(config.get("unk_token"), &whole));
                whole_file::apply(&settings, &mut whole, &mut notes);
            }
            Vocabulary::BytePairs { .. } => {}
        }

        let mut inner = tokenizers::Tokenizer::from_bytes(whole.to_string())
            .map_err(|error| wrong(file.clone(), library_words(error.to_string())))?;
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|error| wrong(file, library_words(error.to_string())))?;
        let renamed = added::add(&mut inner, &added, &in_whole_file)?;
        inner.set_encode_special_tokens(settings.special_tokens == SpecialInText::Split);
        let coverage = Coverage::of(&inner, &whole);
        let adds_first = config.get("add_bos_token").and_then(Value::as_bool);
        let mut tokenizer = Tokenizer { inner, renamed, coverage, notes, around, adds_first };
        if let Vocabulary::WordPieces(_) = vocabulary {
            let named =
                |key: &str, default: &str| tokenizer.named(added.named.get(key).map_or(default, String::as_str));
            tokenizer.around = named("cls_token", "[CLS]")
                .and_then(|first| Ok(SpecialTokens { before: vec![first], after: vec![named("sep_token", "[SEP]")?] }));
        }
        Ok(tokenizer)
    }

    /// Notes on guesses where no file states a setting, and on settings that were not used; each is a clause of a
    /// sentence.
    #[must_use]
    pub fn notes(&self) -> &[Phrase] {
        &self.notes
    }

    /// The token ids of a text.
    ///
    /// # Errors
    /// [`InputError::File`] if the tokenizer has no token for a part of the text.
    pub fn ids(&self, text: &str) -> Result<Vec<u32>, InputError> {
        self.coverage.check(&self.inner, text)?;
        let encoding = self.inner.encode_fast(text, false).map_err(|error| unable(&error))?;
        Ok(self.as_given(encoding.get_ids()))
    }

    /// The token ids of a text and the byte range of each token.
    ///
    /// # Errors
    /// As [`Tokenizer::ids`].
    pub fn ids_and_spans(&self, text: &str) -> Result<(Vec<u32>, Vec<Range<usize>>), InputError> {
        self.coverage.check(&self.inner, text)?;
        let encoding = self.inner.encode(text, false).map_err(|error| unable(&error))?;
        let spans = encoding.get_offsets().iter().map(|(start, end)| *start..*end).collect();
        Ok((self.as_given(encoding.get_ids()), spans))
    }

    /// The special tokens that the tokenizer puts around a text; where it puts none, the model's first token, `first`, in
    /// front, unless `tokenizer_config.json` says that none is put there.
    ///
    /// # Errors
    /// [`InputError`] if there are none, or the files contradict each other or are not understood.
    pub fn special_tokens(&self, first: Option<u32>) -> Result<SpecialTokens, InputError> {
        let around = self.around.clone()?;
        match (self.adds_first, around.before.is_empty()) {
            (Some(said), is_empty) if said == is_empty && around.count() > 0 => Err(InputError::Conflict {
                what: phrase!("special_tokens", "The special tokens"),
                problem: phrase!(
                    "bos_contradicts",
                    "are not known: `add_bos_token` of tokenizer_config.json is {said}, and tokenizer.json says otherwise",
                    said = said.to_string()
                ),
                fix: phrase!("mend_post_processor", "Mend one of the two files, or measure without special tokens."),
            }),
            (_, _) if around.count() > 0 => Ok(around),
            (said, _) => match first.filter(|_| said != Some(false)) {
                Some(id) => {
                    let name = self.inner.id_to_token(id).unwrap_or_else(|| id.to_string());
                    Ok(SpecialTokens { before: vec![SpecialToken { id, name }], after: Vec::new() })
                }
                None => Err(no_special_tokens()),
            },
        }
    }

    /// The token of that name.
    fn named(&self, name: &str) -> Result<SpecialToken, InputError> {
        let id = self.inner.token_to_id(name).ok_or_else(|| {
            wrong("vocab.txt", phrase!("special_token_missing", "it has no token {token}", token = quoted(name)))
        })?;
        Ok(SpecialToken { id: self.renamed.get(&id).copied().unwrap_or(id), name: name.to_owned() })
    }

    /// The library's ids, replaced by the files' ids where these differ.
    fn as_given(&self, ids: &[u32]) -> Vec<u32> {
        ids.iter().map(|id| self.renamed.get(id).copied().unwrap_or(*id)).collect()
    }
}

/// The error for a model without special tokens.
#[must_use]
pub fn no_special_tokens() -> InputError {
    InputError::Conflict {
        what: phrase!("special_tokens", "The special tokens"),
        problem: phrase!("no_special_tokens", "are none: this model's tokenizer puts nothing around a text"),
        fix: phrase!("leave_special_out", "Measure without them."),
    }
}

/// The vocabulary to read: `tokenizer.json` if it is given, otherwise that of the class, otherwise the only one given.
fn vocabulary_of<'a>(files: &'a TokenizerFiles, class: Option<&Class>) -> Result<Vocabulary<'a>, InputError> {
    if let Some(text) = text_of(&files.tokenizer) {
        return Ok(Vocabulary::WholeFile(text));
    }
    let word_pieces = text_of(&files.word_pieces).map(Vocabulary::WordPieces);
    let both = text_of(&files.pieces).zip(text_of(&files.merges));
    let byte_pairs = both.map(|(pieces, merges)| Vocabulary::BytePairs { pieces, merges });
    match (class, word_pieces, byte_pairs) {
        (Some(Class::WordPieces(_)), Some(found), _) | (Some(Class::BytePairs(_)), _, Some(found)) => Ok(found),
        (None, Some(_), Some(_)) => Err(InputError::File {
            file: phrase!("tokenizer", "The tokenizer"),
            problem: phrase!(
                "two_vocabularies",
                "there are two: vocab.txt, and vocab.json with merges.txt; and no tokenizer_config.json says which"
            ),
            fix: phrase!("leave_other_vocabulary", "Leave out the one that the model was not trained with."),
        }),
        (None, Some(found), None) | (None, None, Some(found)) => Ok(found),
        (Some(class @ (Class::WholeFile(_) | Class::Other(_))), _, _)
        | (Some(class @ Class::WordPieces(_)), None, Some(_))
        | (Some(class @ Class::BytePairs(_)), Some(_), None) => Err(class.cannot_be_built()),
        (None | Some(Class::WordPieces(_) | Class::BytePairs(_)), _, _) => Err(InputError::File {
            file: phrase!("tokenizer", "The tokenizer"),
            problem: phrase!("missing", "it is missing"),
            fix: phrase!(
                "give_tokenizer_json_vocab",
                "Give tokenizer.json, or vocab.txt, or vocab.json together with merges.txt."
            ),
        }),
    }
}

/// Notes on settings that are turned on although a tokenizer of this format does not have them.
fn without_meaning(settings: &Settings, vocabulary: Vocabulary<'_>) -> Vec<Phrase> {
    let of_word_pieces = [("do_lower_case", settings.lowercase), ("strip_accents", settings.strip_accents.flatten())];
    let of_byte_pairs = [("add_prefix_space", settings.prefix_space)];
    let others = match vocabulary {
        Vocabulary::WholeFile(_) => return Vec::new(),
        Vocabulary::WordPieces(_) => of_byte_pairs.as_slice(),
        Vocabulary::BytePairs { .. } => of_word_pieces.as_slice(),
    };
    let note = |(key, _): &(&'static str, Option<bool>)| {
        phrase!(
            "setting_without_meaning",
            "`{key}` of tokenizer_config.json was not used, because a tokenizer of this kind has no such setting",
            key = *key
        )
    };
    others.iter().filter(|(_, said)| *said == Some(true)).map(note).collect()
}

/// Checks that `never_split` lists only tokens that are never split anyway. Some classes of transformers keep other
/// tokens whole, and some split them.
fn check_never_split(settings: &Settings, config: &Map<String, Value>, added: &Added) -> Result<(), InputError> {
    let is_matched = |content: &String| added.tokens.iter().any(|token| token.content == *content);
    match config.get("never_split") {
        Some(value) if !settings.never_split.iter().all(is_matched) => {
            Err(settings::not_supported("never_split", value))
        }
        _ => Ok(()),
    }
}
