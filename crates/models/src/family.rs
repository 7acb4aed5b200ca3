//! A family of models as a table: how its tensors are named, where its norms stand, which keys of `config.json` say its
//! sizes, and what they are by default. The families themselves are in `families`.

use super::activation::Activation;
use super::config_keys::KeyUse;
use super::map_kind::MapKind;
use super::residual::Residual;
use super::safetensors::Layout;
use lipscope_core::experiment::{Normalization, RopeLayout};

/// A family of models.
#[derive(Debug)]
pub struct Family {
    /// `model_type` in its configs.
    pub(super) model_type: &'static str,
    pub(super) name: &'static str,
    /// How transformers' classes of the family begin; `None` where configs name no class.
    pub(super) class: Option<&'static str>,
    pub(super) embeddings: EmbeddingNames,
    /// The name of a layer, before its number.
    pub(super) layer: &'static str,
    pub(super) projections: ProjectionNames,
    /// The output matrix of attention.
    pub(super) output: &'static str,
    /// The gains of the norms of queries and keys, each for the k entries of a head.
    pub(super) qk_norm: Option<[&'static str; 2]>,
    pub(super) attention_norms: Residual<&'static str>,
    pub(super) mlp: MlpNames,
    pub(super) mlp_norms: Residual<&'static str>,
    pub(super) normalization: Normalization,
    pub(super) gains: GainRule,
    pub(super) embedding_factor: EmbeddingFactor,
    /// What the outputs of attention and of the MLP are multiplied by before they are added; 1 without a key.
    pub(super) residual_factor: Option<NumberKey>,
    /// tau of the soft cap of scores.
    pub(super) softcap: Option<NumberKey>,
    /// How matrices lie in the files, unless their shapes say otherwise.
    pub(super) layout: Layout,
    pub(super) biases: Biases,
    pub(super) sizes: SizeKeys,
    /// What each key of the config does.
    pub(super) keys: &'static [&'static [(&'static str, KeyUse)]],
    pub(super) scores: ScoreRule,
    pub(super) mask: MaskRule,
    pub(super) window: WindowRule,
    pub(super) rope: Option<RopeRule>,
    pub(super) initial: Initial,
    /// The map that is measured by default.
    pub(super) usual_map: MapKind,
}

/// The names of the embeddings' tensors.
#[derive(Clone, Copy, Debug)]
pub(super) struct EmbeddingNames {
    pub(super) words: &'static str,
    /// `None` where positions enter in the layers.
    pub(super) positions: Option<&'static str>,
    pub(super) kinds: Option<&'static str>,
    /// The norm after the sum.
    pub(super) norm: Option<&'static str>,
}

/// The tensors of queries, keys and values.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProjectionNames {
    /// One each.
    Apart([&'static str; 3]),
    /// One: all queries, then all keys, then all values.
    Fused(&'static str),
}

/// The tensors of the MLP.
#[derive(Clone, Copy, Debug)]
pub(super) enum MlpNames {
    /// W_2 g(W_1 x).
    Plain { widen: &'static str, narrow: &'static str },
    /// W_2 (g(W_g x) * W_u x).
    Gated { gate: &'static str, up: &'static str, down: &'static str },
    /// As `Gated`, with W_g above W_u in one tensor.
    GatedFused { gate_up: &'static str, down: &'static str },
}

/// What the file holds of the gain of a norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GainRule {
    /// The gain.
    Whole,
    /// The gain minus 1.
    MinusOne,
}

/// A number of the config: its key and its default. Where the key is null, it is not used.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberKey {
    pub(super) name: &'static str,
    pub(super) default: Option<f64>,
}

/// What word embeddings are multiplied by.
#[derive(Clone, Copy, Debug)]
pub(super) enum EmbeddingFactor {
    /// 1.
    One,
    /// sqrt(d).
    RootOfWidth,
    /// A number of the config.
    Key(NumberKey),
}

/// Whether every linear map has a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Biases {
    /// A file without one is damaged.
    Required,
    /// A bias that is not in the file is zero.
    Optional,
}

/// A size in the config: its names, of which a file has one or several that agree, and its default.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeKey {
    pub(super) names: &'static [&'static str],
    pub(super) default: Usual,
}

/// The default of a size.
#[derive(Clone, Copy, Debug)]
pub(super) enum Usual {
    /// A number.
    Number(usize),
    /// A multiple of the width d.
    Widths(usize),
    /// The number of heads.
    Heads,
    /// d/H.
    WidthOfHead,
}

/// The keys of the sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeKeys {
    pub(super) d: SizeKey,
    pub(super) layers: SizeKey,
    pub(super) heads: SizeKey,
    /// G.
    pub(super) key_heads: SizeKey,
    /// k.
    pub(super) head_dim: SizeKey,
    pub(super) inner: SizeKey,
    pub(super) vocabulary: SizeKey,
    pub(super) token_types: SizeKey,
    pub(super) positions: SizeKey,
    /// Key and default; without a key the default.
    pub(super) eps: (&'static str, f64),
    pub(super) activation: (&'static str, Activation),
}

/// How the config says what the scores are.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScoreRule {
    /// q.k/sqrt(k).
    Root,
    /// By `scale_attn_weights` and `scale_attn_by_inverse_layer_idx`.
    Gpt2,
    /// By `attention` and `layer_norms`, which also say where layer norms are absent: a model of `lipscope train`.
    Lipscope,
    /// c q.k with c in the config.
    Factor(NumberKey),
    /// q.k/sqrt(s) with s in the config.
    RootOf(NumberKey),
}

/// The mask of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MaskRule {
    /// None.
    Free,
    /// Causal.
    Causal,
    /// Causal if `is_decoder` is true.
    CausalIfDecoder,
}

