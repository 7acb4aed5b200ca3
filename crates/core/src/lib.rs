//! The engine: it computes the local Lipschitz constant of self-attention and bounds on it, at single points and in
//! sweeps.
//!
//! The local Lipschitz constant of self-attention at given tokens is the spectral norm of its Jacobian there. The page,
//! its workers, the command line, the npm package and the Python package all call this crate. It does no I/O and uses
//! neither browser nor clock. Natively, large work is split over the rayon pool that the caller has installed
//! ([`parallel`]); digits do not depend on the number of threads.
//!
//! Modules import only from modules earlier in this list (`tests/layering.rs` checks it): [`parallel`], [`random`],
//! [`experiment`], `identity`, [`tokens`], [`weights`], [`attention`], [`jacobian`], [`spectral`], [`bounds`],
//! [`cost`], [`measure`], [`script`], [`fit`], [`sweep`], [`growth`], [`gap`], [`scaling`], [`tightness`], [`inverse`],
//! [`search`], [`compare`], [`certify`], [`spectrum`], [`estimators`], [`picture`].
//!
//! # References
//! - \[C\] Castin, Ablin, Peyré, "How Smooth Is Attention?", ICML 2024.
//! - \[K\] Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021.
//!
//! # Example
//! ```
//! let text = r#"{"tokens":{"source":"explicit","rows":[[-1],[1],[1]]},"weights":{"source":"identity","sign":-1}}"#;
//! let experiment = lipscope_core::experiment::Experiment::from_json(text)?;
//! let result = lipscope_core::measure::measure(&experiment)?;
//! assert!(result.spectral > 1.0);
//! # Ok::<(), lipscope_core::experiment::InputError>(())
//! ```

pub mod attention;
pub mod bounds;
pub mod certify;
pub mod compare;
pub mod cost;
pub mod estimators;
pub mod experiment;
pub mod fit;
pub mod gap;
pub mod growth;
mod identity;
pub mod inverse;
pub mod jacobian;
pub mod measure;
pub mod parallel;
pub mod picture;
pub mod random;
pub mod scaling;
pub mod script;
pub mod search;
pub mod spectral;
pub mod spectrum;
pub mod sweep;
pub mod tightness;
pub mod tokens;
pub mod weights;
