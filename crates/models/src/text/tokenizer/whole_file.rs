//! Reads `tokenizer.json`: removes or refuses the parts that the library cannot handle, and applies the settings of
//! `tokenizer_config.json`.

use lipscope_core::experiment::{InputError, Phrase, json_problem};
use lipscope_core::phrase;
use serde_json::{Value, json};
use tokenizers::normalizers::Replace;
use tokenizers::{AddedToken, NormalizedString, Normalizer as _, NormalizerWrapper};

use super::added::{GivenId, MOST_BYTES, check_contents};
use super::class::Class;
use super::problem::{quoted, shortened, wrong};
use super::settings::Settings;

/// The name of the file, for errors.
const WHOLE_FILE: &str = "tokenizer.json";

/// The most parts of a normaliser or pre-tokenizer: each may lengthen the text for those behind it.
const MOST_PARTS: usize = 64;

/// The most lists and objects inside one another of a normaliser or pre-tokenizer: a replacement in a sequence in a
/// sequence has six.
const MOST_NESTED: usize = 8;

/// A `tokenizer.json` without the parts that are never used, and its post-processor. The decoder turns ids into text; the library panics at a
/// broken one, and at broken JSON inside it. The post-processor adds special tokens and may repeat the text any number
/// of times.
pub(super) fn needed_of(text: &str) -> Result<(Value, Value), InputError> {
    let mut post_processor = Value::Null;
    let mut whole: Value = serde_json::from_str(text).map_err(|error| wrong(WHOLE_FILE, json_problem(&error)))?;
    check_merges(&whole["model"])?;
    for part in ["normalizer", "pre_tokenizer"] {
        check_nesting(part, &whole[part])?;
        check_texts(part, &whole[part])?;
    }
    check_replacements(&whole["normalizer"])?;
    if let Some(fields) = whole.as_object_mut() {
        fields.remove("decoder");
        post_processor = fields.remove("post_processor").unwrap_or_default();
        // Dropping merges at random is for training: the same text would get different tokens each time.
        if let Some(model) = fields.get_mut("model").and_then(Value::as_object_mut) {
            model.remove("dropout");
        }
        if let Some(normalizer) = fields.get_mut("normalizer") {
            drop_empty_prefixes(normalizer);
        }
    }
    Ok((whole, post_processor))
}

/// Refuses a part with very many parts of its own, and one whose lists and objects are nested deeply: the library tries each
/// of its kinds at each level, so that the time grows by a factor with every level.
fn check_nesting(part: &'static str, value: &Value) -> Result<(), InputError> {
    /// The levels, and the length of the longest list. serde_json has read the value, which it refuses past 128 levels.
    fn extent(value: &Value) -> (usize, usize) {
        let (inner, length): (Vec<&Value>, usize) = match value {
            Value::Array(inner) => (inner.iter().collect(), inner.len()),
            Value::Object(inner) => (inner.values().collect(), 0),
            _ => return (0, 0),
        };
        let (levels, longest) = inner
            .into_iter()
            .map(extent)
            .fold((0, length), |(levels, longest), of| (levels.max(of.0), longest.max(of.1)));
        (1 + levels, longest)
    }
    let (levels, parts) = extent(value);
    if parts > MOST_PARTS {
        return Err(wrong(
            WHOLE_FILE,
            phrase!(
                "too_many_parts",
                "its {part} has a list of {found} parts; at most {most} are read",
                part = part,
                found = parts,
                most = MOST_PARTS
            ),
        ));
    }
    if levels <= MOST_NESTED {
        return Ok(());
    }
    Err(wrong(
        WHOLE_FILE,
        phrase!(
            "nested_too_deeply",
            "its {part} has {found} lists and objects inside one another; at most {most} are read",
            part = part,
            found = levels,
            most = MOST_NESTED
        ),
    ))
}

/// Refuses a part with a very long text: what is put before every text, or in the place of every space, is normalised with it.
fn check_texts(part: &'static str, value: &Value) -> Result<(), InputError> {
    let found = match value {
        Value::String(text) => text.len(),
        Value::Array(inner) => return inner.iter().try_for_each(|inner| check_texts(part, inner)),
        // A table of characters, as long as it has to be.
        Value::Object(inner) => {
            let texts = inner.iter().filter(|(key, _)| *key != "precompiled_charsmap");
            return texts.map(|(_, inner)| inner).try_for_each(|inner| check_texts(part, inner));
        }
        _ => return Ok(()),
    };
    if found <= MOST_BYTES {
        return Ok(());
    }
    let problem = phrase!(
        "long_text_of_part",
        "its {part} has a text of {found} bytes; at most {most} are read",
        part = part,
        found = found,
        most = MOST_BYTES
    );
    Err(wrong(WHOLE_FILE, problem))
}

