//! The architecture of a transformer: family and sizes, from `config.json` or by default.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::map_kind::MapKind;
use lipscope_core::experiment::{Attention, InputError, Mask, Normalization, limits};
use lipscope_core::experiment::{Phrase, json_problem};
use lipscope_core::phrase;

/// The supported model families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    /// BERT and MiniLM: layer norm after attention and after the feed-forward network.
    Bert,
    /// DistilBERT: BERT with other tensor names and without token types.
    DistilBert,
    /// GPT-2: layer norm before attention and before the feed-forward network; causal.
    Gpt2,
}

/// Activation function of the feed-forward network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activation {
    /// x Phi(x), with Phi the normal distribution function.
    GeluErf,
    /// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2.
    GeluTanh,
    /// max(x, 0).
    Relu,
}

/// Where a family has the layer norm of a residual connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormPlace {
    /// x + F(ln(x)), pre-norm.
    First,
    /// ln(x + F(x)), post-norm.
    Last,
}

/// The architecture of a model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// The family.
    pub family: Family,
    /// d, the width of a token.
    pub d: usize,
    /// Number of layers.
    pub layers: usize,
    /// Heads of each layer; they divide d.
    pub heads: usize,
    /// Hidden width of the feed-forward network.
    pub inner: usize,
    /// Number of token ids.
    pub vocabulary: usize,
    /// Number of token types: 2 for BERT, where plain text has type 0.
    pub token_types: usize,
    /// Number of positions, which limits the window length.
    pub positions: usize,
    /// Epsilon of the layer norms.
    pub eps: f64,
    /// Activation of the feed-forward network.
    pub activation: Activation,
    /// The scores of attention: dot products, or L2 in a model of `lipscope train`.
    pub attention: Attention,
    /// The layer norm of attention: `Layer`, or `None` in a model of `lipscope train`.
    pub attention_norm: Normalization,
    /// The layer norm of the feed-forward network, likewise.
    pub mlp_norm: Normalization,
}

/// The most layers; far above existing models.
const MAX_LAYERS: usize = 1_024;
/// The most tokens or positions; far above existing models.
const MAX_ROWS: usize = 16_777_216;

impl ModelConfig {
    /// GPT-2's default: d 768, 12 layers, 12 heads.
    #[must_use]
    pub fn gpt2() -> Self {
        ModelConfig {
            family: Family::Gpt2,
            d: 768,
            layers: 12,
            heads: 12,
            inner: 3_072,
            vocabulary: 50_257,
            token_types: 1,
            positions: 1_024,
            eps: 1e-5,
            activation: Activation::GeluTanh,
            attention: Attention::Dot,
            attention_norm: Normalization::Layer,
            mlp_norm: Normalization::Layer,
        }
    }

    /// BERT's default: d 768, 12 layers, 12 heads.
    #[must_use]
    pub fn bert() -> Self {
        ModelConfig {
            family: Family::Bert,
            vocabulary: 30_522,
            token_types: 2,
            positions: 512,
            eps: 1e-12,
            activation: Activation::GeluErf,
            ..ModelConfig::gpt2()
        }
    }

    /// The same family with another width, depth and number of heads; the feed-forward network is four times as wide.
    ///
    /// # Errors
    /// [`InputError`] if the sizes are out of range or `heads` does not divide `d`.
    pub fn resized(self, d: usize, layers: usize, heads: usize) -> Result<Self, InputError> {
        ModelConfig { d, layers, heads, inner: d.saturating_mul(4), ..self }.checked()
    }

    /// Reads a `config.json`.
    ///
    /// # Errors
    /// [`InputError`] that names the field: another architecture, or a missing or invalid size.
    pub fn from_json(text: &str) -> Result<Self, InputError> {
        let value: Value = serde_json::from_str(text).map_err(|error| InputError::File {
            file: "config.json".into(),
            problem: phrase!("not_valid_json", "it is not valid JSON ({detail})", detail = json_problem(&error)),
            fix: phrase!("give_config_json_lies", "Give the config.json that lies beside the model's weights."),
        })?;
        let Value::Object(fields) = value else {
            let whole = phrase!("whole_config", "config.json as a whole");
            return Err(InputError::bad_value(whole, value.to_string(), phrase!("json_object", "a JSON object")));
        };
        let fields = Fields(fields);
        match fields.text("model_type")?.unwrap_or_default() {
            "gpt2" => gpt2_from(&fields),
            "lipscope" => lipscope_from(&fields),
            "bert" => bert_from(&fields),
            "distilbert" => distilbert_from(&fields),
            "" => Err(InputError::MissingKey {
                key: key("model_type"),
                expected: phrase!(
                    "bert_minilm_too_distilbert",
                    "\"bert\" (MiniLM too), \"distilbert\", \"gpt2\" or \"lipscope\""
                ),
            }),
            _ => Err(bad(
                "model_type",
                &fields.0["model_type"],
                phrase!(
                    "bert_minilm_too_distilbert",
                    "\"bert\" (MiniLM too), \"distilbert\", \"gpt2\" or \"lipscope\""
                ),
            )),
        }?
        .checked()
    }

