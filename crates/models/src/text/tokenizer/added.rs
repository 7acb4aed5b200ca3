//! Special and added tokens, which are matched in the text before it is split.
//!
//! The tokens, their flags and the order in which they are added are those of the transformers classes that are built
//! on the library `tokenizers`: first tokens with an id (`added_tokens_decoder`, or `added_tokens.json`), then the
//! special tokens by name, then further special tokens. Each token is added once.

use std::collections::{BTreeMap, BTreeSet};

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;
use serde_json::{Map, Value};
use tokenizers::{AddedToken, Model as _, NormalizedString, Normalizer as _, NormalizerWrapper};

use super::problem::{list_of_tokens, quoted, wrong, wrong_value};
use super::settings::CONFIG;

/// The file of older versions of transformers with the special tokens.
pub(super) const SPECIAL_TOKENS: &str = "special_tokens_map.json";
/// The file of older versions of transformers with the added tokens.
pub(super) const ADDED_TOKENS: &str = "added_tokens.json";

/// The named special tokens, in the order in which they are added.
const NAMED: [&str; 7] = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];
/// Lists of further special tokens: today's key and the one of older versions.
const FURTHER: [&str; 2] = ["extra_special_tokens", "additional_special_tokens"];

/// Sources of tokens besides a vocabulary.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    /// `tokenizer_config.json`.
    pub(super) config: &'a Map<String, Value>,
    /// `special_tokens_map.json`.
    pub(super) special_tokens: Option<&'a Map<String, Value>>,
    /// `added_tokens.json`.
    pub(super) added_tokens: Option<&'a Map<String, Value>>,
    /// The special tokens of the class, used where no file names others.
    pub(super) defaults: &'a [(&'a str, &'a str)],
    /// The tokens of `tokenizer.json`, already added.
    pub(super) whole_file: &'a [GivenId],
}

/// A token with the id that a file gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GivenId {
    /// The file.
    pub(super) file: &'static str,
    /// The token.
    pub(super) content: String,
    /// Its id.
    pub(super) id: u32,
}

/// The tokens to add, in order, and the ids that files give to some of them.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// The tokens, in the order in which they are added.
    pub(super) tokens: Vec<AddedToken>,
    /// The ids that files give to some of the tokens.
    pub(super) ids: Vec<GivenId>,
    /// The special tokens by name.
    pub(super) named: BTreeMap<String, String>,
    /// Tokens of a file that is ignored because another file has the whole list.
    pub(super) left_out: Vec<String>,
}

impl Added {
    /// All tokens of these files.
    ///
    /// # Errors
    /// [`InputError::File`] with the key of a value that is no token.
    pub(super) fn of(sources: &Sources<'_>) -> Result<Self, InputError> {
        let decoder = sources.config.get("added_tokens_decoder").filter(|decoder| !decoder.is_null());
        // The list of `added_tokens_decoder` is complete: transformers reads the older files only without it.
        let older = |file| if decoder.is_none() { file } else { None };
        let (special_tokens, added_tokens) = (older(sources.special_tokens), older(sources.added_tokens));

        let mut special = Special::default();
        for (name, token) in sources.defaults {
            special.named.insert((*name).to_owned(), AddedToken::from(*token, true));
        }
        special.read(CONFIG, sources.config)?;
        if let Some(map) = special_tokens {
            special.read(SPECIAL_TOKENS, map)?;
        }

        let mut added = Added::default();
        for (id, token) in match (decoder, added_tokens) {
            (Some(decoder), _) => decoded(decoder)?,
            (None, Some(map)) => {
                let names: BTreeSet<&str> = special.all().map(|token| token.content.as_str()).collect();
                let in_file =
                    |token: &AddedToken| sources.whole_file.iter().any(|given| given.content == token.content);
                let mut tokens = with_ids(map, &names)?;
                tokens.retain(|_, token| !in_file(token));
                tokens
            }
            (None, None) => BTreeMap::new(),
        } {
            let file = if decoder.is_some() { CONFIG } else { ADDED_TOKENS };
            added.ids.push(GivenId { file, content: token.content.clone(), id });
            added.tokens.push(token);
        }
        let mut there: BTreeSet<String> = added.tokens.iter().map(|token| token.content.clone()).collect();
        there.extend(sources.whole_file.iter().map(|given| given.content.clone()));
        for token in special.all() {
            if there.insert(token.content.clone()) {
                added.tokens.push(token.clone());
            }
        }
        // If a token has an id and is also a special token by name, it is special, whatever its own flag says.
        for token in &mut added.tokens {
            token.special |= special.all().any(|special| special.content == token.content);
        }
        if decoder.is_some() {
            let is_new = |content: &&String| !there.contains(*content);
            added.left_out = sources.added_tokens.iter().flat_map(|map| map.keys()).filter(is_new).cloned().collect();
        }
        added.named = special.named.into_iter().map(|(name, token)| (name, token.content)).collect();
        Ok(added)
    }
}

/// The special tokens by name, and further ones.
#[derive(Default)]
struct Special {
    named: BTreeMap<String, AddedToken>,
    further: Vec<AddedToken>,
}