/// Checks that the second piece of every merge begins with the prefix for pieces inside a word; the library cuts that
/// prefix off without checking.
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
            WHOLE_FILE,
            phrase!(
                "merge_without_prefix",
                "it merges the piece {piece}, which does not begin with its prefix {prefix}",
                piece = piece,
                prefix = prefix
            ),
        )),
    }
}

/// Removes prefixes that insert an empty text: they change nothing, and the library loses its character count at them.
fn drop_empty_prefixes(normalizer: &mut Value) {
    // The library accepts a list for any structure with one field, so a prefix can be a list of one text, and normalizers can
    // be in lists of lists too.
    let is_listed = normalizer.as_array().is_some_and(|list| *list == [Value::from("")]);
    if is_listed || normalizer["prepend"].as_str() == Some("") {
        *normalizer = Value::Null;
    }
    let inner = match normalizer {
        Value::Array(inner) => Some(inner),
        other => other.get_mut("normalizers").and_then(Value::as_array_mut),
    };
    if let Some(inner) = inner {
        inner.iter_mut().for_each(drop_empty_prefixes);
        inner.retain(|normalizer| !normalizer.is_null());
    }
}

/// Refuses a replacement whose pattern matches an empty text: the library would lose track of where its text came from,
/// and panic. The check applies each pattern to texts of one character. A pattern that matches an empty text keeps the
/// character and adds to it.
fn check_replacements(part: &Value) -> Result<(), InputError> {
    const MARK: char = '\u{10ffff}';
    match part {
        Value::Array(inner) => inner.iter().try_for_each(check_replacements)?,
        Value::Object(inner) => inner.values().try_for_each(check_replacements)?,
        _ => return Ok(()),
    }
    let marked = json!({"type": "Replace", "pattern": part, "content": MARK});
    // The library also accepts a list as a normalizer, and anything with a pattern as a replacement. So this tries
    // every part that reads as a pattern, wherever it is. The library reports other errors itself.
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
        return Err(wrong(WHOLE_FILE, problem));
    }
    Ok(())
}

/// The added tokens of `tokenizer.json`, with their ids.
///
/// # Errors
/// [`InputError::File`] if one of them is very long or matches everywhere.
pub(super) fn given_ids(whole: &Value) -> Result<Vec<GivenId>, InputError> {
    let added = whole["added_tokens"].as_array().map(Vec::as_slice).unwrap_or_default();
    // The library reports parts that cannot be read here, in its own words.
    let tokens: Vec<AddedToken> = added.iter().filter_map(|token| serde_json::from_value(token.clone()).ok()).collect();
    let normalizer = serde_json::from_value::<Option<NormalizerWrapper>>(whole["normalizer"].clone());
    check_contents(normalizer.ok().flatten().as_ref(), &tokens)?;
    let given = |token: &Value| {
        let id = u32::try_from(token["id"].as_u64()?).ok()?;
        Some(GivenId { file: WHOLE_FILE, content: token["content"].as_str()?.to_owned(), id })
    };
    Ok(added.iter().filter_map(given).collect())
}

