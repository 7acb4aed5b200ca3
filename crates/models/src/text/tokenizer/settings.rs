//! What `tokenizer_config.json` says about how a text is treated before it is split.
//!
//! Every key that transformers reads is either used, or has no influence on the ids of a text, or is refused. A note
//! names every other key.

use lipscope_core::experiment::{InputError, Phrase};
use lipscope_core::phrase;
use serde_json::{Map, Value};

use super::class::Class;
use super::problem::{list_of_tokens, shortened, wrong_value};

/// The settings of a `tokenizer_config.json`; `None` where a setting is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Settings {
    /// `tokenizer_class`.
    pub(super) class: Option<Class>,
    /// `do_lower_case`.
    pub(super) lowercase: Option<bool>,
    /// `strip_accents`; `Some(None)` is a `null`, which stands for the value of `do_lower_case`.
    pub(super) strip_accents: Option<Option<bool>>,
    /// `tokenize_chinese_chars`.
    pub(super) chinese_characters: Option<bool>,
    /// `add_prefix_space`.
    pub(super) prefix_space: Option<bool>,
    /// `split_special_tokens`.
    pub(super) special_tokens: SpecialInText,
    /// `never_split`.
    pub(super) never_split: Vec<String>,
    /// Keys with unknown effect.
    pub(super) unknown: Vec<String>,
}

/// How a special token within a text is treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SpecialInText {
    /// It is one token.
    #[default]
    Matched,
    /// It is split like any other text.
    Split,
}

/// The name of the file, for errors.
pub(super) const CONFIG: &str = "tokenizer_config.json";

/// Keys that are read here or with the special tokens.
const USED: [&str; 14] = [
    "add_prefix_space",
    "added_tokens_decoder",
    "additional_special_tokens",
    "clean_text",
    "do_basic_tokenize",
    "do_lower_case",
    "extra_special_tokens",
    "model_specific_special_tokens",
    "never_split",
    "split_special_tokens",
    "strip_accents",
    "tokenize_chinese_chars",
    "tokenizer_class",
    "wordpieces_prefix",
];

/// Keys that do not influence the ids of a text, grouped by the reason.
const WITHOUT_INFLUENCE: [&[&str]; 6] = [
    // Tokens around a text: windows contain only the text.
    &["add_bos_token", "add_eos_token"],
    // Where to cut a text: texts are not cut here.
    &["max_len", "max_length", "model_max_length", "stride", "truncation_side", "truncation_strategy"],
    // How to pad texts: texts are not padded here.
    &["pad_to_multiple_of", "pad_token_type_id", "padding_side"],
    // How ids become text, or where a token is in it.
    &[
        "clean_up_tokenization_spaces",
        "clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output",
        "errors",
        "spaces_between_special_tokens",
        "trim_offsets",
    ],
    // Names of files and programs, and the contents of a model's other inputs.
    &[
        "backend",
        "chat_control_tokens",
        "chat_template",
        "device_map",
        "files_loaded",
        "full_tokenizer_file",
        "is_local",
        "local_files_only",
        "merges_file",
        "model_input_names",
        "name_or_path",
        "processor_class",
        "repo_type",
        "response_schema",
        "response_template",
        "special_tokens_map_file",
        "tokenizer_file",
        "transformers_version",
        "use_default_system_prompt",
        "use_fast",
        "vocab_file",
    ],
    // Settings of SentencePiece models, of which only tokenizer.json is read.
    &["legacy", "sp_model_kwargs", "unk_id"],
];

