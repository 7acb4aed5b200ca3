//! The weights of a model, in f32. A product converts them to its own type, f64 or f32.
//!
//! Most files hold f32 numbers. Kept in f32, such a model takes no more memory than its file, because a product
//! converts one panel of a matrix at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nalgebra::DMatrix;

use super::token_norm::TokenNorm;
use crate::config::model_config::ModelConfig;
use crate::config::residual::Residual;
use crate::pictures::Pictures;
use lipscope_core::attention::{Accumulate, Scalar, View, ViewMut, multiply};
use lipscope_core::experiment::InputError;
use lipscope_core::experiment::Phrase;
use lipscope_core::phrase;

/// y = W x + b.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// W, outputs x inputs.
    pub weight: DMatrix<f32>,
    /// b.
    pub bias: Vec<f32>,
}

/// Whether a product uses a matrix as stored or transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// W.
    Plain,
    /// W^T.
    Transposed,
}

/// The attention of a layer, with its norms.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionPart {
    /// H k x d, the rows of the heads one below the other.
    pub query: Linear,
    /// G k x d.
    pub key: Linear,
    /// G k x d.
    pub value: Linear,
    /// d x H k, applied to the concatenated heads.
    pub output: Linear,
    /// The gains of the RMS norms of every query and every key, k numbers each; H k and G k where a norm takes all heads
    /// together.
    pub qk_gains: Option<[Vec<f32>; 2]>,
    /// The sink of each head; empty without sinks.
    pub sinks: Vec<f32>,
    /// The norms of the residual connection around attention.
    pub norms: Residual<TokenNorm>,
}

/// The feed-forward network of a layer, with its norms.
#[derive(Clone, Debug, PartialEq)]
pub struct FeedForward {
    /// What it computes.
    pub network: Network,
    /// The norms of the residual connection around the network.
    pub norms: Residual<TokenNorm>,
}

/// A feed-forward network.
#[derive(Clone, Debug, PartialEq)]
pub enum Network {
    /// One network for all tokens.
    Dense(Dense),
    /// Several, of which a token chooses some.
    Experts(Experts),
}

/// W_2 g(W_1 x), or W_2 (g(W_g x) * W_1 x) with a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// inner x d.
    pub widen: Linear,
    /// inner x d: what goes through the activation, then multiplies the widened token; `None` where the widened token
    /// itself goes through it.
    pub gate: Option<Linear>,
    /// d x inner.
    pub narrow: Linear,
}

/// Networks with a gate each, and the router that chooses among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Experts {
    /// experts x d.
    pub router: Linear,
    /// The networks.
    pub experts: Vec<Dense>,
}

impl Network {
    /// The network for all tokens, unless there are several.
    #[must_use]
    pub fn dense(&self) -> Option<&Dense> {
        match self {
            Network::Dense(dense) => Some(dense),
            Network::Experts(_) => None,
        }
    }

    /// All networks.
    pub fn networks_mut(&mut self) -> &mut [Dense] {
        match self {
            Network::Dense(dense) => std::slice::from_mut(dense),
            Network::Experts(experts) => &mut experts.experts,
        }
    }
}

/// A layer of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Self-attention.
    pub attention: AttentionPart,
    /// `None` in the deepest layer if only its attention is measured. Maps share the network.
    pub feed_forward: Option<Arc<FeedForward>>,
}

/// Which parts of a layer are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayerParts {
    /// Attention and its norms.
    Attention,
    /// Attention and the MLP.
    Whole,
}

impl LayerParts {
    /// The parts of a layer in a run that needs the MLPs of the first `mlps` layers.
    pub(crate) fn of(layer: usize, mlps: usize) -> Self {
        if layer < mlps { LayerParts::Whole } else { LayerParts::Attention }
    }
}

/// The embeddings of the tokens and positions that are used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embeddings {
    /// By token id.
    pub words: BTreeMap<u32, Vec<f32>>,
    /// By position, from 0; `None` where positions enter in the layers.
    pub positions: Option<Vec<Vec<f32>>>,
    /// The row of a padding token's position, where it is not that of its place.
    pub padding: Option<Vec<f32>>,
    /// The embedding of token type 0, if the model has token types.
    pub kind: Option<Vec<f32>>,
    /// Applied after the sum (BERT).
    pub norm: Option<TokenNorm>,
    /// Brings words, or the normalised sum, to width d.
    pub projection: Option<Linear>,
    /// For a model of pictures: what turns them into tokens, and the pictures.
    pub patches: Option<Patches>,
    /// The pictures whose tokens have ids.
    pub pictures: Option<Arc<Pictures>>,
}

/// What turns pictures into tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Patches {
    /// The tokens that come first.
    pub first: Vec<Vec<f32>>,
    /// d x 3 p^2, p the side of a patch in pixels; a column for each channel, row and column of a patch.
    pub projection: Linear,
}