/// Applies the settings of `tokenizer_config.json` to a `tokenizer.json`. Where they differ, the result is that of
/// transformers: for the classes of BERT and GPT-2, and where no class is named, the settings win; for other classes
/// the file wins. Each difference gets a note.
pub(super) fn apply(settings: &Settings, whole: &mut Value, notes: &mut Vec<Phrase>) {
    // The library refuses anything but an object.
    if !whole.is_object() {
        return;
    }
    let (is_word_pieces, is_byte_pairs) = match &settings.class {
        None => (true, true),
        Some(Class::WordPieces(_)) => (true, false),
        Some(Class::BytePairs(_)) => (false, true),
        Some(Class::WholeFile(_)) => (false, false),
        Some(Class::Other(name)) => {
            notes.push(phrase!(
                "tokenizer_class_not_known",
                "`tokenizer_class` is {class}, of which only tokenizer.json was read",
                class = quoted(name)
            ));
            (false, false)
        }
    };
    let normalizer = &mut whole["normalizer"];
    if normalizer["type"] == "BertNormalizer" {
        let strips = |normalizer: &Value| normalizer["strip_accents"].as_bool().or(normalizer["lowercase"].as_bool());
        let before = strips(normalizer);
        let mut put = |key, name, said: Option<bool>, default: bool| {
            put(Setting { key, said, default, holds: is_word_pieces }, &mut normalizer[name], notes);
        };
        put("do_lower_case", "lowercase", settings.lowercase, true);
        put("tokenize_chinese_chars", "handle_chinese_chars", settings.chinese_characters, true);
        if let Some(said) = settings.strip_accents {
            let own = normalizer["strip_accents"].clone();
            let mut changed = normalizer.clone();
            changed["strip_accents"] = json!(said);
            if strips(&changed) != before && own != json!(said) {
                notes.push(difference("strip_accents", &json!(said), &own, is_word_pieces));
            }
            if is_word_pieces {
                *normalizer = changed;
            }
        }
    } else {
        // `tokenizer.json` has no place for these settings. A setting that is false changes nothing, so it gets no
        // note, unless `tokenizer_config.json` names a class that has the setting.
        let is_named = matches!(settings.class, Some(Class::WordPieces(_)));
        for (key, said) in [
            ("do_lower_case", settings.lowercase),
            ("strip_accents", settings.strip_accents.flatten()),
            ("tokenize_chinese_chars", settings.chinese_characters.filter(|_| is_named)),
        ] {
            if said == Some(true) || said.is_some() && is_named {
                notes.push(phrase!(
                    "setting_without_place",
                    "`{key}` of tokenizer_config.json was not used, because tokenizer.json normalizes the text in its own way",
                    key = key
                ));
            }
        }
    }
    if let Some(byte_level) = byte_level(&mut whole["pre_tokenizer"]) {
        let setting =
            Setting { key: "add_prefix_space", said: settings.prefix_space, default: false, holds: is_byte_pairs };
        put(setting, &mut byte_level["add_prefix_space"], notes);
    }
}

/// The note about an unknown token whose name in `tokenizer.json` differs from that in `tokenizer_config.json`.
pub(super) fn other_unknown(said: Option<&Value>, whole: &Value) -> Option<Phrase> {
    let said = said?.as_str().or_else(|| said?["content"].as_str())?;
    let own = whole["model"]["unk_token"].as_str().filter(|own| *own != said)?;
    Some(difference("unk_token", &json!(said), &json!(own), false))
}

/// A setting that is true or false.
struct Setting {
    /// Its key in `tokenizer_config.json`.
    key: &'static str,
    /// Its value in `tokenizer_config.json`.
    said: Option<bool>,
    /// The default of transformers.
    default: bool,
    /// Whether transformers prefers it to `tokenizer.json`.
    holds: bool,
}

/// Applies a setting to its place in `tokenizer.json`, with a note where they differ.
fn put(setting: Setting, place: &mut Value, notes: &mut Vec<Phrase>) {
    let Setting { key, said, default, holds } = setting;
    match said.map(Value::Bool) {
        Some(said) if said != *place => {
            notes.push(difference(key, &said, place, holds));
            if holds {
                *place = said;
            }
        }
        None if holds && place.as_bool() == Some(!default) => notes.push(phrase!(
            "setting_of_the_file",
            "`{key}` is {value} as tokenizer.json says; transformers may take {default}, because tokenizer_config.json \
             does not say it",
            key = key,
            value = place.to_string(),
            default = default.to_string()
        )),
        _ => {}
    }
}

fn difference(key: &str, said: &Value, own: &Value, holds: bool) -> Phrase {
    let (first, second) = (shortened(said), shortened(own));
    if holds {
        phrase!(
            "config_holds",
            "`{key}` is {first} in tokenizer_config.json and {second} in tokenizer.json; the first was used, as \
             transformers does",
            key = key,
            first = first,
            second = second
        )
    } else {
        phrase!(
            "whole_file_holds",
            "`{key}` is {first} in tokenizer_config.json and {second} in tokenizer.json; the second was used, as \
             transformers does",
            key = key,
            first = first,
            second = second
        )
    }
}

