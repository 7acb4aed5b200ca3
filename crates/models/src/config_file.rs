//! Reads a `config.json`. Each known setting is applied, refused by name, or skipped because it changes no number.
//! Unknown settings and guesses become notes.

use serde_json::Value;

use super::config::{Activation, Family, ModelConfig, ScoreScale};
use super::config_fields::Fields;
use super::config_keys::{ConfigKind, KeyUse, key_use};
use super::families::{UnreadFamily, of_class, of_model_type, without_framework};
use lipscope_core::experiment::{Attention, InputError, Normalization, Order, Phrase, json_problem};
use lipscope_core::phrase;

/// A `config.json` that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    /// The architecture.
    pub config: ModelConfig,
    /// Notes on guesses, and on settings that were not understood and ignored.
    pub notes: Vec<Phrase>,
}

impl ModelConfig {
    /// Reads the architecture from a `config.json`, as [`ConfigFile::parse`].
    ///
    /// # Errors
    /// As [`ConfigFile::parse`].
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        Ok(ConfigFile::parse(text)?.config)
    }
}

impl ConfigFile {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// [`InputError`] that names the field, for a family or a setting that is not supported, for an invalid value, and
    /// for a missing field that has no default; [`InputError::File`] for text that is not JSON.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        let value: Value = serde_json::from_str(without_mark(text)).map_err(|error| InputError::File {
            file: "config.json".into(),
            problem: phrase!("not_valid_json", "it is not valid JSON ({detail})", detail = json_problem(&error)),
            fix: phrase!("give_config_json_lies", "Give the config.json that lies beside the model's weights."),
        })?;
        let Value::Object(fields) = value else {
            let whole = phrase!("whole_config", "config.json as a whole");
            return Err(InputError::bad_value(whole, value.to_string(), phrase!("json_object", "a JSON object")));
        };
        let fields = Fields(fields);
        let mut notes = Vec::new();
        let kind = kind_of(&fields, &mut notes)?;
        check_classes(&fields, kind, &mut notes)?;
        check_keys(&fields, kind, &mut notes)?;
        let config = match kind {
            ConfigKind::Gpt2 => gpt2_from(&fields),
            ConfigKind::Lipscope => lipscope_from(&fields),
            ConfigKind::Bert => bert_from(&fields),
            ConfigKind::DistilBert => distilbert_from(&fields),
        }?;
        Ok(ConfigFile { config: config.checked()?, notes })
    }
}

/// The text without a byte order mark, which some editors put first.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The refusal of an unsupported family; `found` is the place that names the family.
pub(super) fn unread_family(found: Phrase, name: &str, reason: Phrase) -> InputError {
    InputError::Conflict {
        what: found,
        problem: phrase!(
            "family_not_read",
            "says that the model is of a family that is not supported ({name}: {reason})",
            name = name,
            reason = reason
        ),
        fix: phrase!(
            "measure_model_of_family",
            "Measure a BERT (MiniLM too), a DistilBERT, a GPT-2 or a model of `lipscope train`: another name in the file would not make it one."
        ),
    }
}

/// The supported `model_type` names and their kinds.
const KINDS: [(&str, ConfigKind); 4] = [
    ("bert", ConfigKind::Bert),
    ("distilbert", ConfigKind::DistilBert),
    ("gpt2", ConfigKind::Gpt2),
    ("lipscope", ConfigKind::Lipscope),
];

fn kind_of(fields: &Fields, notes: &mut Vec<Phrase>) -> Result<ConfigKind, InputError> {
    let model_type = fields.text("model_type")?.unwrap_or_default();
    if let Some((_, kind)) = KINDS.into_iter().find(|(name, _)| *name == model_type) {
        return Ok(kind);
    }
    if !model_type.is_empty() {
        let (name, reason) =
            of_model_type(model_type).map_or((model_type, unknown_reason()), |family| (family.name, family.reason()));
        return Err(unread_family(setting(fields, "model_type"), name, reason));
    }
    // Files of the first years have no model_type.
    let classes = fields.texts("architectures")?;
    let kind = classes.iter().find_map(|class| {
        let of = |kind: &ConfigKind| class_of(*kind).is_some_and(|name| is_of(class, name));
        [ConfigKind::Bert, ConfigKind::DistilBert, ConfigKind::Gpt2].into_iter().find(of)
    });
    match kind {
        Some(kind) => {
            notes.push(phrase!(
                "note_family_of_class",
                "config.json has no model_type; the family is that of its architectures, {classes}",
                classes = classes.join(", ")
            ));
            Ok(kind)
        }
        None => Err(InputError::File {
            file: "config.json".into(),
            problem: phrase!("no_model_type", "it does not say of which family the model is: it has no model_type"),
            fix: phrase!(
                "copy_config_with_type",
                "Copy config.json from the place where the model was published, or save the model again with transformers, which writes model_type."
            ),
        }),
    }
}