impl Settings {
    /// Reads the keys of `tokenizer_config.json`.
    ///
    /// # Errors
    /// [`InputError::File`] that names the key, for a value of the wrong kind or one that is not supported.
    pub(super) fn of(config: &Map<String, Value>) -> Result<Self, InputError> {
        let flag = |key: &str| match config.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(other_kind(key, other, phrase!("true_false", "true or false"))),
        };
        if flag("do_basic_tokenize")? == Some(false) {
            return Err(not_supported("do_basic_tokenize", &Value::Bool(false)));
        }
        if flag("clean_text")? == Some(false) {
            return Err(not_supported("clean_text", &Value::Bool(false)));
        }
        if let Some(prefix) = config.get("wordpieces_prefix").filter(|prefix| !prefix.is_null() && *prefix != "##") {
            return Err(not_supported("wordpieces_prefix", prefix));
        }
        let class = match config.get("tokenizer_class") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(Class::of(name)),
            Some(other) => return Err(other_kind("tokenizer_class", other, phrase!("a_name", "a name"))),
        };
        let never_split = match config.get("never_split") {
            None | Some(Value::Null) => Vec::new(),
            Some(value @ Value::Array(tokens)) => {
                let text = |token: &Value| token.as_str().map(str::to_owned).ok_or(value);
                let tokens: Result<_, _> = tokens.iter().map(text).collect();
                tokens.map_err(|value| other_kind("never_split", value, list_of_tokens()))?
            }
            Some(other) => return Err(other_kind("never_split", other, list_of_tokens())),
        };
        let strip_accents = flag("strip_accents")?;
        Ok(Settings {
            class,
            lowercase: flag("do_lower_case")?,
            strip_accents: config.contains_key("strip_accents").then_some(strip_accents),
            chinese_characters: flag("tokenize_chinese_chars")?,
            prefix_space: flag("add_prefix_space")?,
            special_tokens: match flag("split_special_tokens")? {
                Some(true) => SpecialInText::Split,
                Some(false) | None => SpecialInText::Matched,
            },
            never_split,
            unknown: config.iter().filter(|(key, value)| is_unknown(key, value)).map(|(key, _)| key.clone()).collect(),
        })
    }
}

/// Whether the effect of a key is unknown. A key that ends in `_token` names a special token.
fn is_unknown(key: &str, value: &Value) -> bool {
    let is_without_influence = || WITHOUT_INFLUENCE.iter().any(|keys| keys.contains(&key));
    let is_token = || key.ends_with("_token") && !value.is_boolean() && !value.is_number();
    !value.is_null() && !USED.contains(&key) && !is_token() && !is_without_influence()
}

/// The error for a value that does not fit its key.
fn other_kind(key: &str, found: &Value, expected: Phrase) -> InputError {
    wrong_value(CONFIG, key, found, expected)
}

/// The refusal of a setting that would change the ids.
pub(super) fn not_supported(key: &str, value: &Value) -> InputError {
    InputError::File {
        file: CONFIG.into(),
        problem: phrase!(
            "tokenizer_setting_not_supported",
            "its `{key}` is {found}, which is not supported",
            key = key,
            found = shortened(value)
        ),
        fix: phrase!(
            "tokenizer_setting_no_way",
            "Without this setting the text would become other tokens than those that the model was trained on."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(config: &Value) -> Result<Settings, InputError> {
        Settings::of(config.as_object().expect("an object"))
    }

    #[test]
    fn what_is_said_is_read_and_what_is_not_said_is_none() {
        assert_eq!(of(&json!({})), Ok(Settings::default()));
        let settings = of(&json!({
            "do_lower_case": false, "strip_accents": null, "tokenize_chinese_chars": false, "add_prefix_space": true,
            "split_special_tokens": true, "tokenizer_class": "BertTokenizer", "never_split": ["a"], "model_max_length": 512,
        }))
        .expect("all are known");
        assert_eq!((settings.lowercase, settings.strip_accents), (Some(false), Some(None)));
        assert_eq!((settings.chinese_characters, settings.prefix_space), (Some(false), Some(true)));
        assert_eq!(settings.special_tokens, SpecialInText::Split);
        assert_eq!(settings.class.as_ref().map(Class::name), Some("BertTokenizer"));
        assert_eq!((settings.never_split, settings.unknown), (vec!["a".to_owned()], vec![]));
    }

    #[test]
    fn a_key_that_is_not_known_is_kept_by_name() {
        let settings = of(&json!({"do_upper_case": true, "image_token": "<i>", "empty": null, "mask_token": "[M]"}));
        assert_eq!(settings.expect("a note").unknown, ["do_upper_case"]);
    }

    #[test]
    fn no_key_is_in_two_lists() {
        let mut keys: Vec<&str> = USED.to_vec();
        keys.extend(WITHOUT_INFLUENCE.iter().copied().flatten());
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name() {
        for (config, words) in [
            (json!({"do_basic_tokenize": false}), ["do_basic_tokenize", "false"]),
            (json!({"clean_text": false}), ["clean_text", "false"]),
            (json!({"wordpieces_prefix": "@@"}), ["wordpieces_prefix", "@@"]),
            (json!({"do_lower_case": "yes"}), ["do_lower_case", "yes"]),
            (json!({"tokenizer_class": 3}), ["tokenizer_class", "3"]),
            (json!({"never_split": [1]}), ["never_split", "[1]"]),
        ] {
            let said = of(&config).expect_err("refused").to_string();
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
        }
    }
}
