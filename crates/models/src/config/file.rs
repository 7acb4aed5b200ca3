//! Reads a `config.json`. Each known setting is applied, refused by name, or skipped because it changes no number.
//! Unknown settings and guesses become notes.

use serde_json::Value;

use super::families::{self, Part};
use super::family::{
    BiasRule, DefaultSize, EmbeddingFactor, Family, FirstPosition, MaskRule, NumberKey, PaddingSource, RopeLayers,
    RopeRule, ScoreRule, SizeKey, SizeKeys,
};
use super::fields::Fields;
use super::keys::{KeyUse, Unsupported, key_use};
use super::layer_fields::{bias_of, experts_of, listed_layers, window_of};
use super::model_config::{ModelConfig, PictureSizes, ScoreScale, Wholes, heads_do_not_divide};
use super::rope::{Rope, Stretch};
use super::rope_fields::{Ropes, ropes_of, unread_length};
use super::score_bias::ScoreBias;
use super::unread::{self, UnreadFamily, without_framework};
use lipscope_core::experiment::{Attention, InputError, Normalization, Order, Phrase, json_problem};
use lipscope_core::phrase;

/// A `config.json` that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    /// The architecture.
    pub config: ModelConfig,
    /// Notes on guesses, and on settings that were not understood and ignored.
    pub notes: Vec<Phrase>,
    /// `bos_token_id`: the token that the model's texts begin with, if it says one of its vocabulary.
    pub first_token: Option<u32>,
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
        ConfigFile::parse_part(text, None)
    }

    /// Whether a `config.json` is that of a model of two halves, of which one must be chosen.
    #[must_use]
    pub fn has_halves(text: &str) -> bool {
        let value: Option<Value> = serde_json::from_str(without_mark(text)).ok();
        let model_type = value.as_ref().and_then(|value| value.get("model_type")?.as_str()).unwrap_or_default();
        families::NESTED.iter().any(|nested| nested.model_type == model_type && !nested.is_only)
    }

    /// Reads a `config.json`; of a model of two halves the given one.
    ///
    /// # Errors
    /// As [`ConfigFile::parse`], and where a model of two halves is to be read without a choice, or a model of one part
    /// with one.
    pub fn parse_part(text: &str, part: Option<Part>) -> Result<Self, InputError> {
        let value: Value = serde_json::from_str(without_mark(text)).map_err(|error| InputError::File {
            file: "config.json".into(),
            problem: phrase!("not_valid_json", "it is not valid JSON ({detail})", detail = json_problem(&error)),
            fix: phrase!("give_config_json_lies", "Give the config.json that lies beside the model's weights."),
        })?;
        let Value::Object(fields) = value else {
            let whole = phrase!("whole_config", "config.json as a whole");
            return Err(InputError::bad_value(whole, value.to_string(), phrase!("json_object", "a JSON object")));
        };
        let whole = Fields::of(fields);
        let mut notes = Vec::new();
        let (family, half) = family_of(&whole, part, &mut notes)?;
        check_classes(&whole, family, &mut notes)?;
        if let Some((nested, fields)) = &half {
            check_quantization(&whole)?;
            check_overrides(&whole, nested, &config_of(fields, family)?)?;
        }
        let fields = half.map_or(whole, |(_, fields)| fields);
        let family = families::chosen(family, &fields);
        check_keys(&fields, family, &mut notes)?;
        let config = config_of(&fields, family)?.checked()?;
        if let Some(Rope { stretch: Stretch::LongRope { longer: None, .. }, .. }) = config.rope {
            notes.push(phrase!(
                "note_long_rope",
                "windows have at most {n} tokens: longer ones need `long_factor`, which the file does not have",
                n = config.positions
            ));
        }
        if let Some(rule) = family.rope {
            notes.extend(unread_length(&fields, rule)?);
        }
        let said = fields.get("bos_token_id").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
        let first_token = said.filter(|id| (*id as usize) < config.vocabulary);
        Ok(ConfigFile { config, notes, first_token })
    }
}

/// The text without a byte order mark, which some editors put first.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The refusal of an unsupported family; `found` is the place that names the family.
pub(crate) fn unread_family(found: Phrase, name: &str, reason: Phrase) -> InputError {
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
            "Measure a model of one of the {count} families that are read, such as BERT, ModernBERT, T5, GPT-2, Llama, Qwen 3 and Gemma 3 (`lipscope model --families` lists them), or of `lipscope train`: another name in the file would not make it one.",
            count = names_of_families().count()
        ),
    }
}

