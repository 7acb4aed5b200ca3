//! Which map of a layer is measured, and which heads it includes.
//!
//! With Att the heads with their biases, O and b_O the output matrix and its bias, and ln_1, ln_2 the norms:
//!
//! | map | BERT, DistilBERT (norm last) | GPT-2, Llama and its kin (norm first) | at |
//! | --- | --- | --- | --- |
//! | `attention` | Att(y) | Att(y) | y, the input of attention |
//! | `with-output` | O Att(y) + b_O | O Att(y) + b_O | y |
//! | `attention-residual` | a(x) = ln_1(x + O Att(x) + b_O) | a(x) = x + O Att(ln_1 x) + b_O | x, the layer's input |
//! | `mlp-residual` | m(x) = ln_2(x + MLP(x)) | m(x) = x + MLP(ln_2 x) | a(x) |
//! | `block` | m(a(x)) | m(a(x)) | x |
//! | `blocks` | layers 0 to l, one after another | the same | the embeddings |

use serde::{Deserialize, Serialize};

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;

/// The map of a layer that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum MapKind {
    /// The concatenated heads, without the output matrix.
    Attention,
    /// Attention with the output matrix.
    WithOutput,
    /// Attention with its residual connection and layer norm.
    AttentionResidual,
    /// The MLP with its residual connection and layer norm.
    MlpResidual,
    /// The whole layer.
    Block,
    /// All layers from the first to this one.
    Blocks,
}

/// The heads of a layer that a map includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Heads {
    /// All heads.
    All,
    /// One head, by index.
    One(usize),
}

impl MapKind {
    /// All maps.
    pub const ALL: [MapKind; 6] = [
        MapKind::Attention,
        MapKind::WithOutput,
        MapKind::AttentionResidual,
        MapKind::MlpResidual,
        MapKind::Block,
        MapKind::Blocks,
    ];

    /// Its name in tables and on the command line.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// The inverse of [`MapKind::id`].
    #[must_use]
    pub fn by_id(id: &str) -> Option<Self> {
        MapKind::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// Whether the map is attention alone, without a residual connection, so that it can include a single head.
    #[must_use]
    pub fn is_attention_alone(self) -> bool {
        matches!(self, MapKind::Attention | MapKind::WithOutput)
    }

    /// Whether the map includes attention.
    #[must_use]
    pub fn has_attention(self) -> bool {
        self != MapKind::MlpResidual
    }

    /// Whether the map includes the MLP of its layer.
    #[must_use]
    pub fn has_mlp(self) -> bool {
        matches!(self, MapKind::MlpResidual | MapKind::Block | MapKind::Blocks)
    }

    /// The first layer that the map includes; `layer` is the last one.
    pub(crate) fn first_layer(self, layer: usize) -> usize {
        if self == MapKind::Blocks { 0 } else { layer }
    }

    /// Checks that the map can include these heads.
    ///
    /// # Errors
    /// [`InputError::Conflict`] for a single head of a map with a residual connection, which adds all heads.
    pub(crate) fn check_heads(self, heads: Heads) -> Result<(), InputError> {
        if self.is_attention_alone() || heads == Heads::All {
            return Ok(());
        }
        Err(InputError::Conflict {
            what: phrase!("map_named", "The map {map}", map = self.id()),
            problem: phrase!("adds_all_heads", "adds all heads of a layer, and single heads were asked for"),
            fix: phrase!(
                "measure_all_heads_or",
                "Measure all heads together, or choose the map {before} or {after}.",
                before = MapKind::Attention.id(),
                after = MapKind::WithOutput.id()
            ),
        })
    }
}

impl Heads {
    /// Its name in files: `all`, or the head's index.
    #[must_use]
    pub fn id(self) -> String {
        match self {
            Heads::All => "all".into(),
            Heads::One(head) => head.to_string(),
        }
    }

    /// The inverse of [`Heads::id`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "all" { Some(Heads::All) } else { text.parse().ok().map(Heads::One) }
    }
}
