//! Trained and randomly initialised transformers (BERT, GPT-2, Llama and their relatives): the attention, MLP and blocks of their layers as maps
//! of the engine.
//!
//! The experiments of \[C\] section 5 (docs/models.md): the local Lipschitz constant of one layer's self-attention, at
//! the tokens that the model's forward pass produces there from windows of n tokens of a text. Added here: the
//! constants of attention and of the MLP with their residual connections, of the block, and of the first blocks
//! together ([`MapKind`]).
//!
//! [`ModelConfig`] -> [`Model`] (from [`draw_model`], or from [`load_model`] with a [`Checkpoint`] over any
//! [`Source`] of bytes) -> [`ForwardPass`] at a window -> [`LayerMap`] -> [`estimate`]. The results form a
//! [`Table`], which is read by layer and head as [`Group`]s and compared with the [`Published`] curves.
//! [`adversarial_curve`] uses \[C\]'s adversarial tokens instead of a text.

pub mod charts;
mod config;
mod parts;
mod pictures;
mod read;
mod results;
mod run;
mod text;

pub use config::activation::Activation;
pub use config::description::description;
pub use config::families::Part;
pub use config::family::{BlockShape, Family};
pub use config::file::{ConfigFile, names_of_families};
pub use config::layer_set::LayerSet;
pub use config::map_kind::{Heads, MapKind};
pub use config::model_config::{AttentionWindow, ExpertSizes, ModelConfig, PictureSizes, ScoreScale, Shares, Unit};
pub use config::residual::Residual;
pub use config::rope::{Rope, Stretch, YarnBorder};
pub use config::score_bias::ScoreBias;
pub use parts::forward::ForwardPass;
pub use parts::jacobian::MapJacobian;
pub use parts::layer_map::{LayerMap, MapAtTokens};
pub use parts::model::{
    AttentionPart, Block, Dense, Embeddings, Experts, FeedForward, Linear, Model, Needs, Network, Patches,
};
pub use parts::token_norm::TokenNorm;
pub use pictures::{
    PREPROCESSORS, Picture, Pictures, PixelRule, Resampling, Resizing, is_picture, needs_pictures, takes_no_pictures,
};
pub use read::checkpoint::Checkpoint;
pub use read::draw::draw_model;
pub use read::load::load_model;
pub use read::opened::{DrawnFamily, DrawnModel, LayerModule, Opened};
pub use read::source::{Source, whole_text};
pub use read::weight_files::{WEIGHT_INDEX, WEIGHTS, WeightFiles, is_about_weights, no_weights, shards};
pub use results::estimate::{Estimate, Sink, SpectralNorm};
pub use results::head_map::HeadMap;
pub use results::local_bounds::LocalBounds;
pub use results::published::{CurveTokens, PUBLISHED, Published, PublishedModel, Training};
pub use results::readings::{AtLength, Group, NormGrid, Quantity, Spread, head_grid, layer_grid, layers_by_head};
pub use results::statistics::{HeadStatistics, Statistic, Statistics};
pub use results::table::{Cell, Subject, Table};
pub use run::adversarial::{AdversarialHead, AdversarialPlan, adversarial_curve, adversarial_text, check_adversarial};
pub use run::at_window::AtWindow;
pub use run::batch::{Batch, PrefixGroup, Shard, Window};
pub use run::batch_step::BatchStep;
pub use run::bounding::{Bounding, local_bounds};
pub use run::certify::{CertifiedWindow, CertifiedWindowRow, WindowCertificate, WindowCertifyPlan};
pub use run::estimating::{Estimators, estimate};
pub use run::layerwise::{LayerByLayer, LayerStep};
pub use run::maps::{BatchCells, Maps};
pub use run::plan::{Held, MOST_WINDOWS, Plan};
pub use run::plan_text::{MODEL_TOLERANCE, PlanText, default_lengths, tokens_needed};
pub use run::probe::{Probe, ProbedMap};
pub use run::statistics_plan::StatisticsPlan;
pub use run::window::{LeftOut, WindowExperiment, window_experiment};
pub use run::worst_change::{WorstChange, WorstChangeStep, WorstChanging};
pub use text::head::{Spans, SplitText, Splitter, TEXT_HEAD, TextEnd, TextExtent, TextSource};
pub use text::special_tokens::{SpecialToken, SpecialTokens};
pub use text::tokenizer::{TOKENIZER_FILES, Tokenizer, TokenizerFiles, no_special_tokens};
pub use text::windows::{
    check_windows, fingerprint, ids_by_first_appearance, spans_of_words, text_fingerprint, window_span,
};