/// Refuses unsupported settings, and notes unknown ones.
fn check_keys(fields: &Fields, kind: ConfigKind, notes: &mut Vec<Phrase>) -> Result<(), InputError> {
    let mut unknown = Vec::new();
    for (name, value) in &fields.0 {
        match key_use(kind, name) {
            _ if value.is_null() => {}
            Some(KeyUse::Used | KeyUse::Irrelevant(_)) => {}
            Some(KeyUse::Refused(accepted, unsupported)) => {
                if serde_json::from_str::<Value>(accepted).ok().as_ref() != Some(value) {
                    return Err(not_supported(fields, name, unsupported.reason()));
                }
            }
            None => unknown.push(name.as_str()),
        }
    }
    if !unknown.is_empty() {
        notes.push(phrase!(
            "note_unknown_keys",
            "config.json has settings that are not known here and were ignored: {keys}",
            keys = unknown.join(", ")
        ));
    }
    // Only a RoBERTa has both values, so a file with both is a RoBERTa under another name.
    let is = |name: &str| fields.get(name).and_then(Value::as_u64) == Some(1);
    if kind == ConfigKind::Bert && is("pad_token_id") && is("type_vocab_size") {
        let both = phrase!("marks_of_roberta", "config.json, with `pad_token_id` = 1 and `type_vocab_size` = 1,");
        return Err(refusal_of(of_model_type("roberta"), both, "Roberta"));
    }
    Ok(())
}

/// Checks `architectures` and `auto_map` against the family.
fn check_classes(fields: &Fields, kind: ConfigKind, notes: &mut Vec<Phrase>) -> Result<(), InputError> {
    let Some(own) = class_of(kind) else { return Ok(()) };
    let classes = fields.texts("architectures")?;
    if let Some(class) = classes.iter().find(|class| of_class(class).is_some()) {
        return Err(refusal_of(of_class(class), setting(fields, "architectures"), class));
    }
    let reads = [ConfigKind::Bert, ConfigKind::DistilBert, ConfigKind::Gpt2];
    let is_of_another = |class: &&&str| {
        let other = |kind: &ConfigKind| class_of(*kind).is_some_and(|name| name != own && is_of(class, name));
        reads.iter().any(other)
    };
    if let Some(class) = classes.iter().find(is_of_another) {
        return Err(InputError::Conflict {
            what: setting(fields, "architectures"),
            problem: phrase!(
                "class_of_another_family",
                "names {class}, which is no class of {family}, as model_type says",
                class = *class,
                family = own
            ),
            fix: phrase!("copy_config_again", "Copy config.json again from the place where the model was published."),
        });
    }
    let strange: Vec<&str> = classes.iter().copied().filter(|class| !is_of(class, own)).collect();
    if !strange.is_empty() {
        notes.push(phrase!(
            "note_strange_class",
            "config.json names the class {classes}, which is no class of {family} in transformers; the model was read as {family}, as model_type says",
            classes = strange.join(", "),
            family = own
        ));
    }
    if fields.get("auto_map").is_some() {
        notes.push(phrase!(
            "note_own_code",
            "the model comes with program code of its own (auto_map), which was not run; it was read as {family}, as model_type says",
            family = own
        ));
    }
    Ok(())
}

