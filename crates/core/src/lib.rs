//! The local Lipschitz constant of self-attention, and every published bound on it.
//!
//! How far can the outputs of an attention layer move when its tokens move a little? At given tokens X the answer is the
//! spectral norm of the Jacobian J of the layer there, its **local Lipschitz constant**. The largest such norm over a ball
//! |x_i| <= R is the Lipschitz constant there. This crate measures the first and bounds both.
//!
//! # Matrices of one's own: norm and bounds
//!
//! A head has queries Q x, keys K x and values V x; here are three tokens of dimension two, one a row.
//!
//! ```
//! use lipscope_core::{Experiment, Head, Norm, best_lower, best_upper, measure};
//!
//! let tokens = [[1.0, 0.2], [-0.5, 0.8], [0.3, -1.1]];
//! let head = Head::new([[1.0, 0.0], [0.5, 1.0]], [[-1.0, 0.3], [0.0, -1.0]], [[1.0, 0.0], [0.0, 1.0]])?;
//! let experiment = Experiment::from_arrays(tokens, [head])?;
//!
//! let found = measure(&experiment)?;
//! let value = |bound: Option<&lipscope_core::Bound>| bound.and_then(|bound| bound.value).unwrap_or(f64::NAN);
//! let lower = value(best_lower(&found.bounds, Norm::Spectral));
//! let upper = value(best_upper(&found.bounds, Norm::Spectral));
//! println!("at these tokens            = {:.4}", found.spectral);
//! println!("some tokens in the ball   >= {lower:.4}");
//! println!("no tokens in the ball      > {upper:.4}, with R = {:.4}", found.radius);
//! assert!(found.spectral <= upper && lower <= upper);
//! # Ok::<(), lipscope_core::InputError>(())
//! ```
//!
//! Matrices of [`nalgebra`] will do as well as arrays and lists of rows ([`IntoRows`]).
//!
//! # A sweep over n
//!
//! Does the norm grow like sqrt(n)? Draw tokens from the sphere of radius 2 at each number of tokens n, three times, and
//! fit L = c n^alpha.
//!
//! ```
//! use lipscope_core::settings::{Distribution, RandomTokens, TokenSource, WeightSource};
//! use lipscope_core::{Experiment, SweepPlan, fit_power_law, log_spaced, sweep};
//!
//! let tokens = RandomTokens { distribution: Distribution::Sphere, n: 2, d: 4, radius: 2.0, seed: 0 };
//! let experiment = Experiment::of(TokenSource::Random(tokens), WeightSource::Identity { sign: -1.0 });
//!
//! let points = sweep(&SweepPlan::new(&experiment, &log_spaced(4, 64, 5), 3)?)?;
//! for point in &points {
//!     println!("n = {:3}, draw {}: |J| = {:.4}", point.n, point.draw, point.spectral);
//! }
//! let pairs: Vec<(f64, f64)> = points.iter().map(|point| (point.n as f64, point.spectral)).collect();
//! let fit = fit_power_law(&pairs).expect("more than two points");
//! println!("L = {:.3} n^{:.3}, alpha with a 95% interval of +-{:.3}", fit.factor, fit.exponent, fit.half_width);
//! assert_eq!(points.len(), 15);
//! # Ok::<(), lipscope_core::InputError>(())
//! ```
//!
//! # What there is
//!
//! | question | in | call | out |
//! | --- | --- | --- | --- |
//! | norm and bounds at given tokens | [`Experiment`] | [`measure()`] | [`Measurement`] |
//! | the bounds as functions of n, up to 1e300 | [`GrowthPlan`] | [`growth()`] | [`Growth`] |
//! | norms over n | [`SweepPlan`] | [`sweep()`] | [`SweepPoint`] |
//! | the worst tokens of a ball | [`SearchPlan`] | [`search()`] | [`WorstCase`] |
//! | a bound for all tokens near given ones | [`CertifyPlan`] | [`certify()`] | [`Certified`] |
//! | singular values, and the tokens of the largest | [`SpectrumPlan`] | [`spectrum()`] | [`Spectrum`] |
//!
//! An [`Experiment`] comes from arrays ([`Experiment::from_arrays`]), from JSON in the format of Lipscope's page, command
//! line and Python package ([`Experiment::from_json`]), or field by field with the types of [`settings`]. [`statements`]
//! has every bound: formula, hypotheses and source. A bound whose hypotheses fail is absent from a list of bounds, and
//! [`Measurement::absent`] says why.
//!
//! # What a number is
//!
//! - A norm is **exact** to rounding where all singular values are computed (small Jacobians). Else it is iterated: never
//!   above the norm, with its residual, and [`Measurement::is_converged`] says whether it is within the tolerance.
//! - An **upper** bound is never below the norm, a **lower** bound never above the constant that it is about
//!   ([`Bound::side`]).
//! - All computing is pure: no clock, no files, seeded randomness, and the same digits on every number of threads. Large
//!   work is split over the rayon pool that the caller has installed, else over rayon's global pool.
//! - A task that would hold more memory than its limit is refused before it begins ([`settings::Memory`]).
//! - Errors are data ([`InputError`]): the field at fault, what was found and what is allowed. They display as a sentence.
//!
//! # References
//! - \[C\] Castin, Ablin, Peyré, "How Smooth Is Attention?", ICML 2024.
//! - \[K\] Kim, Papamakarios, Mnih, "The Lipschitz Constant of Self-Attention", ICML 2021.
//!
//! Statements and proofs of all bounds, ours too: `docs/theory.md` in the repository.