/// A model up to the deepest measured layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its architecture; it may have more layers than `blocks`.
    pub config: ModelConfig,
    /// Embeddings.
    pub embeddings: Embeddings,
    /// The bias of a score for each bucket of distances and each head, row by row; empty without such a table.
    pub score_table: Vec<Vec<f32>>,
    /// The layers from the first to the deepest measured one, or one of them.
    pub blocks: Vec<Block>,
    /// The index of the first of these layers; above 0 where layers are read one at a time.
    pub first_layer: usize,
}

/// The part of a model that a run needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Number of layers: one more than the index of the deepest one measured.
    pub layers: usize,
    /// Number of layers whose MLP is needed too.
    pub mlps: usize,
    /// The token ids that occur in the windows.
    pub ids: BTreeSet<u32>,
    /// The length of the longest window.
    pub positions: usize,
}

impl Model {
    /// A loaded layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if it was not loaded or does not exist.
    pub fn block(&self, layer: usize) -> Result<&Block, InputError> {
        let place = layer.checked_sub(self.first_layer);
        place.and_then(|place| self.blocks.get(place)).ok_or_else(|| not_loaded(layer, self.layers_end()))
    }

    /// The MLP of a loaded layer.
    ///
    /// # Errors
    /// [`InputError::BadValue`] if it was not loaded or does not exist.
    pub(crate) fn mlp(&self, layer: usize) -> Result<&Arc<FeedForward>, InputError> {
        let mlps = || self.blocks.iter().map_while(|block| block.feed_forward.as_ref());
        let place = layer.checked_sub(self.first_layer);
        place.and_then(|place| mlps().nth(place)).ok_or_else(|| not_loaded(layer, self.first_layer + mlps().count()))
    }

    /// One more than the index of the last loaded layer.
    pub(crate) fn layers_end(&self) -> usize {
        self.first_layer + self.blocks.len()
    }
}

fn not_loaded(layer: usize, count: usize) -> InputError {
    InputError::BadValue {
        key: "layer".into(),
        found: layer.to_string().into(),
        expected: phrase!("below_number_layers_loaded", "below {count}, the number of layers loaded", count = count),
    }
}

impl Needs {
    /// Checks that a model of this architecture has all the parts needed.
    ///
    /// # Errors
    /// [`InputError::BadValue`] that names the first missing part.
    pub fn check(&self, config: &ModelConfig) -> Result<(), InputError> {
        let within = |key: Phrase, found: usize, count: usize, what: Phrase| match found {
            found if found <= count => Ok(()),
            _ => Err(InputError::BadValue {
                key,
                found: found.to_string().into(),
                expected: phrase!("at_most", "at most {count}, {what}", count = count, what = what),
            }),
        };
        within(
            "layer".into(),
            self.layers.saturating_sub(1),
            config.layers - 1,
            phrase!("models_last_layer", "the model's last layer"),
        )?;
        within(
            "n".into(),
            self.positions,
            config.positions,
            phrase!("positions_model_has", "the positions that the model has"),
        )?;
        let largest = self.ids.last().map_or(0, |id| *id as usize);
        within(
            phrase!("token_id", "The token id"),
            largest,
            config.vocabulary - 1,
            phrase!("last_models_vocabulary", "the last of the model's vocabulary"),
        )
    }
}

impl Linear {
    /// W X + b.
    #[must_use]
    pub fn apply(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = DMatrix::from_fn(self.weight.nrows(), x.ncols(), |row, _| f64::from(self.bias[row]));
        self.add_product(Side::Plain, x.as_slice(), out.as_mut_slice());
        out
    }

    /// out += W X, or out += W^T X, for X and `out` with tokens one after another.
    pub(crate) fn add_product<T: Scalar>(&self, side: Side, x: &[T], out: &mut [T]) {
        /// Rows and columns of W converted at a time: a panel stays in the second-level cache, and its rows are a
        /// multiple of the tile height of the product.
        const PANEL: (usize, usize) = (96, 512);
        let (rows, columns) = self.weight.shape();
        let n = x.len() / if side == Side::Plain { columns } else { rows };
        let mut panel = vec![T::constant(0.0); PANEL.0.min(rows) * PANEL.1.min(columns)];
        for (part, entries) in self.weight.as_slice().chunks(rows * PANEL.1).enumerate() {
            let (start, width) = (part * PANEL.1, entries.len() / rows);
            for first in (0..rows).step_by(PANEL.0) {
                let height = PANEL.0.min(rows - first);
                for (to, from) in panel.chunks_exact_mut(height).zip(entries.chunks_exact(rows)) {
                    to.iter_mut().zip(&from[first..]).for_each(|(to, from)| *to = T::constant(f64::from(*from)));
                }
                let of_w = View::new(&panel, height, width);
                let one = T::constant(1.0);
                match side {
                    Side::Plain => multiply(
                        ViewMut::strided(&mut out[first..], height, n, rows),
                        Accumulate::Add,
                        of_w,
                        View::strided(&x[start..], width, n, columns),
                        one,
                    ),
                    Side::Transposed => multiply(
                        ViewMut::strided(&mut out[start..], width, n, columns),
                        Accumulate::Add,
                        of_w.transpose(),
                        View::strided(&x[first..], height, n, rows),
                        one,
                    ),
                }
            }
        }
    }
}