impl Special {
    /// Reads the tokens of a file; `null` removes a token.
    fn read(&mut self, file: &'static str, map: &Map<String, Value>) -> Result<(), InputError> {
        let models = ["extra_special_tokens", "model_specific_special_tokens"];
        let inner = models.iter().filter_map(|key| map.get(*key)).filter_map(Value::as_object).flatten();
        let is_token = |(key, value): &(&String, &Value)| {
            let is_name = NAMED.contains(&key.as_str());
            is_name || key.ends_with("_token") && (value.is_string() || value.is_object())
        };
        for (key, value) in map.iter().filter(is_token).chain(inner) {
            match value {
                Value::Null => drop(self.named.remove(key)),
                value => drop(self.named.insert(key.clone(), token_of(file, key, value)?)),
            }
        }
        for key in FURTHER {
            match map.get(key) {
                None | Some(Value::Null) => {}
                Some(Value::Object(_)) if key == FURTHER[0] => {}
                Some(Value::Array(tokens)) => {
                    for token in tokens {
                        let token = token_of(file, key, token)?;
                        if !self.further.iter().any(|other| other.content == token.content) {
                            self.further.push(token);
                        }
                    }
                }
                Some(other) => return Err(wrong_value(file, key, other, list_of_tokens())),
            }
        }
        Ok(())
    }

    /// All tokens, in the order in which they are added.
    fn all(&self) -> impl Iterator<Item = &AddedToken> {
        let named = NAMED.iter().filter_map(|name| self.named.get(*name));
        let others = self.named.iter().filter(|(name, _)| !NAMED.contains(&name.as_str())).map(|(_, token)| token);
        named.chain(others).chain(&self.further)
    }
}

/// A special token: a text, or an object with flags.
fn token_of(file: &'static str, key: &str, value: &Value) -> Result<AddedToken, InputError> {
    match value {
        Value::String(content) => Ok(AddedToken::from(content, true)),
        value => Ok(AddedToken { special: true, ..object_of(file, key, value)? }),
    }
}

/// A token as an object with flags; a missing flag has the default of transformers.
fn object_of(file: &'static str, key: &str, value: &Value) -> Result<AddedToken, InputError> {
    let wrong = || wrong_value(file, key, value, phrase!("a_token", "a token"));
    let object = value.as_object().ok_or_else(wrong)?;
    let flag = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(wrong()),
    };
    let special = flag("special")?.unwrap_or(false);
    Ok(AddedToken {
        content: object.get("content").and_then(Value::as_str).ok_or_else(wrong)?.to_owned(),
        single_word: flag("single_word")?.unwrap_or(false),
        lstrip: flag("lstrip")?.unwrap_or(false),
        rstrip: flag("rstrip")?.unwrap_or(false),
        normalized: flag("normalized")?.unwrap_or(!special),
        special,
    })
}

/// `added_tokens_decoder`: tokens by id.
fn decoded(decoder: &Value) -> Result<BTreeMap<u32, AddedToken>, InputError> {
    const KEY: &str = "added_tokens_decoder";
    let wrong = |value: &Value| wrong_value(CONFIG, KEY, value, phrase!("tokens_by_id", "tokens by their ids"));
    let tokens = decoder.as_object().ok_or_else(|| wrong(decoder))?;
    let token = |(id, token): (&String, &Value)| {
        let id = id.parse().map_err(|_| wrong(&Value::String(id.clone())))?;
        Ok((id, object_of(CONFIG, KEY, token)?))
    };
    tokens.iter().map(token).collect()
}

/// `added_tokens.json`: ids by token.
fn with_ids(map: &Map<String, Value>, special: &BTreeSet<&str>) -> Result<BTreeMap<u32, AddedToken>, InputError> {
    let mut tokens = BTreeMap::new();
    for (content, value) in map {
        let id = value.as_u64().and_then(|id| u32::try_from(id).ok());
        let id = id.ok_or_else(|| wrong_value(ADDED_TOKENS, content, value, phrase!("an_id", "an id")))?;
        let token = AddedToken::from(content, special.contains(content.as_str()));
        if let Some(other) = tokens.insert(id, token) {
            return Err(wrong(ADDED_TOKENS, two_tokens(&other.content, content, id)));
        }
    }
    Ok(tokens)
}

