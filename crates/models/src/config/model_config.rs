//! The architecture of a transformer: family and sizes. `file` reads it from a `config.json`.

use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::activation::Activation;
use super::families::{BERT, GPT2, LLAMA, of_id};
use super::family::{
    BiasRule, BlockShape, DefaultSize, EmbeddingProjection, Family, FirstPosition, MaskRule, MlpNames, NormScope,
    Presence, Projected, SizeKey, UnitRule,
};
use super::layer_set::{LayerSet, MAX_LAYERS};
use super::map_kind::MapKind;
use super::rope::Rope;
use super::score_bias::ScoreBias;
use lipscope_core::attention::HeadSizes;
use lipscope_core::experiment::{Attention, InputError, Normalization, Order, Phrase, limits};
use lipscope_core::phrase;

/// The divisor of the scores q.k of a layer's attention before softmax; GPT-2's config can choose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ScoreScale {
    /// sqrt(k), with k the width of a head: usual.
    Root,
    /// 1: `scale_attn_weights` is false.
    One,
    /// sqrt(k) (layer + 1): `scale_attn_by_inverse_layer_idx` is true.
    RootTimesLayer,
    /// layer + 1: both settings.
    Layer,
    /// 1/c: the scores are c q.k, with c in the config.
    Factor(f64),
}

/// The architecture of a model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// The family; as text its `model_type`.
    #[serde(serialize_with = "write_family", deserialize_with = "read_family")]
    pub family: &'static Family,
    /// d, the width of a token.
    pub d: usize,
    /// Number of layers.
    pub layers: usize,
    /// H, the number of heads of each layer.
    pub heads: usize,
    /// G, the number of groups of heads that share keys and values, a divisor of H.
    pub key_heads: usize,
    /// k, the number of entries of a head; H k may differ from d.
    pub head_dim: usize,
    /// Hidden width of the feed-forward network.
    pub inner: usize,
    /// Number of token ids.
    pub vocabulary: usize,
    /// Number of token types: 2 for BERT, where plain text has type 0.
    pub token_types: usize,
    /// Number of positions, which limits the window length.
    pub positions: usize,
    /// The row of the table of positions that the first token of a window has.
    pub first_position: usize,
    /// The width of the embeddings; a linear map brings another one to d.
    pub embedding_width: usize,
    /// How many groups of layers have weights of their own; below the number of layers, layers share them.
    pub layer_groups: usize,
    /// For a model of pictures: how many tokens one has.
    pub picture: Option<PictureSizes>,
    /// Epsilon of the norms.
    pub eps: f64,
    /// Activation of the feed-forward network.
    pub activation: Activation,
    /// The scores of attention: dot products, or L2 in a model of `lipscope train`.
    pub attention: Attention,
    /// The divisor of the scores.
    pub score_scale: ScoreScale,
    /// The mask that the model has by default.
    pub mask: Order,
    /// The norm of attention: `Layer`, `Rms`, or `None` in a model of `lipscope train`.
    pub attention_norm: Normalization,
    /// The norm of the feed-forward network, likewise.
    pub mlp_norm: Normalization,
    /// tau of the soft cap s <- tau tanh(s/tau) of the scores.
    pub softcap: Option<f64>,
    /// The experts of layers whose MLP is not one network for all tokens.
    pub experts: Option<ExpertSizes>,
    /// What is added to the scores.
    pub score_bias: ScoreBias,
    /// What word embeddings are multiplied by.
    pub embedding_factor: f64,
    /// What the outputs of attention and of the MLP are multiplied by before they are added.
    pub residual_factor: f64,
    /// Rotary positions.
    pub rope: Option<Rope>,
    /// Other rotary positions of the layers with a window.
    pub local_rope: Option<Rope>,
    /// The layers that have them.
    pub rope_layers: LayerSet,
    /// The window of attention.
    pub window: Option<AttentionWindow>,
}

/// How many tokens a picture has in a model of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureSizes {
    /// The side of a picture in pixels.
    pub side: usize,
    /// The side of a patch in pixels.
    pub patch: usize,
    /// The tokens before the patches.
    pub first: usize,
}