/// Which layers see only a window of earlier tokens, `sliding_window` of them with the token itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowRule {
    /// None.
    None,
    /// All, unless `sliding_window` is null; the number where the key is absent.
    All(Option<usize>),
    /// Those that `layer_types` calls `sliding_attention`, otherwise every other one from layer 0 on; the number where
    /// `sliding_window` is absent.
    Alternate(usize),
    /// Only where `use_sliding_window` is true: those that `layer_types` calls `sliding_attention`, otherwise those from
    /// `max_window_layers` on.
    IfUsed {
        /// `sliding_window` where the key is absent.
        width: usize,
        /// `max_window_layers` where the key is absent.
        from: usize,
    },
    /// Only where `use_sliding_window` is true: those that `layer_types` calls `sliding_attention`, otherwise those
    /// without rotary positions.
    IfUsedWithoutRope,
}

/// Rotary positions: `rope_parameters`, or `rope_theta` and `rope_scaling`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RopeRule {
    /// theta where no key says it.
    pub(super) theta: f64,
    pub(super) layout: RopeLayout,
    pub(super) layers: RopeLayers,
}

/// Which layers have rotary positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RopeLayers {
    /// All.
    All,
    /// Those with 1 in `no_rope_layers`, otherwise all but every fourth.
    Listed,
}

/// What transformers' initialisation does beside drawing every matrix from N(0, 0.02^2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Initial {
    /// Nothing.
    Plain,
    /// The embedding of token 0, the padding, is zero.
    ZeroPadding,
    /// Matrices that write into the residual stream are smaller by sqrt(2 layers).
    SmallerOutputs,
}

impl Family {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The tables of embeddings.
    pub(super) fn embedded(&self) -> impl Iterator<Item = &'static str> {
        let EmbeddingNames { words, positions, kinds, .. } = self.embeddings;
        [Some(words), positions, kinds].into_iter().flatten()
    }

    /// A tensor's name in a layer.
    pub(super) fn in_layer(&self, prefix: &str, layer: usize, name: &str) -> String {
        format!("{prefix}{}.{layer}.{name}", self.layer)
    }

    /// Whether a layer of the family, with these linear maps, has a tensor of that name.
    pub(super) fn is_of_layer(&self, name: &str, linear: &[&str]) -> bool {
        let norms: &[&str] = match self.normalization {
            Normalization::Rms => &["weight"],
            _ => &["weight", "bias", "gamma", "beta"],
        };
        let mut of_norms = self.attention_norms.norms().chain(self.mlp_norms.norms());
        // The causal mask and the angles of positions, which older programs stored with the weights.
        ["attn.bias", "attn.masked_bias", "self_attn.rotary_emb.inv_freq"].contains(&name)
            || linear.iter().any(|part| is_part(name, part, &["weight", "bias"]))
            || self.qk_norm.into_iter().flatten().any(|part| is_part(name, part, &["weight"]))
            || of_norms.any(|part| is_part(name, part, norms))
    }

    /// Whether the family has a tensor of that name among its embeddings.
    pub(super) fn is_of_embeddings(&self, name: &str) -> bool {
        self.embedded().any(|known| known == name)
            || self.embeddings.norm.is_some_and(|norm| is_part(name, norm, &["weight", "bias", "gamma", "beta"]))
            // Position ids (0, 1, ..) and token type ids (all 0), which are not learnt.
            || ["embeddings.position_ids", "embeddings.token_type_ids"].contains(&name)
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Family) -> bool {
        self.model_type == other.model_type
    }
}

fn is_part(name: &str, part: &str, ends: &[&str]) -> bool {
    name.strip_prefix(part).and_then(|rest| rest.strip_prefix('.')).is_some_and(|end| ends.contains(&end))
}

/// A size with these names and a number as default.
pub(super) const fn size(names: &'static [&'static str], default: usize) -> SizeKey {
    SizeKey { names, default: Usual::Number(default) }
}
