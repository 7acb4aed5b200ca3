//! A family of models as a table: how its tensors are named, where its norms stand, which keys of `config.json` say its
//! sizes, and what they are by default. The families themselves are in `families`.

use super::activation::Activation;
use super::keys::KeyUse;
use super::map_kind::MapKind;
use super::residual::Residual;
use super::rope::Stretch;
use lipscope_core::experiment::{Normalization, RopeLayout};
use serde::{Deserialize, Serialize};

/// A family of models.
#[derive(Debug)]
pub struct Family {
    /// `model_type` in its configs.
    pub(crate) model_type: &'static str,
    /// For a family whose config chooses between several layers: which of them this is. Empty for the usual one.
    pub(crate) variant: &'static str,
    /// The settings with which the config chooses it, all of them; none for the usual one.
    pub(crate) when: &'static [Setting],
    pub(crate) name: &'static str,
    /// How transformers' classes of the family begin; `None` where configs name no class.
    pub(crate) class: Option<&'static str>,
    /// The word before its tensors' names that no other family has; empty where there is none.
    pub(crate) prefix: &'static str,
    pub(crate) embeddings: EmbeddingNames,
    /// For a model of pictures, whose words are patches.
    pub(crate) images: Option<ImageRule>,
    pub(crate) first_position: FirstPosition,
    pub(crate) layer: LayerNames,
    pub(crate) projections: ProjectionNames,
    /// The output matrix of attention.
    pub(crate) output: &'static str,
    /// The gains of the norms of queries and keys.
    pub(crate) qk_norm: Option<QkNormNames>,
    /// The sink of each head.
    pub(crate) sinks: Option<&'static str>,
    pub(crate) attention_norms: Residual<&'static str>,
    pub(crate) after_branch: AfterBranch,
    pub(crate) first_norm: FirstNorm,
    pub(crate) mlp: MlpNames,
    pub(crate) mlp_norms: Residual<&'static str>,
    /// The experts of layers whose MLP is not the one above.
    pub(crate) experts: Option<ExpertRule>,
    pub(crate) block: BlockShape,
    pub(crate) normalization: Normalization,
    pub(crate) norm_tensors: NormTensors,
    pub(crate) gains: GainRule,
    pub(crate) embedding_factor: EmbeddingFactor,
    /// What the outputs of attention and of the MLP are multiplied by before they are added; 1 without a key.
    pub(crate) residual_factor: Option<NumberKey>,
    /// tau of the soft cap of scores.
    pub(crate) softcap: Option<NumberKey>,
    pub(crate) score_bias: BiasRule,
    /// How matrices lie in the files, unless their shapes say otherwise.
    pub(crate) layout: Layout,
    pub(crate) biases: Biases,
    pub(crate) sizes: SizeKeys,
    /// The setting that, where it is true or absent, gives all heads one key and one value (Falcon, GPT-BigCode).
    pub(crate) multi_query: Option<&'static str>,
    /// Words for activations that only this family has.
    pub(crate) activation_words: &'static [(&'static str, Activation)],
    /// What each key of the config does.
    pub(crate) keys: &'static [&'static [(&'static str, KeyUse)]],
    pub(crate) scores: ScoreRule,
    pub(crate) mask: MaskRule,
    pub(crate) window: WindowRule,
    pub(crate) rope: Option<RopeRule>,
    pub(crate) initial: Initial,
    /// The map that is measured by default.
    pub(crate) default_map: MapKind,
}

/// The names of the embeddings' tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbeddingNames {
    pub(crate) words: &'static str,
    /// `None` where positions enter in the layers.
    pub(crate) positions: Option<&'static str>,
    pub(crate) kinds: Option<&'static str>,
    /// The norm after the sum.
    pub(crate) norm: Option<&'static str>,
    /// What brings embeddings of another width to d.
    pub(crate) projection: Option<EmbeddingProjection>,
}

/// How a picture becomes tokens: those of the model that come first, then the patches, row by row, each multiplied by the
/// matrix under the name of the words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageRule {
    /// The tokens that come first.
    pub(crate) first: &'static [&'static str],
    /// Sides of the picture and of a patch in pixels.
    pub(crate) size: SizeKey,
    pub(crate) patch: SizeKey,
}