/// The experts of a model: networks of which a token chooses some.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpertSizes {
    /// How many there are.
    pub count: usize,
    /// How many a token chooses: those with the largest logits of the router.
    pub chosen: usize,
    /// The hidden width of each.
    pub inner: usize,
    /// What their outputs are multiplied by.
    pub shares: Shares,
    /// How their two halves meet.
    pub unit: Unit,
    /// The layers that have them; the others have one network.
    pub layers: LayerSet,
}

/// What the outputs of the chosen experts are multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shares {
    /// Softmax over the chosen ones.
    OfChosen,
    /// Softmax over all, so that they sum to less than 1.
    OfAll,
}

/// How the gate a and the other half b of a network meet.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Unit {
    /// g(a) b.
    Plain,
    /// a sigma(alpha a) (b + 1), with a cut off at the limit from above and b on both sides.
    Cut {
        /// alpha.
        alpha: f64,
        /// The limit.
        limit: f64,
    },
}

/// Layers whose tokens see only the tokens near them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionWindow {
    /// w: token i sees token j where |i - j| < w.
    pub width: usize,
    /// The layers.
    pub layers: LayerSet,
}

/// The most token ids, token types or positions; far above existing models.
const MAX_ROWS: usize = 16_777_216;
/// The longest side of a picture in pixels, likewise.
const MOST_SIDE: usize = 16_384;
/// The most experts of a layer; far above existing models.
const MAX_EXPERTS: usize = 16_384;

impl ModelConfig {
    /// GPT-2's default: d 768, 12 layers, 12 heads.
    #[must_use]
    pub fn gpt2() -> Self {
        ModelConfig::of_family(&GPT2)
    }

    /// BERT's default: d 768, 12 layers, 12 heads.
    #[must_use]
    pub fn bert() -> Self {
        ModelConfig::of_family(&BERT)
    }

    /// Llama's default: d 4096, 32 layers, 32 heads.
    #[must_use]
    pub fn llama() -> Self {
        ModelConfig::of_family(&LLAMA)
    }

    /// The default of a family.
    pub(crate) fn of_family(family: &'static Family) -> Self {
        let sizes = &family.sizes;
        let whole = Wholes { d: sizes.d.default(Wholes::NONE), ..Wholes::NONE };
        let whole = Wholes { heads: sizes.heads.default(whole), layers: sizes.layers.default(whole), ..whole };
        let Wholes { d, heads, .. } = whole;
        let default = |key: SizeKey| key.default(whole);
        let first_position = match family.first_position {
            FirstPosition::Zero => 0,
            FirstPosition::AfterPadding { id, .. } => id + 1,
            FirstPosition::Beyond(row) => row,
        };
        let head_dim = default(sizes.head_dim);
        let picture = family.images.map(|rule| PictureSizes {
            side: default(rule.size),
            patch: default(rule.patch),
            first: rule.first.len(),
        });
        ModelConfig {
            family,
            d,
            layers: default(sizes.layers),
            heads,
            key_heads: if family.multi_query.is_some() { 1 } else { default(sizes.key_heads) },
            head_dim,
            inner: default(sizes.inner),
            vocabulary: default(sizes.vocabulary),
            token_types: default(sizes.token_types),
            positions: match (picture, family.first_position) {
                (Some(picture), _) => picture.tokens(),
                (None, FirstPosition::AfterPadding { .. }) => default(sizes.positions).saturating_sub(first_position),
                (None, _) => default(sizes.positions),
            },
            first_position,
            embedding_width: default(sizes.embedding),
            layer_groups: default(sizes.groups),
            picture,
            eps: sizes.eps.1,
            activation: sizes.activation.1,
            attention: Attention::Dot,
            score_scale: ScoreScale::Root,
            mask: if family.mask == MaskRule::Causal { Order::Causal } else { Order::Free },
            attention_norm: family.normalization,
            mlp_norm: family.normalization,
            softcap: family.softcap.and_then(|key| key.default),
            experts: family.experts.map(|rule| ExpertSizes {
                count: default(rule.count),
                chosen: default(rule.chosen),
                inner: default(rule.inner),
                shares: Shares::OfChosen,
                unit: match rule.unit {
                    UnitRule::Plain => Unit::Plain,
                    UnitRule::Cut { alpha, limit } => Unit::Cut { alpha: alpha.1, limit: limit.1 },
                },
                layers: LayerSet::of(|_| true),
            }),
            score_bias: match family.score_bias {
                BiasRule::None | BiasRule::AlibiIf(_) => ScoreBias::None,
                BiasRule::Alibi => ScoreBias::Alibi { factor: 1.0 },
                BiasRule::Table { rows, buckets, distance, .. } => {
                    ScoreBias::Table { rows: rows.1, buckets: buckets.unwrap_or(rows.1), distance: distance.1 }
                }
            },
            embedding_factor: 1.0,
            residual_factor: 1.0,
            rope: family.rope.map(|rule| rule.default_rope(head_dim)),
            local_rope: family.rope.and_then(|rule| rule.default_local(head_dim)),
            rope_layers: LayerSet::of(|_| true),
            window: None,
        }
    }

