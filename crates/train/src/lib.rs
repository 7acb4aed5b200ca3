//! A character-level Transformer trained here, with dot-product, L2 or contractive attention, or with a step that models
//! of today add to dot-product attention ([`Kind`]). This is the last experiment of \[K\], with two things that \[K\]
//! leaves open: the local Lipschitz constant of every layer while the model learns, and the trained stack run backwards
//! from its outputs to the characters.
//!
//! A [`Plan`] and a [`Corpus`] make a [`Trainer`], which does one step at a time. [`Stack`] is the model in f64, by the
//! attention of `lipscope-core`: its layers are measured ([`measure_layers`]), it writes text ([`draw_text`]) and it
//! is run backwards ([`invert()`]). docs/training.md says what the model is.
//!
//! Tensors and gradients are those of burn on its CPU device; everything else (initial weights, windows, optimiser,
//! schedule) is plain code here, so that a run is a function of its plan and text: the same digits again on one
//! machine. Two threads or two workers may compute the two halves of a step ([`Halves`]), with the same digits. The
//! crate uses no clock, no files and no browser.
//!
//! # References
//! - \[K\] Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021, section 5.
//!
//! # Example
//! ```
//! use lipscope_train::{Corpus, Kind, Plan, PlanFields, Trainer};
//!
//! let corpus = Corpus::new(&"to be or not to be, that is the question. ".repeat(20))?;
//! let small = PlanFields { width: 8, heads: 2, blocks: 1, context: 8, batch: 2, ..PlanFields::of_kind(Kind::Dot) };
//! let mut trainer = Trainer::new(Plan::new(small)?, corpus)?;
//! let first = trainer.step();
//! assert_eq!(first.step, 1);
//! assert!(trainer.held_out() > 0.0);
//! # Ok::<(), lipscope_core::experiment::InputError>(())
//! ```

mod attention;
mod branch;
mod checkpoint;
mod corpus;
mod files;
mod gelu;
mod gradient;
mod half;
mod invert;
mod kind;
mod layers;
mod network;
mod number;
mod optimizer;
mod parameters;
mod plan;
mod product;
mod stack;
mod tensors;
mod trainer;

pub use branch::{AttentionBranch, Branch, MlpBranch};
pub use corpus::{Corpus, MOST_CHARACTERS};
pub use files::{config, safetensors, tokenizer};
pub use gelu::{exponential, gelu_and_slope};
pub use gradient::{Batch, loss, loss_and_gradients};
pub use half::{Errand, HalfGradient, Halves};
pub use invert::{BranchInversion, Extent, FixedPointStep, Inversion, invert};
pub use kind::{Kind, Norms, SOFTCAP};
pub use layers::{LayerConstant, measure_layers};
pub use number::Number;
pub use optimizer::learning_rate;
pub use parameters::{Parameter, Parameters};
pub use plan::{Plan, PlanFields};
pub use stack::{Block, Stack, draw_text};
pub use trainer::{StepReport, Trainer};