/// The linear map from the width of the embeddings to d, which a file has only if they differ, unless it is always there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbeddingProjection {
    pub(crate) name: &'static str,
    pub(crate) of: Projected,
    pub(crate) presence: Presence,
}

/// Which embeddings are projected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projected {
    /// The sum of words, positions and types, after its norm.
    Sum,
    /// Words; positions have width d.
    Words,
}

/// Whether the projection of embeddings is there where their width is d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Always,
    IfWidthsDiffer,
}

/// The row of the table of positions that the first token of a window has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstPosition {
    /// Row 0.
    Zero,
    /// The row after that of the padding token, whose id is in the config; the rows up to there are among
    /// `max_position_embeddings`. A padding token in a window has its own row, and the tokens after it are not moved.
    AfterPadding {
        /// The id where the config has none, or whatever it says.
        id: usize,
        source: PaddingSource,
    },
    /// That row, and the table has so many rows more than `max_position_embeddings`.
    Beyond(usize),
}

/// Where the id of the padding token comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PaddingSource {
    /// `pad_token_id`.
    Config,
    /// It is the same for all models of the family.
    Fixed,
}

/// How the tensors of a layer begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LayerNames {
    /// With this and the layer's number.
    Numbered(&'static str),
    /// With `before`, the number of the group of layers that share their weights, and `after`.
    Shared { before: &'static str, after: &'static str },
}

/// A setting of a config.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Setting {
    /// The key has this value, as JSON.
    Is(&'static str, &'static str),
    /// The key is a text that begins so.
    Begins(&'static str, &'static str),
    /// The key is a text that begins otherwise.
    BeginsNot(&'static str, &'static str),
}

/// The tensors of the norms of queries and keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QkNormNames {
    pub(crate) query: &'static str,
    pub(crate) key: &'static str,
    pub(crate) scope: NormScope,
}

/// What a norm of queries normalises together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormScope {
    /// The k entries of a head.
    Head,
    /// The entries of all heads.
    AllHeads,
}

/// What stands after a branch, where something does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterBranch {
    /// A norm.
    Norm,
    /// A factor for each coordinate (layer scale), in the tensor of that name.
    Scale,
}

/// Whether layer 0 has the norm before attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstNorm {
    Present,
    Absent,
}

/// How attention and the MLP of a layer follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockShape {
    /// The MLP takes the tokens after attention: m(a(x)).
    Sequential,
    /// Both take the tokens of the layer: x + A(N_1 x) + M(N_2 x).
    Parallel,
}

/// The tensors that a norm has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormTensors {
    /// Gain and shift.
    Both,
    /// A gain, and a shift if it is in the file.
    ShiftOptional,
    /// A gain alone.
    Gain,
    /// None: gains of 1, no shift.
    None,
}