/// `model_type` and name of the families that are read, without the models of `lipscope train`, which have no class.
pub fn names_of_families() -> impl Iterator<Item = (&'static str, &'static str)> {
    let families = families::ALL.iter().filter(|family| family.class.is_some());
    families.filter(|family| family.variant.is_empty()).map(|family| (family.model_type, family.name))
}

/// The part of a config that is read where that is not the whole.
type Half = (&'static families::Nested, Fields);

/// The family of a config, and the part of the config that is read where it is not the whole.
fn family_of(
    fields: &Fields,
    part: Option<Part>,
    notes: &mut Vec<Phrase>,
) -> Result<(&'static Family, Option<Half>), InputError> {
    let model_type = fields.text("model_type")?.unwrap_or_default();
    let mut parts = families::NESTED.iter().filter(|nested| nested.model_type == model_type).peekable();
    let has_parts = parts.peek().is_some();
    let is_only = |nested: &families::Nested| part.is_none() && nested.is_only;
    let nested = parts.find(|nested| part == Some(nested.half) || is_only(nested));
    if nested.is_none() && (has_parts || part.is_some()) {
        return Err(no_such_part(fields, part, has_parts));
    }
    if let Some(family) = families::of_model_type(model_type) {
        return Ok((family, None));
    }
    if let Some(nested) = nested
        && let Some(family) = families::of_model_type(nested.family)
    {
        let part = fields.object(nested.part)?.ok_or_else(|| InputError::MissingKey {
            key: format!("config.json: {}", nested.part),
            expected: phrase!("json_object", "a JSON object"),
        })?;
        return match part.text("model_type")? {
            Some(other) if other != nested.family => Err(part.not_supported("model_type", unknown_reason())),
            _ => Ok((family, Some((nested, part)))),
        };
    }
    if !model_type.is_empty() {
        let (name, reason) = unread::of_model_type(model_type)
            .map_or((model_type, unknown_reason()), |family| (family.name, family.reason()));
        return Err(unread_family(fields.setting("model_type"), name, reason));
    }
    // Files of the first years have no model_type.
    let classes = fields.texts("architectures")?;
    match classes.iter().find_map(|class| family_of_class(class)) {
        Some(family) => {
            notes.push(phrase!(
                "note_family_of_class",
                "config.json has no model_type; the family is that of its architectures, {classes}",
                classes = classes.join(", ")
            ));
            Ok((family, None))
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

/// The refusal of a choice of part that the model does not have, or of none where it has two.
fn no_such_part(fields: &Fields, part: Option<Part>, has_parts: bool) -> InputError {
    let what = fields.setting("model_type");
    match part {
        None => InputError::Conflict {
            what,
            problem: phrase!("model_of_two_halves", "is a model of two halves, one of texts and one of images"),
            fix: phrase!(
                "choose_half",
                "Choose the half to be measured: `--part text` or `--part vision` on the command line. On the page, add an image to the files to measure the half of images."
            ),
        },
        Some(part) if has_parts => InputError::Conflict {
            what,
            problem: phrase!("half_not_read", "is a model whose half `{part}` is not read", part = part.id()),
            fix: phrase!("leave_part_out", "Leave `--part` out."),
        },
        Some(part) => InputError::Conflict {
            what,
            problem: phrase!("model_of_one_part", "is a model of one part, and has no half `{part}`", part = part.id()),
            fix: phrase!("leave_part_out", "Leave `--part` out."),
        },
    }
}

/// Refuses what CLIP's older configs have beside the settings of a half, where it says something else: transformers takes it,
/// with its defaults, instead of them.
fn check_overrides(whole: &Fields, nested: &families::Nested, config: &ModelConfig) -> Result<(), InputError> {
    let key = format!("{}_dict", nested.part);
    let Some(overrides) = whole.object(&key)?.filter(|_| nested.model_type == "clip") else { return Ok(()) };
    if config_of(&overrides, config.family).is_ok_and(|found| found == *config) {
        return Ok(());
    }
    let reason = phrase!(
        "why_overrides",
        "it says something else than `{part}`, and transformers takes it instead",
        part = nested.part
    );
    Err(whole.not_supported(&key, reason))
}

/// Refuses quantised weights, which the whole config names where a part of it is read.
fn check_quantization(whole: &Fields) -> Result<(), InputError> {
    const KEY: &str = "quantization_config";
    let is_there = whole.get(KEY).is_some();
    if is_there { Err(whole.not_supported(KEY, Unsupported::Quantized.reason())) } else { Ok(()) }
}

/// Refuses unsupported settings, and notes unknown ones.
fn check_keys(fields: &Fields, family: &Family, notes: &mut Vec<Phrase>) -> Result<(), InputError> {
    let mut unknown = Vec::new();
    for (name, value) in fields.all() {
        match key_use(family.keys, name) {
            _ if value.is_null() => {}
            Some(KeyUse::Used | KeyUse::Irrelevant(_)) => {}
            Some(KeyUse::Refused(accepted, unsupported)) => {
                if serde_json::from_str::<Value>(accepted).ok().as_ref() != Some(value) {
                    return Err(fields.not_supported(name, unsupported.reason()));
                }
            }
            None => unknown.push(name),
        }
    }
    if !unknown.is_empty() {
        notes.push(phrase!(
            "note_unknown_keys",
            "config.json has settings that are not known here and were ignored: {keys}",
            keys = unknown.join(", ")
        ));
    }
    // The published gpt-oss has its experts in MXFP4 and all else in BF16.
    const QUANTIZATION: &str = "quantization_config";
    if family.experts.is_some()
        && let Some(found) = fields.object(QUANTIZATION)?
    {
        if found.text("quant_method")? != Some("mxfp4") {
            return Err(fields.not_supported(QUANTIZATION, Unsupported::Quantized.reason()));
        }
        notes.push(phrase!(
            "note_quantized_experts",
            "the experts are quantised (MXFP4), which is not read; the attention of layer 0 needs none"
        ));
    }
    // Only a RoBERTa has both values, so a file with both is a RoBERTa under another name.
    let is = |name: &str| fields.get(name).and_then(Value::as_u64) == Some(1);
    if family.model_type == "bert" && is("pad_token_id") && is("type_vocab_size") {
        return Err(InputError::Conflict {
            what: phrase!("marks_of_roberta", "config.json, with `pad_token_id` = 1 and `type_vocab_size` = 1,"),
            problem: phrase!(
                "is_roberta_called_bert",
                "is that of a RoBERTa, whose positions begin at 2, and its model_type says BERT"
            ),
            fix: phrase!("copy_config_again", "Copy config.json again from the place where the model was published."),
        });
    }
    Ok(())
}

/// Checks `architectures` and `auto_map` against the family.
fn check_classes(fields: &Fields, family: &Family, notes: &mut Vec<Phrase>) -> Result<(), InputError> {
    let Some(own) = family.class else { return Ok(()) };
    let classes = fields.texts("architectures")?;
    let is_unread = |class: &str| family_of_class(class).is_none() && unread::of_class(class).is_some();
    if let Some(class) = classes.iter().find(|class| is_unread(class)) {
        return Err(refusal_of(unread::of_class(class), fields.setting("architectures"), class));
    }
    let whole = fields.text("model_type")?.unwrap_or_default();
    let halves = families::NESTED.iter().find(|nested| nested.model_type == whole).map(|nested| nested.class);
    let is_of = |class: &str| {
        let is_whole = halves.is_some_and(|name| without_framework(class).starts_with(name));
        is_whole || family_of_class(class).is_some_and(|known| known.class == family.class)
    };
    let is_of_another = |class: &&&str| family_of_class(class).is_some() && !is_of(class);
    if let Some(class) = classes.iter().find(is_of_another) {
        return Err(InputError::Conflict {
            what: fields.setting("architectures"),
            problem: phrase!(
                "class_of_another_family",
                "names {class}, which is no class of {family}, as model_type says",
                class = *class,
                family = own
            ),
            fix: phrase!("copy_config_again", "Copy config.json again from the place where the model was published."),
        });
    }
    let strange: Vec<&str> = classes.iter().copied().filter(|class| !is_of(class)).collect();
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

/// The family of a transformers class, such as `LlamaForCausalLM`: the one with the longest name that begins it, unless
/// the longer name of a family that is not read does.
fn family_of_class(class: &str) -> Option<&'static Family> {
    let len = |family: &&Family| family.class.map_or(0, str::len);
    let begins = |family: &&Family| family.class.is_some_and(|name| without_framework(class).starts_with(name));
    let found = families::ALL.iter().filter(begins).max_by_key(len)?;
    unread::of_class(class).is_none_or(|other| other.name.len() < len(&found)).then_some(found)
}

fn refusal_of(family: Option<&UnreadFamily>, found: Phrase, name: &str) -> InputError {
    let (name, reason) = family.map_or((name, unknown_reason()), |family| (family.name, family.reason()));
    unread_family(found, name, reason)
}

fn unknown_reason() -> Phrase {
    phrase!("why_unknown_family", "how its blocks compute is not known here")
}

/// The architecture that the fields describe.
fn config_of(fields: &Fields, family: &'static Family) -> Result<ModelConfig, InputError> {
    let default = ModelConfig::of_family(family);
    let SizeKeys { eps, activation, .. } = &family.sizes;
    let sizes = sizes_of(fields, default)?;
    let rope_layers = match family.rope {
        Some(RopeRule { layers: RopeLayers::Listed, .. }) => listed_layers(fields)?,
        _ => default.rope_layers,
    };
    let score_bias = bias_of(fields, &sizes)?;
    let has_rope = !matches!((family.score_bias, score_bias), (BiasRule::AlibiIf(_), ScoreBias::Alibi { .. }));
    let rope = family.rope.filter(|_| has_rope);
    let Ropes { whole: rope, local: local_rope } =
        rope.map_or(Ok(Ropes::default()), |rule| ropes_of(fields, rule, &sizes))?;
    // Where LongRoPE's factors for longer texts are missing, a window is as long as the model's first texts at most.
    let most = match rope.map(|rope| rope.stretch) {
        Some(Stretch::LongRope { longer: None, length, .. }) => length as usize,
        _ => usize::MAX,
    };
    let picture = match (family.images, default.picture) {
        (Some(rule), Some(default)) => Some(PictureSizes {
            side: fields.size(rule.size.names, default.side)?,
            patch: fields.size(rule.patch.names, default.patch)?,
            ..default
        }),
        _ => None,
    };
    let positions = picture.map_or(sizes.positions.min(most), |picture| picture.tokens());
    let sizes = ModelConfig { positions, picture, ..sizes };
    Ok(ModelConfig {
        eps: fields.number(eps.0, eps.1)?,
        activation: fields.activation(activation.0, family.activation_words, activation.1)?,
        mask: match family.mask {
            MaskRule::CausalIfDecoder if fields.flag("is_decoder", false)? => Order::Causal,
            _ => default.mask,
        },
        window: window_of(fields, family.window, rope_layers)?,
        softcap: family.softcap.map_or(Ok(None), |key| number_of(fields, key))?,
        embedding_factor: match family.embedding_factor {
            EmbeddingFactor::One => 1.0,
            EmbeddingFactor::RootOfWidth => (sizes.d as f64).sqrt(),
            EmbeddingFactor::Key(key) => number_of(fields, key)?.unwrap_or(1.0),
        },
        residual_factor: family.residual_factor.map_or(Ok(None), |key| number_of(fields, key))?.unwrap_or(1.0),
        experts: experts_of(fields, &sizes)?,
        score_bias,
        rope_layers,
        rope,
        local_rope,
        ..with_scores(fields, sizes)?
    })
}

/// The sizes of the config.
fn sizes_of(fields: &Fields, default: ModelConfig) -> Result<ModelConfig, InputError> {
    let sizes = &default.family.sizes;
    let plain = |key: SizeKey| fields.size(key.names, key.default(Wholes::NONE));
    let (d, heads, layers) = (plain(sizes.d)?, plain(sizes.heads)?, plain(sizes.layers)?);
    let key_heads = sizes.key_heads;
    let is_whole = key_heads.names.iter().any(|name| fields.is_null(name));
    let of_width = |key: SizeKey| fields.size(key.names, key.default(Wholes { d, heads, layers }));
    let is_shared_by_all = match default.family.multi_query {
        Some(key) => fields.flag(key, true)?,
        None => false,
    };
    let inner = match sizes.inner_ratio {
        Some(key) => sizes.inner.times(fields.size(&[key], 4)?),
        None => sizes.inner,
    };
    let rows = plain(sizes.positions)?;
    let (first_position, positions) = match default.family.first_position {
        FirstPosition::Zero => (0, rows),
        FirstPosition::Beyond(row) => (row, rows),
        FirstPosition::AfterPadding { id, source } => {
            const KEY: &str = "pad_token_id";
            let id = if source == PaddingSource::Config { fields.count(KEY, id)? } else { id };
            let left = rows.saturating_sub(id).saturating_sub(1);
            if left == 0 {
                let reason = phrase!("why_no_positions_left", "its positions begin after the row of the padding token");
                return Err(fields.not_supported(KEY, reason));
            }
            (rows - left, left)
        }
    };
    let has_own_width = sizes.head_dim.names.iter().any(|name| fields.get(name).is_some());
    if matches!(sizes.head_dim.default, DefaultSize::WidthOfHead) && !has_own_width && !d.is_multiple_of(heads) {
        return Err(heads_do_not_divide(heads, d));
    }
    Ok(ModelConfig {
        d,
        heads,
        layers,
        key_heads: if is_shared_by_all {
            1
        } else if is_whole {
            heads
        } else {
            of_width(key_heads)?
        },
        head_dim: of_width(sizes.head_dim)?,
        inner: of_width(inner)?,
        vocabulary: plain(sizes.vocabulary)?,
        token_types: plain(sizes.token_types)?,
        positions,
        first_position,
        embedding_width: of_width(sizes.embedding)?,
        layer_groups: of_width(sizes.groups)?,
        ..default
    })
}

/// The same config with the scores and the norms that its keys choose.
fn with_scores(fields: &Fields, config: ModelConfig) -> Result<ModelConfig, InputError> {
    match config.family.scores {
        ScoreRule::Root => Ok(config),
        ScoreRule::One => Ok(ModelConfig { score_scale: ScoreScale::One, ..config }),
        ScoreRule::Factor(key) => {
            let scale = number_of(fields, key)?.unwrap_or(1.0);
            Ok(ModelConfig { score_scale: ScoreScale::Factor(scale), ..config })
        }
        ScoreRule::RootOf(key) => {
            let square = number_of(fields, key)?.or(key.default).unwrap_or(1.0);
            Ok(ModelConfig { score_scale: ScoreScale::Factor(1.0 / square.sqrt()), ..config })
        }
        ScoreRule::Gpt2 => {
            let is_by_root = fields.flag("scale_attn_weights", true)?;
            let is_by_layer = fields.flag("scale_attn_by_inverse_layer_idx", false)?;
            let score_scale = match (is_by_root, is_by_layer) {
                (true, false) => ScoreScale::Root,
                (false, false) => ScoreScale::One,
                (true, true) => ScoreScale::RootTimesLayer,
                (false, true) => ScoreScale::Layer,
            };
            Ok(ModelConfig { score_scale, ..config })
        }
        ScoreRule::Lipscope => {
            let attention = fields.choice("attention", &[("dot", Attention::Dot), ("l2", Attention::L2)])?;
            let (none, layer) = (Normalization::None, Normalization::Layer);
            let norms = [("both", (layer, layer)), ("mlp", (none, layer)), ("none", (none, none))];
            let (attention_norm, mlp_norm) = fields.choice("layer_norms", &norms)?;
            Ok(ModelConfig { attention, attention_norm, mlp_norm, ..config })
        }
    }
}

/// A number that is in use.
fn number_of(fields: &Fields, key: NumberKey) -> Result<Option<f64>, InputError> {
    if fields.is_null(key.name) { Ok(None) } else { Ok(fields.positive(key.name)?.or(key.default)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_take_the_defaults_of_the_family() {
        assert_eq!(ModelConfig::from_json(r#"{"model_type":"gpt2"}"#), Ok(ModelConfig::gpt2()));
        assert_eq!(ModelConfig::from_json("\u{feff}{\"model_type\":\"bert\"}"), Ok(ModelConfig::bert()));
        let small = ModelConfig::from_json(r#"{"model_type":"gpt2","n_embd":8,"n_head":2,"n_inner":null}"#);
        assert_eq!(small.map(|config| (config.inner, config.head_dim)), Ok((32, 4)));
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
            (r#"{"model_type":"deberta"}"#, ["\"deberta\"", "Deberta"]),
            (r#"{"model_type":"abcdef"}"#, ["\"abcdef\"", "family that is not supported"]),
            (r#"{"model_type":"whisper"}"#, ["Whisper", "a model of speech"]),
            (r#"{"model_type":"roberta-prelayernorm"}"#, ["RobertaPreLayerNorm", "begin at 2"]),
            (r#"{"model_type":"bert","architectures":["RobertaModel"]}"#, ["architectures", "no class of Bert"]),
            (r#"{"model_type":"roberta","max_position_embeddings":2}"#, ["pad_token_id", "row of the padding token"]),
            (r#"{"model_type":"albert","inner_group_num":2}"#, ["inner_group_num", "consists of several"]),
            (r#"{"model_type":"gemma3","text_config":{"model_type":"llama"}}"#, ["text_config.model_type", "llama"]),
            (
                r#"{"model_type":"gemma3","text_config":{},"quantization_config":{"bits":4}}"#,
                ["quantization_config", "quantised"],
            ),
            (
                r#"{"model_type":"gemma3_text","rope_parameters":{"rope_theta":5}}"#,
                ["rope_parameters.rope_theta", "layers with a window"],
            ),
            (r#"{"model_type":"bert","architectures":["GPT2LMHeadModel"]}"#, ["GPT2LMHeadModel", "Bert"]),
            (r#"{"model_type":"bert","pad_token_id":1,"type_vocab_size":1}"#, ["pad_token_id", "begin at 2"]),
            (r#"{"architectures":["BartModel"]}"#, ["config.json", "model_type"]),
            (r#"{"model_type":"bert","hidden_act":"mish"}"#, ["hidden_act", "is not supported"]),
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
    fn a_model_of_two_halves_is_read_by_half() {
        let clip = r#"{"model_type":"clip","architectures":["CLIPModel"],"text_config":{"hidden_size":8,"num_attention_heads":2},
            "vision_config":{"hidden_size":16,"num_attention_heads":4,"image_size":12,"patch_size":5}"#;
        let read = |more: &str, part| ConfigFile::parse_part(&format!("{clip}{more}}}"), part);
        let text = read("", Some(Part::Text)).expect("the half of texts");
        let vision = read("", Some(Part::Vision)).expect("the half of pictures");
        assert_eq!((text.config.d, text.notes.len(), text.config.picture), (8, 0, None));
        // Two patches in a row, and the token before them.
        assert_eq!((vision.config.d, vision.notes.len(), vision.config.positions), (16, 0, 5));
        let said = |more: &str, part| read(more, part).expect_err(more).to_string();
        assert!(said("", None).contains("--part text"));
        let same = r#","vision_config_dict":{"hidden_size":16,"num_attention_heads":4,"image_size":12,"patch_size":5}"#;
        assert_eq!(read(same, Some(Part::Vision)).map(|found| found.config), Ok(vision.config));
        // What is absent from it has its default, whatever the other says.
        for other in [r#","vision_config_dict":{"hidden_size":32}"#, r#","vision_config_dict":{"hidden_size":16}"#] {
            assert!(said(other, Some(Part::Vision)).contains("vision_config_dict"), "{other}");
        }
        for (text, part, word) in [
            (r#"{"model_type":"bert"}"#, Part::Text, "one part"),
            (r#"{"model_type":"gemma3","text_config":{}}"#, Part::Vision, "`vision` is not read"),
        ] {
            let said = ConfigFile::parse_part(text, Some(part)).expect_err(text).to_string();
            assert!(said.contains(word), "{text}: {said}");
        }
        for (text, word) in [
            (r#"{"model_type":"vit","num_channels":1}"#, "num_channels"),
            (r#"{"model_type":"vit","patch_size":500}"#, "side of a patch"),
            (r#"{"model_type":"vit","image_size":[224,224]}"#, "image_size"),
            (r#"{"model_type":"vit","architectures":["ViTMAEModel"]}"#, "ViTMAE"),
            (r#"{"model_type":"dinov2","architectures":["Dinov2WithRegistersModel"]}"#, "Dinov2WithRegisters"),
        ] {
            let said = ModelConfig::from_json(text).expect_err(text).to_string();
            assert!(said.contains(word), "{text}: {said}");
        }
        let gated = ModelConfig::from_json(r#"{"model_type":"dinov2","hidden_size":1536,"use_swiglu_ffn":true}"#);
        assert_eq!(gated.map(|config| config.inner), Ok(4096));
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