/// The byte-level pre-tokenizer, by itself or in a list.
fn byte_level(part: &mut Value) -> Option<&mut Value> {
    if part["type"] == "ByteLevel" {
        return Some(part);
    }
    part.get_mut("pretokenizers")?.as_array_mut()?.iter_mut().find(|part| part["type"] == "ByteLevel")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bert(lowercase: bool) -> Value {
        json!({"normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
            "lowercase": lowercase,
        }, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": false}]}})
    }

    fn applied(settings: &Settings, mut whole: Value) -> (Value, Vec<String>) {
        let mut notes = Vec::new();
        apply(settings, &mut whole, &mut notes);
        (whole, notes.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_both_files_say_alike_is_no_note() {
        let settings = Settings {
            class: Some(Class::of("BertTokenizer")),
            lowercase: Some(true),
            strip_accents: Some(None),
            chinese_characters: Some(true),
            ..Settings::default()
        };
        assert_eq!(applied(&settings, bert(true)), (bert(true), vec![]));
        // Accents are stripped in either case.
        let stripped = Settings { strip_accents: Some(Some(true)), ..settings };
        assert_eq!(applied(&stripped, bert(true)).1, Vec::<String>::new());
    }

    #[test]
    fn for_berts_class_the_settings_hold_and_for_the_class_of_a_whole_file_they_do_not() {
        for (class, holds) in [(Some("BertTokenizer"), true), (None, true), (Some("PreTrainedTokenizerFast"), false)] {
            let settings = Settings {
                class: class.map(Class::of),
                lowercase: Some(false),
                strip_accents: Some(Some(true)),
                ..Settings::default()
            };
            let (whole, notes) = applied(&settings, bert(true));
            assert_eq!(whole["normalizer"]["lowercase"], json!(!holds));
            assert!(notes[0].contains("do_lower_case"), "{notes:?}");
            assert!(notes[0].contains(if holds { "first" } else { "second" }), "{notes:?}");
        }
    }

    #[test]
    fn a_deeply_nested_part_is_refused_before_the_library_tries_it() {
        let nested = |levels: usize| (0..levels).fold(json!("x"), |inner, _| json!([inner]));
        for part in ["normalizer", "pre_tokenizer"] {
            let of = |levels: usize| needed_of(&json!({"model": {}, part: nested(levels)}).to_string());
            assert!(of(MOST_NESTED).is_ok());
            let problem = of(41).expect_err("too deep").to_string();
            assert!(problem.contains(part) && problem.contains("41") && problem.contains('8'), "{problem}");
            let many = |count: usize| needed_of(&json!({"model": {}, part: vec![json!({}); count]}).to_string());
            assert!(many(MOST_PARTS).is_ok());
            assert!(many(400).expect_err("too many").to_string().contains("400"));
        }
    }

    #[test]
    fn what_is_no_tokenizer_is_left_as_it_is() {
        let settings = Settings { lowercase: Some(true), ..Settings::default() };
        for whole in [json!([]), json!(3), json!("x"), Value::Null] {
            assert_eq!(applied(&settings, whole.clone()), (whole, vec![]));
        }
        assert_eq!(applied(&settings, json!({"normalizer": 3, "pre_tokenizer": []})).1.len(), 1);
    }

    #[test]
    fn a_default_that_differs_from_the_file_is_a_note() {
        let settings = Settings { class: Some(Class::of("BertTokenizer")), ..Settings::default() };
        let (whole, notes) = applied(&settings, bert(false));
        assert_eq!(whole, bert(false));
        assert!(notes.len() == 1 && notes[0].contains("transformers may take true"), "{notes:?}");
    }

    #[test]
    fn a_space_in_front_is_put_in_a_list_too() {
        let settings = Settings { prefix_space: Some(true), ..Settings::default() };
        let (whole, notes) = applied(&settings, bert(true));
        assert_eq!(whole["pre_tokenizer"]["pretokenizers"][0]["add_prefix_space"], json!(true));
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn another_token_for_what_is_unknown_is_a_note() {
        let whole = json!({"model": {"unk_token": "[UNK]"}});
        assert_eq!(other_unknown(Some(&json!("[UNK]")), &whole), None);
        assert_eq!(other_unknown(None, &whole), None);
        for said in [json!("<unk>"), json!({"content": "<unk>"})] {
            let note = other_unknown(Some(&said), &whole).expect("a note").to_string();
            assert!(note.contains("\"<unk>\"") && note.contains("\"[UNK]\""), "{note}");
        }
    }

    #[test]
    fn a_setting_that_has_no_place_is_a_note() {
        let settings =
            Settings { class: Some(Class::of("BertTokenizer")), lowercase: Some(true), ..Settings::default() };
        let whole = json!({"normalizer": {"type": "NFC"}, "pre_tokenizer": null});
        let (after, notes) = applied(&settings, whole.clone());
        assert_eq!(after, whole);
        assert!(notes.len() == 1 && notes[0].contains("do_lower_case"), "{notes:?}");
    }
}