/// What is added to the scores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BiasRule {
    /// Nothing.
    None,
    /// ALiBi.
    Alibi,
    /// ALiBi divided by sqrt(k) if this setting is true; then there are no rotary positions.
    AlibiIf(&'static str),
    /// A number for each bucket of distances and each head, from one table for all layers.
    Table {
        /// The table, buckets x heads.
        tensor: &'static str,
        /// The key of its number of rows, and its default.
        rows: (&'static str, usize),
        /// The number of buckets, where it is not that of the rows.
        buckets: Option<usize>,
        /// The key of the distance from which on all tokens share a bucket, and its default.
        distance: (&'static str, usize),
    },
}

/// The tensors of queries, keys and values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProjectionNames {
    /// One each.
    Apart([&'static str; 3]),
    /// One: all queries, then all keys, then all values.
    Fused(&'static str),
    /// One: for each group of heads its queries, its key and its value.
    FusedByGroup(&'static str),
}

/// The tensors of the MLP.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MlpNames {
    /// W_2 g(W_1 x).
    Plain { widen: &'static str, narrow: &'static str },
    /// W_2 (g(W_g x) * W_u x).
    Gated { gate: &'static str, up: &'static str, down: &'static str },
    /// As `Gated`, with W_g above W_u in one tensor.
    GatedFused { gate_up: &'static str, down: &'static str },
}

/// Experts: their tensors and their keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpertRule {
    pub(crate) router: &'static str,
    pub(crate) tensors: ExpertTensors,
    /// How many there are.
    pub(crate) count: SizeKey,
    /// How many a token chooses.
    pub(crate) chosen: SizeKey,
    /// The hidden width of each.
    pub(crate) inner: SizeKey,
    pub(crate) shares: ShareRule,
    pub(crate) unit: UnitRule,
    pub(crate) layers: ExpertLayers,
}

/// The tensors of experts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExpertTensors {
    /// Three matrices for each expert, whose number stands between `before` and their names.
    Apart { before: &'static str, gate: &'static str, up: &'static str, down: &'static str },
    /// Two tensors for all, stored by inputs, with the rows of the gate at even places; each has biases.
    Stacked { gate_up: &'static str, down: &'static str },
}

/// What the chosen experts are multiplied by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShareRule {
    /// Softmax over the chosen ones.
    OfChosen,
    /// Softmax over all, divided by the sum of the chosen ones if this setting is true.
    OfAllUnless(&'static str),
}

/// How the two halves of an expert meet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnitRule {
    /// g(a) b.
    Plain,
    /// With both halves cut off: the keys of alpha and of the limit, and their defaults.
    Cut { alpha: (&'static str, f64), limit: (&'static str, f64) },
}

/// The layers that have experts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExpertLayers {
    All,
    /// Every one of `decoder_sparse_step`, but for those in `mlp_only_layers`.
    Listed,
}

/// What the file holds of the gain of a norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GainRule {
    /// The gain.
    Whole,
    /// The gain minus 1.
    MinusOne,
}

impl GainRule {
    /// What is added to the numbers of the file.
    pub(crate) fn base(self) -> f64 {
        match self {
            GainRule::Whole => 0.0,
            GainRule::MinusOne => 1.0,
        }
    }
}

/// A number of the config: its key and its default. Where the key is null, it is not used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberKey {
    pub(crate) name: &'static str,
    pub(crate) default: Option<f64>,
}

/// What word embeddings are multiplied by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EmbeddingFactor {
    /// 1.
    One,
    /// sqrt(d).
    RootOfWidth,
    /// A number of the config.
    Key(NumberKey),
}

/// Whether every linear map has a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Biases {
    /// A file without one is damaged.
    Required,
    /// A bias that is not in the file is zero.
    Optional,
}

/// A size in the config: its names, of which a file has one or several that agree, and its default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeKey {
    pub(crate) names: &'static [&'static str],
    pub(crate) default: DefaultSize,
}

/// The default of a size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DefaultSize {
    /// A number.
    Number(usize),
    /// A multiple of the width d.
    Widths(usize),
    /// Two thirds of a multiple of the width d, rounded up to a multiple of 8 (DINOv2 with a gate).
    GatedWidths(usize),
    /// The number of heads.
    Heads,
    /// d/H.
    WidthOfHead,
    /// The number of layers.
    Layers,
    /// No limit.
    Unlimited,
}

/// The keys of the sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeKeys {
    pub(crate) d: SizeKey,
    pub(crate) layers: SizeKey,
    pub(crate) heads: SizeKey,
    /// G.
    pub(crate) key_heads: SizeKey,
    /// k.
    pub(crate) head_dim: SizeKey,
    pub(crate) inner: SizeKey,
    /// The key of the factor in the default of `inner`, where the config has that instead.
    pub(crate) inner_ratio: Option<&'static str>,
    pub(crate) vocabulary: SizeKey,
    pub(crate) token_types: SizeKey,
    pub(crate) positions: SizeKey,
    /// How many groups of layers there are, each with weights of its own.
    pub(crate) groups: SizeKey,
    /// The width of the embeddings.
    pub(crate) embedding: SizeKey,
    /// Keys and default; without a key the default.
    pub(crate) eps: (&'static [&'static str], f64),
    pub(crate) activation: (&'static [&'static str], Activation),
}