/// How the class names of a kind begin. The configs of `lipscope train` name no class.
fn class_of(kind: ConfigKind) -> Option<&'static str> {
    match kind {
        ConfigKind::Bert => Some("Bert"),
        ConfigKind::DistilBert => Some("DistilBert"),
        ConfigKind::Gpt2 => Some("GPT2"),
        ConfigKind::Lipscope => None,
    }
}

fn is_of(class: &str, name: &str) -> bool {
    without_framework(class).starts_with(name) && of_class(class).is_none()
}

fn refusal_of(family: Option<&UnreadFamily>, found: Phrase, name: &str) -> InputError {
    let (name, reason) = family.map_or((name, unknown_reason()), |family| (family.name, family.reason()));
    unread_family(found, name, reason)
}

fn unknown_reason() -> Phrase {
    phrase!("why_unknown_family", "how its blocks compute is not known here")
}

/// A setting with its value, and with the version of transformers that wrote the file if the file names it.
fn setting(fields: &Fields, name: &str) -> Phrase {
    let value = shortened(fields.get(name));
    match fields.get("transformers_version").and_then(Value::as_str) {
        Some(version) => phrase!(
            "setting_of_version",
            "config.json, written by transformers {version}: `{key}` = {value}",
            version = shortened_text(version),
            key = name,
            value = value
        ),
        None => phrase!("setting_of_config", "config.json: `{key}` = {value}", key = name, value = value),
    }
}

fn shortened(value: Option<&Value>) -> String {
    shortened_text(&value.map_or_else(String::new, Value::to_string))
}

