//! Trained and randomly initialised transformers: BERT and GPT-2, their layers' attention as maps of the engine.
//!
//! The experiments of \[C\] section 5, MATH.md section 8: the constant of the self-attention of one layer at the tokens
//! that the model's own forward pass brings there, for windows of text of n tokens.
//!
//! [`ModelConfig`] -> [`Model`] (drawn by [`draw_model`], or read by [`load_model`] from
//! [`SafeTensors`] over any [`Source`] of bytes) -> [`ForwardPass`] at a window ->
//! [`AttentionMap`] of a layer -> [`estimate`]; what comes of it is a [`Table`], read layer by layer and head by head as
//! [`Group`]s beside the [`Published`] curves. [`adversarial_curve`] takes \[C\]'s adversarial tokens instead of a text.

mod adversarial;
mod batch;
pub mod charts;
mod config;
mod draw;
mod estimate;
mod forward;
mod load;
mod map;
mod norm;
mod opened;
mod parts;
mod plan;
mod plan_text;
mod published;
mod readings;
mod safetensors;
mod source;
mod table;
mod text;
mod tokenizer;
mod window;

pub use adversarial::{AdversarialHead, AdversarialPlan, adversarial_curve, adversarial_text};
pub use batch::{Batch, PrefixGroup, Shard, Window};
pub use config::{Activation, Family, MapKind, ModelConfig};
pub use draw::draw_model;
pub use estimate::{Estimate, Estimators, Sink, SpectralNorm, estimate};
pub use forward::ForwardPass;
pub use load::load_model;
pub use map::{AttentionMap, Heads, MapAtTokens};
pub use opened::{DrawnFamily, DrawnModel, Opened};
pub use parts::{AttentionPart, Block, Embeddings, FeedForward, LayerNorm, Linear, Model, Needs};
pub use plan::{MOST_WINDOWS, Maps, Plan};
pub use plan_text::{PlanText, USUAL_TOLERANCE, text_fingerprint};
pub use published::{CurveTokens, PUBLISHED, Published, Training};
pub use readings::{AtLength, Group, NormGrid, Quantity, Spread, head_grid, layer_grid, layers_by_head};
pub use safetensors::SafeTensors;
pub use source::{Source, whole_text};
pub use table::{Cell, Subject, Table};
pub use text::{check_windows, fingerprint, ids_by_first_appearance, spans_of_words, window_span};
pub use tokenizer::{Tokenizer, TokenizerFiles};
pub use window::{LeftOut, WindowExperiment, window_experiment};