    /// The same family with another width, depth and number of heads, each with its own keys and values; the
    /// feed-forward network is four times as wide.
    ///
    /// # Errors
    /// [`InputError`] if the sizes are out of range or `heads` does not divide `d`.
    pub fn resized(self, d: usize, layers: usize, heads: usize) -> Result<Self, InputError> {
        if heads > 0 && !d.is_multiple_of(heads) {
            return Err(heads_do_not_divide(heads, d));
        }
        let head_dim = d / heads.max(1);
        let rope = self.rope.map(|rope| Rope { rotary_dim: head_dim, ..rope });
        let inner = d.saturating_mul(4);
        let wide = ModelConfig { embedding_width: d, layer_groups: layers, ..self };
        ModelConfig { d, layers, heads, key_heads: heads, head_dim, inner, rope, ..wide }.checked()
    }

    /// H, G and k as the engine takes them.
    #[must_use]
    pub fn head_sizes(&self) -> HeadSizes {
        HeadSizes { heads: self.heads, groups: self.key_heads, k: self.head_dim }
    }

    /// How many numbers the matrices of a layer's attention have; saturates.
    pub(crate) fn numbers_of_attention(&self) -> usize {
        let of_heads = 2 * (self.heads.saturating_add(self.key_heads));
        of_heads.saturating_mul(self.head_dim).saturating_mul(self.d)
    }

    /// How many numbers the matrices of a layer's MLP have; saturates.
    pub(crate) fn numbers_of_mlp(&self) -> usize {
        let matrices = if self.has_gate() { 3 } else { 2 };
        let dense = self.inner.saturating_mul(matrices).saturating_mul(self.d);
        let of_experts = |experts: ExpertSizes| {
            experts.inner.saturating_mul(3).saturating_add(1).saturating_mul(self.d).saturating_mul(experts.count)
        };
        self.experts.map_or(dense, |experts| of_experts(experts).max(dense))
    }

    /// The hidden width of the networks that a token goes through together.
    pub(crate) fn inner_of_token(&self) -> usize {
        self.experts.map_or(self.inner, |experts| experts.inner.saturating_mul(experts.chosen).max(self.inner))
    }

    /// The experts of a layer, if it has some.
    #[must_use]
    pub fn experts_of(&self, layer: usize) -> Option<ExpertSizes> {
        self.experts.filter(|experts| experts.layers.has(layer))
    }

    /// Whether the MLP has a gate.
    pub(crate) fn has_gate(&self) -> bool {
        !matches!(self.family.mlp, MlpNames::Plain { .. })
    }

    /// The width of a layer's window, if it has one.
    #[must_use]
    pub fn window_of(&self, layer: usize) -> Option<usize> {
        self.window.filter(|window| window.layers.has(layer)).map(|window| window.width)
    }

    /// How attention and the MLP of a layer follow each other.
    #[must_use]
    pub fn block_shape(&self) -> BlockShape {
        self.family.block
    }

    /// The group of a layer: layers of a group share their weights.
    pub(crate) fn group_of_layer(&self, layer: usize) -> usize {
        layer * self.layer_groups / self.layers.max(1)
    }

    /// The rotary positions of a layer, if it has some.
    #[must_use]
    pub fn rope_of(&self, layer: usize) -> Option<Rope> {
        let of_window = self.local_rope.filter(|_| self.window_of(layer).is_some());
        of_window.or(self.rope).filter(|_| self.rope_layers.has(layer))
    }

    /// Whether a norm takes all queries of a token together.
    pub(crate) fn has_wide_norm(&self) -> bool {
        self.family.qk_norm.is_some_and(|names| names.scope == NormScope::AllHeads)
    }