    /// The key dimension k of a head.
    #[must_use]
    pub fn head_dim(&self) -> usize {
        self.d / self.heads
    }

    /// The mask with which the family is trained.
    #[must_use]
    pub fn usual_mask(&self) -> Mask {
        match self.family {
            Family::Gpt2 => Mask::Causal,
            Family::Bert | Family::DistilBert => Mask::None,
        }
    }

    /// Where the family has its layer norms.
    #[must_use]
    pub fn norm_place(&self) -> NormPlace {
        match self.family {
            Family::Gpt2 => NormPlace::First,
            Family::Bert | Family::DistilBert => NormPlace::Last,
        }
    }

    /// The output of the family's attention module in \[C\]'s script: for GPT-2 it includes the output matrix.
    #[must_use]
    pub fn usual_map(&self) -> MapKind {
        match self.family {
            Family::Gpt2 => MapKind::WithOutput,
            Family::Bert | Family::DistilBert => MapKind::Attention,
        }
    }

    fn checked(self) -> Result<Self, InputError> {
        let sizes = [
            (phrase!("model_width", "width d"), self.d, limits::MAX_DIM),
            (phrase!("model_layers", "layers"), self.layers, MAX_LAYERS),
            (phrase!("model_heads", "heads"), self.heads, limits::MAX_HEADS),
            (phrase!("model_inner_width", "feed-forward width"), self.inner, 8 * limits::MAX_DIM),
            (phrase!("model_vocabulary", "vocabulary"), self.vocabulary, MAX_ROWS),
            (phrase!("model_token_types", "token types"), self.token_types, MAX_ROWS),
            (phrase!("model_positions", "positions"), self.positions, MAX_ROWS),
        ];
        for (what, found, most) in sizes {
            if !(1..=most).contains(&found) {
                return Err(InputError::BadValue {
                    key: phrase!("model_size", "The model's {what}", what = what),
                    found: found.to_string().into(),
                    expected: phrase!("from_1", "from 1 to {most}", most = most),
                });
            }
        }
        if !self.d.is_multiple_of(self.heads) {
            return Err(InputError::BadValue {
                key: phrase!("model_size", "The model's {what}", what = phrase!("model_heads", "heads")),
                found: self.heads.to_string().into(),
                expected: phrase!("divisor_width", "a divisor of its width, {width}", width = self.d),
            });
        }
        if !(self.eps.is_finite() && self.eps >= 0.0) {
            return Err(InputError::BadValue {
                key: phrase!("model_size", "The model's {what}", what = phrase!("model_eps", "layer norm eps")),
                found: self.eps.to_string().into(),
                expected: phrase!("number_0_more", "a number, 0 or more"),
            });
        }
        Ok(self)
    }
}