fn shortened_text(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The refusal of a setting. It proposes no edit: with another value the file would describe a model that does not
/// exist.
fn not_supported(fields: &Fields, name: &str, reason: Phrase) -> InputError {
    InputError::Conflict {
        what: setting(fields, name),
        problem: phrase!("not_supported", "is not supported: {reason}", reason = reason),
        fix: phrase!(
            "do_not_edit_setting",
            "Measure a model without it; with another value in the file, the number would be that of no model."
        ),
    }
}

fn activation_of(fields: &Fields, name: &str, default: Activation) -> Result<Activation, InputError> {
    let reason = phrase!(
        "why_activation",
        "the activations that are read are gelu, gelu_new, gelu_pytorch_tanh, gelu_fast and relu"
    );
    fields.activation(name, default)?.ok_or_else(|| not_supported(fields, name, reason))
}

fn gpt2_from(fields: &Fields) -> Result<ModelConfig, InputError> {
    let default = ModelConfig::gpt2();
    let d = fields.size(["n_embd", "hidden_size"], default.d)?;
    let is_by_root = fields.flag("scale_attn_weights", true)?;
    let is_by_layer = fields.flag("scale_attn_by_inverse_layer_idx", false)?;
    Ok(ModelConfig {
        d,
        layers: fields.size(["n_layer", "num_hidden_layers"], default.layers)?,
        heads: fields.size(["n_head", "num_attention_heads"], default.heads)?,
        inner: fields.size(["n_inner", "n_inner"], d.saturating_mul(4))?,
        vocabulary: fields.size(["vocab_size", "vocab_size"], default.vocabulary)?,
        positions: fields.size(["n_positions", "max_position_embeddings"], default.positions)?,
        eps: fields.number("layer_norm_epsilon", default.eps)?,
        activation: activation_of(fields, "activation_function", default.activation)?,
        score_scale: match (is_by_root, is_by_layer) {
            (true, false) => ScoreScale::Root,
            (false, false) => ScoreScale::One,
            (true, true) => ScoreScale::RootTimesLayer,
            (false, true) => ScoreScale::Layer,
        },
        ..default
    })
}

/// A model of `lipscope train`: a GPT-2 with its own kind of attention, and with layer norms that may be absent.
fn lipscope_from(fields: &Fields) -> Result<ModelConfig, InputError> {
    let attention = fields.choice("attention", &[("dot", Attention::Dot), ("l2", Attention::L2)])?;
    let (none, layer) = (Normalization::None, Normalization::Layer);
    let norms = [("both", (layer, layer)), ("mlp", (none, layer)), ("none", (none, none))];
    let (attention_norm, mlp_norm) = fields.choice("layer_norms", &norms)?;
    Ok(ModelConfig { attention, attention_norm, mlp_norm, ..gpt2_from(fields)? })
}

fn bert_from(fields: &Fields) -> Result<ModelConfig, InputError> {
    let default = ModelConfig::bert();
    let same = |name: &'static str| [name, name];
    Ok(ModelConfig {
        d: fields.size(same("hidden_size"), default.d)?,
        layers: fields.size(same("num_hidden_layers"), default.layers)?,
        heads: fields.size(same("num_attention_heads"), default.heads)?,
        inner: fields.size(same("intermediate_size"), default.inner)?,
        vocabulary: fields.size(same("vocab_size"), default.vocabulary)?,
        token_types: fields.size(same("type_vocab_size"), default.token_types)?,
        positions: fields.size(same("max_position_embeddings"), default.positions)?,
        eps: fields.number("layer_norm_eps", default.eps)?,
        activation: activation_of(fields, "hidden_act", default.activation)?,
        // A decoder BERT has the mask of GPT-2.
        mask: if fields.flag("is_decoder", false)? { Order::Causal } else { Order::Free },
        ..default
    })
}

fn distilbert_from(fields: &Fields) -> Result<ModelConfig, InputError> {
    let default = ModelConfig::bert();
    Ok(ModelConfig {
        family: Family::DistilBert,
        d: fields.size(["dim", "hidden_size"], default.d)?,
        layers: fields.size(["n_layers", "num_hidden_layers"], 6)?,
        heads: fields.size(["n_heads", "num_attention_heads"], default.heads)?,
        inner: fields.size(["hidden_dim", "hidden_dim"], default.inner)?,
        vocabulary: fields.size(["vocab_size", "vocab_size"], default.vocabulary)?,
        positions: fields.size(["max_position_embeddings", "max_position_embeddings"], default.positions)?,
        activation: activation_of(fields, "activation", default.activation)?,
        ..default
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_take_the_defaults_of_the_family() {
        assert_eq!(ModelConfig::from_json(r#"{"model_type":"gpt2"}"#), Ok(ModelConfig::gpt2()));
        assert_eq!(ModelConfig::from_json("\u{feff}{\"model_type\":\"bert\"}"), Ok(ModelConfig::bert()));
        let small = ModelConfig::from_json(r#"{"model_type":"gpt2","n_embd":8,"n_head":2,"n_inner":null}"#);
        assert_eq!(small.map(|config| (config.inner, config.head_dim())), Ok((32, 4)));
        // transformers also accepts the shared names.
        let small = ModelConfig::from_json(r#"{"model_type":"gpt2","hidden_size":8,"num_attention_heads":2}"#);
        assert_eq!(small.map(|config| (config.d, config.heads)), Ok((8, 2)));
    }

    #[test]
    fn errors_name_the_invalid_field() {
        for (text, word) in [
            (r#"{"n_embd":8}"#, "model_type"),
            (r#"{"model_type":7}"#, "model_type"),
            ("[1]", "config.json"),
            ("{", "config.json"),
            (r#"{"model_type":"gpt2","n_embd":-8}"#, "n_embd"),
            (r#"{"model_type":"gpt2","n_embd":10,"n_head":3}"#, "heads"),
            (r#"{"model_type":"gpt2","n_embd":8,"hidden_size":16}"#, "disagree"),
            (r#"{"model_type":"gpt2","n_embd":1000000,"n_head":1}"#, "width"),
            (r#"{"model_type":"gpt2","scale_attn_weights":0}"#, "true or false"),
            (r#"{"model_type":"bert","architectures":"BertModel"}"#, "a list of texts"),
            (r#"{"model_type":"lipscope"}"#, "attention"),
            (r#"{"model_type":"lipscope","attention":"l1"}"#, "\"dot\", \"l2\""),
            (r#"{"model_type":"lipscope","attention":"l2","layer_norms":true}"#, "layer_norms"),
        ] {
            let problem = ModelConfig::from_json(text).expect_err(text).to_string();
            assert!(problem.contains(word), "{text}: {problem}");
        }
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name_without_an_edit_that_gives_a_wrong_number() {
        for (text, words) in [
            (r#"{"model_type":"llama"}"#, ["\"llama\"", "Llama"]),
            (r#"{"model_type":"abcdef"}"#, ["\"abcdef\"", "family that is not supported"]),
            (r#"{"model_type":"roberta"}"#, ["Roberta", "begin at 2"]),
            (r#"{"model_type":"bert","architectures":["RobertaModel"]}"#, ["architectures", "begin at 2"]),
            (r#"{"model_type":"bert","architectures":["GPT2LMHeadModel"]}"#, ["GPT2LMHeadModel", "Bert"]),
            (r#"{"model_type":"bert","pad_token_id":1,"type_vocab_size":1}"#, ["pad_token_id", "begin at 2"]),
            (r#"{"architectures":["RobertaModel"]}"#, ["config.json", "model_type"]),
            (r#"{"model_type":"bert","hidden_act":"swish"}"#, ["hidden_act", "is not supported"]),
            (
                r#"{"model_type":"bert","position_embedding_type":"relative_key"}"#,
                ["position_embedding_type", "scores"],
            ),
            (r#"{"model_type":"gpt2","add_cross_attention":true}"#, ["add_cross_attention", "encoder"]),
            (r#"{"model_type":"gpt2","pruned_heads":{"0":[1]}}"#, ["pruned_heads", "removed"]),
            (r#"{"model_type":"distilbert","is_decoder":true}"#, ["is_decoder", "causal"]),
            (
                r#"{"model_type":"lipscope","attention":"dot","layer_norms":"both","score":{"softcap":5.0}}"#,
                ["`score` = {\"softcap\":5.0}", "is not supported: it adds a step"],
            ),
            (
                r#"{"model_type":"lipscope","attention":"dot","layer_norms":"both","weighting":{"kind":"sigmoid"}}"#,
                ["`weighting` = {\"kind\":\"sigmoid\"}", "only plain dot-product"],
            ),
            (r#"{"model_type":"gpt2","quantization_config":{"bits":4}}"#, ["quantization_config", "quantised"]),
            (
                r#"{"model_type":"bert","position_embedding_type":"relative_key","transformers_version":"4.6.1"}"#,
                ["transformers 4.6.1", "position_embedding_type"],
            ),
        ] {
            let problem = ModelConfig::from_json(text).expect_err(text).to_string();
            assert!(words.iter().all(|word| problem.contains(word)), "{text}: {problem}");
            assert!(!problem.contains("must be"), "{text}: {problem}");
        }
    }

    #[test]
    fn settings_that_change_the_scores_or_the_mask_are_obeyed() {
        let read = |text: &str| ModelConfig::from_json(text).expect(text);
        assert_eq!(read(r#"{"model_type":"bert","is_decoder":true}"#).mask, Order::Causal);
        let gpt2 =
            |more: &str| read(&format!(r#"{{"model_type":"gpt2","n_embd":32,"n_head":2{more}}}"#)).query_factor(2);
        assert_eq!(gpt2(""), 1.0);
        assert_eq!(gpt2(r#","scale_attn_weights":false"#), 4.0);
        assert_eq!(gpt2(r#","scale_attn_by_inverse_layer_idx":true"#), 1.0 / 3.0);
        assert_eq!(gpt2(r#","scale_attn_by_inverse_layer_idx":true,"scale_attn_weights":false"#), 4.0 / 3.0);
    }

    #[test]
    fn what_is_ignored_or_guessed_is_noted() {
        let notes = |text: &str| {
            let notes = ConfigFile::parse(text).expect(text).notes;
            notes.iter().map(Phrase::to_string).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(notes(r#"{"model_type":"bert","use_cache":true,"strange":null,"architectures":["BertModel"]}"#), "");
        assert!(notes(r#"{"model_type":"bert","embedding_size":128,"strange":1}"#).contains("embedding_size, strange"));
        assert!(notes(r#"{"model_type":"bert","architectures":["HF_ColBERT"]}"#).contains("HF_ColBERT"));
        assert!(notes(r#"{"architectures":["TFDistilBertModel"]}"#).contains("TFDistilBertModel"));
        assert!(notes(r#"{"model_type":"gpt2","auto_map":{"AutoModel":"a.B"}}"#).contains("auto_map"));
    }
}