    /// What brings the embeddings to width d, where the model has it.
    pub(crate) fn embedding_projection(&self) -> Option<EmbeddingProjection> {
        let projection = self.family.embeddings.projection;
        projection.filter(|of| of.presence == Presence::Always || self.embedding_width != self.d)
    }

    /// The width of the positions' and types' embeddings, and of the norm after them.
    pub(crate) fn sum_width(&self) -> usize {
        match self.family.embeddings.projection {
            Some(projection) if projection.of == Projected::Words => self.d,
            _ => self.embedding_width,
        }
    }

    /// The id of the padding token, where a padding token in a window has a position of its own.
    pub(crate) fn padding(&self) -> Option<usize> {
        let is_counted = matches!(self.family.first_position, FirstPosition::AfterPadding { .. });
        is_counted.then(|| self.first_position - 1)
    }

    /// Whether attention is softmax of plain scores of heads that share nothing, as in BERT and GPT-2.
    #[must_use]
    pub fn has_plain_attention(&self) -> bool {
        self.rope.is_none()
            && self.score_bias == ScoreBias::None
            && self.family.sinks.is_none()
            && self.window.is_none()
            && self.softcap.is_none()
            && self.given_scale().is_none()
            && self.family.qk_norm.is_none()
            && self.key_heads == self.heads
    }

    /// c, where the config gives the scores as c q.k. A factor on the queries would vanish in their norm.
    pub(crate) fn given_scale(&self) -> Option<f64> {
        match self.score_scale {
            ScoreScale::Factor(scale) => Some(scale),
            _ => None,
        }
    }

    /// Unless the config gives their scale, the engine divides q.k by sqrt(k). With this factor on the queries of a layer,
    /// it computes the model's scores.
    #[must_use]
    pub fn query_factor(&self, layer: usize) -> f64 {
        let (root, number) = ((self.head_dim as f64).sqrt(), (layer + 1) as f64);
        match self.score_scale {
            ScoreScale::Root | ScoreScale::Factor(_) => 1.0,
            ScoreScale::One => root,
            ScoreScale::RootTimesLayer => 1.0 / number,
            ScoreScale::Layer => root / number,
        }
    }

    /// What the products of a layer's queries and keys are multiplied by: 1/sqrt(k) in most models.
    pub(crate) fn score_factor(&self, layer: usize) -> f64 {
        self.given_scale().unwrap_or_else(|| self.query_factor(layer) / (self.head_dim as f64).sqrt())
    }

    /// Whether queries and keys are normalised.
    pub(crate) fn has_qk_norm(&self) -> bool {
        self.family.qk_norm.is_some()
    }

    /// The map that \[C\]'s script measures: the output of the family's attention module. For all but BERT and its kin
    /// this includes the output matrix.
    #[must_use]
    pub fn default_map(&self) -> MapKind {
        self.family.default_map
    }

