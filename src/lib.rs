//! Lipscope: how smooth is attention?
//!
//! The local Lipschitz constant of self-attention at given tokens is the spectral norm of its Jacobian.
//! This crate computes it, the published bounds on it, and sweeps of it over the number of tokens; the page, its worker
//! and the command line are three faces of the same functions.
//!
//! One way through, and imports point only upstream (`tests/layering.rs` holds the order):
//! [`experiment`] -> [`tokens`], [`weights`] -> [`attention`] -> [`jacobian`] -> [`spectral`] -> [`bounds`] ->
//! [`measure`] -> [`sweep`], [`regime`] -> [`message`] -> the page.
//!
//! # References
//! - \[C\] Castin, Ablin, Peyré, "How Smooth Is Attention?", ICML 2024.
//! - \[K\] Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021.
//!
//! # Example
//! ```
//! let text = r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#;
//! let experiment = lipscope::experiment::Experiment::from_json(text)?;
//! let result = lipscope::measure::measure(&experiment)?;
//! assert!(result.spectral > 1.0);
//! # Ok::<(), lipscope::experiment::InputError>(())
//! ```

pub mod attention;
pub mod bounds;
pub mod court;
pub mod experiment;
pub mod fit;
pub mod hunt;
pub mod inverse;
pub mod jacobian;
pub mod measure;
pub mod message;
pub mod model_charts;
pub mod model_message;
#[cfg(any(not(target_arch = "wasm32"), feature = "models"))]
pub mod model_run;
pub mod models;
pub mod picture;
pub mod plot;
pub mod random;
pub mod regime;
pub mod runner;
pub mod scaling;
pub mod script;
pub mod spectral;
pub mod spectrum;
pub mod sweep;
pub mod tightness;
pub mod tokens;
pub mod weights;

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod app;
#[cfg(all(not(target_arch = "wasm32"), feature = "page"))]
#[path = "app/native.rs"]
pub mod app;
#[cfg(all(target_arch = "wasm32", feature = "models"))]
pub mod model_worker;
#[cfg(all(target_arch = "wasm32", any(feature = "page", feature = "models")))]
pub mod worker;

#[cfg(all(target_arch = "wasm32", feature = "npm"))]
mod npm;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