// Modules import only from modules earlier in this list, as tests/layering.rs checks: extremum, parallel, random, experiment,
// identity, qr, tokens, weights, attention, jacobian, spectral, bounds, cost, measure, script, fit, sweep, growth, gap, scaling,
// tightness, inverse, search, compare, certify, spectrum, estimators, picture.
//
// They are public for Lipscope's own programs and hidden from the documents: semantic versioning covers what this file
// exports, and no path into a hidden module.
#[doc(hidden)]
pub mod attention;
#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
pub mod certify;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod cost;
#[doc(hidden)]
pub mod estimators;
#[doc(hidden)]
pub mod experiment;
#[doc(hidden)]
pub mod extremum;
#[doc(hidden)]
pub mod fit;
#[doc(hidden)]
pub mod gap;
#[doc(hidden)]
pub mod growth;
mod identity;
#[doc(hidden)]
pub mod inverse;
#[doc(hidden)]
pub mod jacobian;
#[doc(hidden)]
pub mod measure;
#[doc(hidden)]
pub mod parallel;
#[doc(hidden)]
pub mod picture;
mod qr;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod scaling;
#[doc(hidden)]
pub mod script;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod spectral;
#[doc(hidden)]
pub mod spectrum;
#[doc(hidden)]
pub mod sweep;
#[doc(hidden)]
pub mod tightness;
#[doc(hidden)]
pub mod tokens;
#[doc(hidden)]
pub mod weights;

#[doc(inline)]
pub use bounds::{Bound, BoundId, Norm, Side, Statement, best_lower, best_upper};
#[doc(inline)]
pub use certify::{Certified, CertifiedRow, CertifyPlan, certify};
#[doc(inline)]
pub use experiment::{Experiment, Head, InputError, IntoRows, Rows};
#[doc(inline)]
pub use fit::{PowerLaw, fit_power_law};
#[doc(inline)]
pub use growth::{Growth, GrowthPlan, growth};
#[doc(inline)]
pub use measure::{MeasureOptions, Measurement, measure, measure_with};
#[doc(inline)]
pub use search::{SearchPlan, WorstCase, search};
#[doc(inline)]
pub use spectrum::{Spectrum, SpectrumPlan, spectrum};
#[doc(inline)]
pub use sweep::{SweepPlan, SweepPoint, log_spaced, sweep, sweep_with};

/// The linear algebra of this crate's arguments, so that a caller has the same version of it.
pub use nalgebra;

/// What an [`Experiment`] and the plans are made of: sources of tokens and weights, masks, the steps of scores, limits.
pub mod settings {
    #[doc(inline)]
    pub use crate::experiment::{
        Alibi, Attention, Distribution, Gain, Mask, MaskKind, Memory, Normalization, NotAMemorySize, Order, Output,
        Preset, QkNorm, RandomTokens, RandomWeights, Rope, RopeLayout, Scope, Score, SecondMap, Sink, Steps,
        TokenSource, VectorNorm, WeightSource, Weighting,
    };
    #[doc(inline)]
    pub use crate::measure::{BlockNorms, Detail, FirstNormBy, Grouping, UpperNumber};
    #[doc(inline)]
    pub use crate::search::{NearbyEffort, Region};
    #[doc(inline)]
    pub use crate::spectral::LanczosOptions;
    #[doc(inline)]
    pub use crate::spectrum::SpectrumMap;
    #[doc(inline)]
    pub use crate::sweep::Spacing;
}

/// What results and errors are made of.
pub mod results {
    #[doc(inline)]
    pub use crate::bounds::{
        Absence, BoundSlack, ClusterWitness, Domain, SlackFactor, SlackKind, TwoClusters, Witness, Witnesses,
    };
    #[doc(inline)]
    pub use crate::experiment::{Phrase, Size, Table, TableQuestion};
    #[doc(inline)]
    pub use crate::growth::{Crossover, GrowthRow};
    #[doc(inline)]
    pub use crate::measure::{DenseNormValues, Method, Upper, UpperBy, Warning};
    #[doc(inline)]
    pub use crate::search::StartKind;
    #[doc(inline)]
    pub use crate::spectral::ProbableUpper;
    #[doc(inline)]
    pub use crate::spectrum::{Coverage, Energy, Level, Places, TopBlock, TopPair};
}

/// Every bound: formula, hypotheses and source.
pub mod statements {
    #[doc(inline)]
    pub use crate::bounds::{
        ADVERSARIAL, ADVERSARIAL_ENVELOPE, CASTIN_GENERAL, CASTIN_MEAN_FIELD, CENTRE, CESARO, ELEMENTWISE,
        ELEMENTWISE_TOKEN, EQUAL_TOKENS, FORK, GENERAL, GENERAL_TOKEN, KIM_COLUMN, KIM_L2, KIM_LINF, LOCAL,
        LOCAL_BLOCKS, LOCAL_TOKEN, MAX_TOKEN, SHARP, SHARP_MASKED, SINK, SKEW, TWO_CLUSTERS, TWO_TOKENS, UNIFIED,
        UNIFIED_MASKED, WINDOW_CAUSAL, ZERO_KEY,
    };
}