/// Adds the tokens. If a file gives a token another id than the library does, the map that is returned holds the file's
/// id under the library's id.
///
/// For a token that is not in the vocabulary, the library takes the number of entries so far as its id, whatever id a
/// file gives it.
///
/// # Errors
/// [`InputError::File`] where files give one token two ids, or one id to two tokens.
pub(super) fn add(
    tokenizer: &mut tokenizers::Tokenizer,
    added: &Added,
    whole_file: &[GivenId],
) -> Result<BTreeMap<u32, u32>, InputError> {
    check_contents(tokenizer.get_normalizer(), &added.tokens)?;
    tokenizer.add_tokens(&added.tokens);
    let mut renamed = BTreeMap::new();
    let mut given_ids = BTreeMap::new();
    let given = whole_file.iter().chain(&added.ids).map(|given| given.id);
    let ids: BTreeSet<u32> = given.chain(tokenizer.get_added_vocabulary().get_vocab().values().copied()).collect();
    let entries = entries_of(tokenizer, &ids);
    for GivenId { file, content, id } in whole_file.iter().chain(&added.ids).filter(|given| !given.content.is_empty()) {
        if let Some((other, _)) = given_ids.insert(*id, (content, file)).filter(|(other, _)| *other != content) {
            return Err(wrong(*file, two_tokens(other, content, *id)));
        }
        let model = tokenizer.get_model();
        if let Some(entry) = other_entry(&entries, *id, content) {
            return Err(wrong(*file, two_tokens(entry, content, *id)));
        }
        let Some(ours) = tokenizer.token_to_id(content) else { continue };
        if model.token_to_id(content).is_some_and(|entry| entry != *id) {
            return Err(wrong(*file, two_ids(content, *id, ours)));
        }
        if ours != *id && renamed.insert(ours, *id).is_some_and(|other| other != *id) {
            return Err(wrong(*file, two_ids(content, *id, ours)));
        }
    }
    check_distinct(tokenizer, &entries, &renamed)?;
    Ok(renamed)
}

/// Entries of the vocabulary by their ids, in the order of their names.
type Entries = BTreeMap<u32, BTreeSet<String>>;

/// The entries of the vocabulary that have one of these ids. The library's map from ids to entries keeps one of several with
/// the same id, a different one in each run.
fn entries_of(tokenizer: &tokenizers::Tokenizer, ids: &BTreeSet<u32>) -> Entries {
    let mut entries = Entries::new();
    tokenizer.get_vocab(false).into_iter().filter(|(_, id)| ids.contains(id)).for_each(|(entry, id)| {
        entries.entry(id).or_default().insert(entry);
    });
    entries
}

/// An entry of the vocabulary with this id, other than the token itself.
fn other_entry<'a>(entries: &'a Entries, id: u32, token: &str) -> Option<&'a str> {
    entries.get(&id)?.iter().map(String::as_str).find(|entry| *entry != token)
}

/// Checks that no added token has the id of an entry of the vocabulary or of another added token, as happens where the
/// vocabulary's ids have gaps.
fn check_distinct(
    tokenizer: &tokenizers::Tokenizer,
    entries: &Entries,
    renamed: &BTreeMap<u32, u32>,
) -> Result<(), InputError> {
    let mut finals = BTreeMap::new();
    let added: BTreeMap<&String, &u32> = tokenizer.get_added_vocabulary().get_vocab().iter().collect();
    for (content, id) in added {
        if let Some(entry) = other_entry(entries, *id, content) {
            return Err(wrong(phrase!("tokenizer", "The tokenizer"), two_tokens(entry, content, *id)));
        }
        let id = renamed.get(id).unwrap_or(id);
        if let Some(other) = finals.insert(*id, content) {
            return Err(wrong(phrase!("tokenizer", "The tokenizer"), two_tokens(other, content, *id)));
        }
    }
    Ok(())
}

/// The most bytes of an added token. Normalizers take seconds for much longer ones, and no file of a model has one of a
/// hundredth of this.
pub(super) const MOST_BYTES: usize = 4096;

/// Checks that no token is very long, and that every token that is matched in normalized text is not empty after
/// normalization: an empty token would be found everywhere. The library does not check this when it adds tokens.
///
/// # Errors
/// [`InputError::File`] that names the token.
pub(super) fn check_contents(normalizer: Option<&NormalizerWrapper>, tokens: &[AddedToken]) -> Result<(), InputError> {
    if let Some(token) = tokens.iter().find(|token| token.content.len() > MOST_BYTES) {
        let problem = phrase!(
            "long_added_token",
            "its token {token} has {found} bytes; at most {most} are read",
            token = quoted(&token.content),
            found = token.content.len(),
            most = MOST_BYTES
        );
        return Err(wrong(phrase!("tokenizer", "The tokenizer"), problem));
    }
    let Some(normalizer) = normalizer else { return Ok(()) };
    for token in tokens.iter().filter(|token| token.normalized && !token.content.is_empty()) {
        let mut text = NormalizedString::from(token.content.as_str());
        if normalizer.normalize(&mut text).is_err() || text.get().is_empty() {
            let problem = phrase!(
                "token_normalizes_to_nothing",
                "of its token {token} nothing is left once the text is normalized",
                token = quoted(&token.content)
            );
            return Err(wrong(phrase!("tokenizer", "The tokenizer"), problem));
        }
    }
    Ok(())
}

fn two_tokens(first: &str, second: &str, id: u32) -> Phrase {
    phrase!(
        "two_tokens_one_id",
        "{first} and {second} have the same id {id}",
        first = quoted(first),
        second = quoted(second),
        id = id
    )
}

fn two_ids(token: &str, given: u32, vocabulary: u32) -> Phrase {
    phrase!(
        "one_token_two_ids",
        "it gives {token} the id {given}, and the vocabulary gives it {vocabulary}",
        token = quoted(token),
        given = given,
        vocabulary = vocabulary
    )
}
