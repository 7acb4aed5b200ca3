//! The architecture of a transformer: family and sizes. `config_file` reads it from a `config.json`.

use serde::{Deserialize, Serialize};

use super::map_kind::MapKind;
use lipscope_core::experiment::{Attention, InputError, Normalization, Order, limits};
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

/// The divisor of the scores q.k of a layer's attention before softmax; GPT-2's config can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScoreScale {
    /// sqrt(k), with k the width of a head: usual.
    Root,
    /// 1: `scale_attn_weights` is false.
    One,
    /// sqrt(k) (layer + 1): `scale_attn_by_inverse_layer_idx` is true.
    RootTimesLayer,
    /// layer + 1: both settings.
    Layer,
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
    /// Number of heads of each layer, a divisor of d.
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
    /// The divisor of the scores.
    pub score_scale: ScoreScale,
    /// The mask that the model has by default.
    pub mask: Order,
    /// The layer norm of attention: `Layer`, or `None` in a model of `lipscope train`.
    pub attention_norm: Normalization,
    /// The layer norm of the feed-forward network, likewise.
    pub mlp_norm: Normalization,
}

/// The most layers; far above existing models.
const MAX_LAYERS: usize = 1_024;
/// The most token ids, token types or positions; far above existing models.
const MAX_ROWS: usize = 16_777_216;

impl Family {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Family::Bert => "BERT",
            Family::DistilBert => "DistilBERT",
            Family::Gpt2 => "GPT-2",
        }
    }
}

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
            score_scale: ScoreScale::Root,
            mask: Order::Causal,
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
            mask: Order::Free,
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

    /// The key dimension k of a head.
    #[must_use]
    pub fn head_dim(&self) -> usize {
        self.d / self.heads
    }

    /// The engine divides q.k by sqrt(k). With this factor on the queries of a layer, it computes the model's scores.
    #[must_use]
    pub fn query_factor(&self, layer: usize) -> f64 {
        let (root, number) = ((self.head_dim() as f64).sqrt(), (layer + 1) as f64);
        match self.score_scale {
            ScoreScale::Root => 1.0,
            ScoreScale::One => root,
            ScoreScale::RootTimesLayer => 1.0 / number,
            ScoreScale::Layer => root / number,
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

    /// The map that \[C\]'s script measures: the output of the family's attention module. For GPT-2 this includes the
    /// output matrix.
    #[must_use]
    pub fn usual_map(&self) -> MapKind {
        match self.family {
            Family::Gpt2 => MapKind::WithOutput,
            Family::Bert | Family::DistilBert => MapKind::Attention,
        }
    }

    pub(super) fn checked(self) -> Result<Self, InputError> {
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