/// How the config says what the scores are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScoreRule {
    /// q.k/sqrt(k).
    Root,
    /// q.k.
    One,
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
pub(crate) enum MaskRule {
    /// None.
    Free,
    /// Causal.
    Causal,
    /// Causal if `is_decoder` is true.
    CausalIfDecoder,
}

/// Which layers see only a window of earlier tokens, `sliding_window` of them with the token itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowRule {
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
    /// Those that `layer_types` calls `sliding_attention`; without that list those without rotary positions, where
    /// `use_sliding_window` is true.
    IfUsedWithoutRope,
    /// Only where `use_sliding_window` is true: all layers.
    IfUsedInAll(usize),
    /// Those that `layer_types` calls `sliding_attention`, otherwise all but every one whose number counted from 1 is a
    /// multiple of `sliding_window_pattern`.
    Pattern {
        /// `sliding_window` where the key is absent.
        width: usize,
        /// `sliding_window_pattern` where the key is absent.
        every: usize,
    },
    /// |i - j| <= `local_attention`/2 in those that `layer_types` calls `sliding_attention`, otherwise in all but every
    /// one whose number is a multiple of `global_attn_every_n_layers`.
    Symmetric {
        /// `local_attention` where the key is absent.
        width: usize,
        /// `global_attn_every_n_layers` where the key is absent.
        every: usize,
    },
    /// Those that `attention_types` (or `attention_layers`) calls `local`; the number where `window_size` is absent.
    Named(usize),
}

/// Rotary positions: `rope_parameters`, or theta by its own key and `rope_scaling`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RopeRule {
    /// The keys of theta beside `rope_theta` within `rope_parameters`, and its default.
    pub(crate) theta: (&'static [&'static str], f64),
    pub(crate) rotary_dim: RotaryDim,
    pub(crate) layout: RopeLayout,
    pub(crate) layers: RopeLayers,
    /// In layers with a window: the key of another theta, and its default. They are not stretched.
    pub(crate) local: Option<(&'static str, f64)>,
    /// The positions where the config says nothing of them at all.
    pub(crate) default: Option<Stretch>,
    /// The default of the config's own `original_max_position_embeddings`, in a family whose class in transformers has one:
    /// there the key within `rope_parameters` has no effect.
    pub(crate) first_length: Option<f64>,
}

/// How many of a head's entries turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RotaryDim {
    /// All.
    All,
    /// A share: its key beside `partial_rotary_factor` within `rope_parameters`, and its default.
    Share(&'static str, f64),
    /// A number: its key and its default.
    Number(&'static str, usize),
}

/// Which layers have rotary positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RopeLayers {
    /// All.
    All,
    /// Those with 1 in `no_rope_layers`, otherwise all but every fourth.
    Listed,
}

/// What transformers' initialisation does beside drawing every matrix from N(0, 0.02^2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initial {
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

    /// `model_type`, and the variant where it is not the usual one.
    pub(crate) fn id(&self) -> String {
        if self.variant.is_empty() {
            self.model_type.to_owned()
        } else {
            format!("{}, {}", self.model_type, self.variant)
        }
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Family) -> bool {
        (self.model_type, self.variant) == (other.model_type, other.variant)
    }
}

/// A size with these names and a number as default.
pub(crate) const fn size(names: &'static [&'static str], default: usize) -> SizeKey {
    SizeKey { names, default: DefaultSize::Number(default) }
}

/// The storage order of a matrix in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Rows are outputs, as in `torch.nn.Linear`.
    OutputsByInputs,
    /// Rows are inputs, as in GPT-2's `Conv1D`.
    InputsByOutputs,
}

impl Layout {
    /// The stored shape of a matrix with this many outputs and inputs.
    pub(crate) fn shape(self, (n_outputs, n_inputs): (usize, usize)) -> [usize; 2] {
        match self {
            Layout::OutputsByInputs => [n_outputs, n_inputs],
            Layout::InputsByOutputs => [n_inputs, n_outputs],
        }
    }
}