fn gpt2_from(fields: &Fields) -> Result<ModelConfig, InputError> {
    fields.only("scale_attn_weights", &Value::Bool(true))?;
    fields.only("scale_attn_by_inverse_layer_idx", &Value::Bool(false))?;
    let default = ModelConfig::gpt2();
    let d = fields.size("n_embd", default.d)?;
    Ok(ModelConfig {
        d,
        layers: fields.size("n_layer", default.layers)?,
        heads: fields.size("n_head", default.heads)?,
        inner: fields.size("n_inner", d.saturating_mul(4))?,
        vocabulary: fields.size("vocab_size", default.vocabulary)?,
        positions: fields.size("n_positions", default.positions)?,
        eps: fields.number("layer_norm_epsilon", default.eps)?,
        activation: fields.activation("activation_function", default.activation)?,
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
    fields.only("position_embedding_type", &Value::from("absolute"))?;
    let default = ModelConfig::bert();
    Ok(ModelConfig {
        d: fields.size("hidden_size", default.d)?,
        layers: fields.size("num_hidden_layers", default.layers)?,
        heads: fields.size("num_attention_heads", default.heads)?,
        inner: fields.size("intermediate_size", default.inner)?,
        vocabulary: fields.size("vocab_size", default.vocabulary)?,
        token_types: fields.size("type_vocab_size", default.token_types)?,
        positions: fields.size("max_position_embeddings", default.positions)?,
        eps: fields.number("layer_norm_eps", default.eps)?,
        activation: fields.activation("hidden_act", default.activation)?,
        ..default
    })
}

fn distilbert_from(fields: &Fields) -> Result<ModelConfig, InputError> {
    let default = ModelConfig::bert();
    Ok(ModelConfig {
        family: Family::DistilBert,
        d: fields.size("dim", default.d)?,
        layers: fields.size("n_layers", 6)?,
        heads: fields.size("n_heads", default.heads)?,
        inner: fields.size("hidden_dim", default.inner)?,
        vocabulary: fields.size("vocab_size", default.vocabulary)?,
        positions: fields.size("max_position_embeddings", default.positions)?,
        activation: fields.activation("activation", default.activation)?,
        ..default
    })
}

/// The fields of a `config.json`; absent ones take the family's defaults.
struct Fields(Map<String, Value>);

impl Fields {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&str>, InputError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| bad(name, value, phrase!("any_text", "a text"))),
        }
    }

    fn size(&self, name: &str, default: usize) -> Result<usize, InputError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let size = value.as_u64().and_then(|size| usize::try_from(size).ok());
        size.filter(|size| *size > 0)
            .ok_or_else(|| bad(name, value, phrase!("whole_number_least_1", "a whole number of at least 1")))
    }

    fn number(&self, name: &str, default: f64) -> Result<f64, InputError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        value.as_f64().ok_or_else(|| bad(name, value, phrase!("any_number", "a number")))
    }

    /// One of some words, which has to be there.
    fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, InputError> {
        let words: Vec<String> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let expected = phrase!("one_of_words", "one of {words}", words = words.join(", "));
        let Some(found) = self.text(name)? else { return Err(InputError::MissingKey { key: key(name), expected }) };
        let chosen = choices.iter().find(|(word, _)| *word == found);
        chosen.map(|(_, choice)| *choice).ok_or_else(|| bad(name, &self.0[name], expected))
    }

    fn activation(&self, name: &str, default: Activation) -> Result<Activation, InputError> {
        match self.text(name)? {
            None => Ok(default),
            Some("gelu") => Ok(Activation::GeluErf),
            Some("gelu_new" | "gelu_pytorch_tanh" | "gelu_fast") => Ok(Activation::GeluTanh),
            Some("relu") => Ok(Activation::Relu),
            Some(_) => {
                Err(bad(name, &self.0[name], phrase!("gelu_gelu_new_relu", "\"gelu\", \"gelu_new\" or \"relu\"")))
            }
        }
    }

    /// Rejects a field that changes attention in a way that is not implemented.
    fn only(&self, name: &str, expected: &Value) -> Result<(), InputError> {
        match self.get(name) {
            Some(value) if value != expected => Err(bad(name, value, expected.to_string())),
            _ => Ok(()),
        }
    }
}

fn key(name: &str) -> String {
    format!("config.json: {name}")
}

fn bad(name: &str, value: &Value, expected: impl Into<Phrase>) -> InputError {
    InputError::bad_value(key(name), value.to_string(), expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_take_the_defaults_of_the_family() {
        assert_eq!(ModelConfig::from_json(r#"{"model_type":"gpt2"}"#), Ok(ModelConfig::gpt2()));
        assert_eq!(ModelConfig::from_json(r#"{"model_type":"bert"}"#), Ok(ModelConfig::bert()));
        let small = ModelConfig::from_json(r#"{"model_type":"gpt2","n_embd":8,"n_head":2,"n_inner":null}"#);
        assert_eq!(small.map(|config| (config.inner, config.head_dim())), Ok((32, 4)));
    }

    #[test]
    fn errors_name_the_invalid_field() {
        for (text, word) in [
            (r#"{"model_type":"llama"}"#, "model_type"),
            (r#"{"n_embd":8}"#, "model_type"),
            (r#"{"model_type":7}"#, "model_type"),
            ("[1]", "config.json"),
            ("{", "config.json"),
            (r#"{"model_type":"gpt2","n_embd":-8}"#, "n_embd"),
            (r#"{"model_type":"gpt2","n_embd":10,"n_head":3}"#, "heads"),
            (r#"{"model_type":"gpt2","n_embd":1000000,"n_head":1}"#, "width"),
            (r#"{"model_type":"lipscope"}"#, "attention"),
            (r#"{"model_type":"lipscope","attention":"l1"}"#, "\"dot\", \"l2\""),
            (r#"{"model_type":"lipscope","attention":"l2","layer_norms":true}"#, "layer_norms"),
            (r#"{"model_type":"bert","hidden_act":"swish"}"#, "hidden_act"),
            (r#"{"model_type":"bert","position_embedding_type":"relative_key"}"#, "position_embedding_type"),
            (r#"{"model_type":"gpt2","scale_attn_by_inverse_layer_idx":true}"#, "scale_attn_by_inverse_layer_idx"),
        ] {
            let problem = ModelConfig::from_json(text).expect_err(text).to_string();
            assert!(problem.contains(word), "{text}: {problem}");
        }
    }
}