    pub(crate) fn checked(self) -> Result<Self, InputError> {
        let mut sizes = vec![
            (phrase!("model_width", "width d"), self.d, limits::MAX_DIM),
            (phrase!("model_layers", "layers"), self.layers, MAX_LAYERS),
            (phrase!("model_heads", "heads"), self.heads, limits::MAX_HEADS),
            (phrase!("model_head_width", "width of a head"), self.head_dim, limits::MAX_DIM),
            (phrase!("model_inner_width", "feed-forward width"), self.inner, 8 * limits::MAX_DIM),
            (phrase!("model_vocabulary", "vocabulary"), self.vocabulary, MAX_ROWS),
            (phrase!("model_token_types", "token types"), self.token_types, MAX_ROWS),
            (phrase!("model_positions", "positions"), self.positions, MAX_ROWS),
            (phrase!("model_embedding_width", "width of the embeddings"), self.embedding_width, limits::MAX_DIM),
            (phrase!("model_layer_groups", "groups of layers"), self.layer_groups, self.layers),
        ];
        if let Some(ExpertSizes { count, chosen, inner, .. }) = self.experts {
            sizes.extend([
                (phrase!("model_experts", "experts"), count, MAX_EXPERTS),
                (phrase!("model_chosen", "experts of a token"), chosen, count),
                (phrase!("model_inner_width", "feed-forward width"), inner, 8 * limits::MAX_DIM),
            ]);
        }
        if let Some(PictureSizes { side, patch, .. }) = self.picture {
            sizes.extend([
                (phrase!("model_picture_side", "side of an image"), side, MOST_SIDE),
                (phrase!("model_patch_side", "side of a patch"), patch, side),
            ]);
        }
        for (what, found, most) in sizes {
            if !(1..=most).contains(&found) {
                return Err(bad_size(what, found, phrase!("from_1", "from 1 to {most}", most = most)));
            }
        }
        if self.key_heads == 0 || !self.heads.is_multiple_of(self.key_heads) {
            return Err(bad_size(
                phrase!("model_key_heads", "heads of keys and values"),
                self.key_heads,
                phrase!("divisor_heads", "a divisor of the number of its heads, {heads}", heads = self.heads),
            ));
        }
        self.score_bias.check()?;
        let ropes = [self.rope, self.local_rope].into_iter().flatten();
        if let Some(rope) =
            ropes.into_iter().find(|rope| !rope.rotary_dim.is_multiple_of(2) || rope.rotary_dim > self.head_dim)
        {
            return Err(InputError::BadValue {
                key: phrase!("model_turned", "The number of entries of a head that turn with the position"),
                found: rope.rotary_dim.to_string().into(),
                expected: phrase!(
                    "even_and_at_most",
                    "an even number of at most {most}, the width of a head",
                    most = self.head_dim
                ),
            });
        }
        if !(self.eps.is_finite() && self.eps >= 0.0) {
            let expected = phrase!("number_0_more", "a number, 0 or more");
            return Err(bad_size(phrase!("model_eps", "layer norm eps"), self.eps, expected));
        }
        Ok(self)
    }
}

/// The refusal of heads that do not share the width evenly.
pub(crate) fn heads_do_not_divide(heads: usize, width: usize) -> InputError {
    let expected = phrase!("divisor_width", "a divisor of its width, {width}", width = width);
    bad_size(phrase!("model_heads", "heads"), heads, expected)
}

/// The refusal of a size.
pub(crate) fn bad_size(what: Phrase, found: impl ToString, expected: Phrase) -> InputError {
    InputError::BadValue {
        key: phrase!("model_size", "The model's {what}", what = what),
        found: found.to_string().into(),
        expected,
    }
}

impl PictureSizes {
    /// How many patches stand in a row, and how many rows there are. What is left of a picture at the right and at the
    /// bottom belongs to no patch.
    #[must_use]
    pub fn patches_in_row(&self) -> usize {
        self.side / self.patch.max(1)
    }

    /// How many tokens a picture has.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.patches_in_row().saturating_pow(2).saturating_add(self.first)
    }
}

/// The sizes on which defaults of other sizes depend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wholes {
    pub(crate) d: usize,
    pub(crate) heads: usize,
    pub(crate) layers: usize,
}

impl Wholes {
    /// For a size that depends on none.
    pub(crate) const NONE: Self = Wholes { d: 0, heads: 0, layers: 0 };
}

impl SizeKey {
    /// With another factor in its default.
    pub(crate) fn times(self, factor: usize) -> Self {
        let default = match self.default {
            DefaultSize::Widths(_) => DefaultSize::Widths(factor),
            DefaultSize::GatedWidths(_) => DefaultSize::GatedWidths(factor),
            other => other,
        };
        SizeKey { default, ..self }
    }

    /// The default in a model of these sizes.
    pub(crate) fn default(&self, Wholes { d, heads, layers }: Wholes) -> usize {
        match self.default {
            DefaultSize::Number(number) => number,
            DefaultSize::Widths(factor) => d.saturating_mul(factor),
            DefaultSize::GatedWidths(factor) => (d.saturating_mul(2).saturating_mul(factor) / 3).div_ceil(8) * 8,
            DefaultSize::Heads => heads,
            DefaultSize::WidthOfHead => d / heads.max(1),
            DefaultSize::Layers => layers,
            DefaultSize::Unlimited => MAX_ROWS,
        }
    }
}

fn write_family<S: Serializer>(family: &&'static Family, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&family.id())
}

fn read_family<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Family, D::Error> {
    let id = String::deserialize(deserializer)?;
    of_id(&id).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&id), &"model_type"))
}
