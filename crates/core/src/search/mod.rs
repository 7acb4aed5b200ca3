//! Worst-case search: projected gradient ascent on ||J(X)||_2 over tokens in a ball or on a sphere.
//!
//! The Lipschitz constant of attention on the ball is the supremum of ||J(X)||_2. Every value found is attained by some
//! tokens, so it is a **lower bound** on that constant; it need not be the largest.
//!
//! | file | what |
//! | --- | --- |
//! | `gradient` | the norm and its gradient |
//! | `prepare` | inputs of a plan, and its validation |
//! | `region` | projection onto ball and sphere |
//! | `starts` | first tokens of the restarts |
//! | `ascent` | the ascent in steps |
//! | `nearby` | a search where every token stays near its place |
//! | `worst_case` | a whole search in one call |

mod ascent;
mod cost;
mod gradient;
mod nearby;
mod nearby_searches;
mod prepare;
mod region;
mod starts;
mod worst_case;

use serde::{Deserialize, Serialize};

use crate::bounds::Bound;
use crate::experiment::{Experiment, Rows};

pub use ascent::Search;
pub use cost::cost;
pub(crate) use cost::of_shape as cost_of_shape;
pub use gradient::{AttentionAt, ExperimentAttention, gradient_at, norm_at, norm_of_attention};
pub use nearby::{NearbyEffort, NearbySearch};
pub use nearby_searches::NearbySearches;
pub use region::Region;
pub use starts::StartKind;
pub use worst_case::{WorstCase, search};

/// Input of a worst-case search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchPlan {
    /// Kernel, mask, weights and the first tokens, which determine n, d and R.
    pub experiment: Experiment,
    /// The set of allowed tokens.
    pub region: Region,
    /// A larger dimension than the tokens', for weights that fit every dimension (identity); `None` keeps the tokens'
    /// own.
    pub dim: Option<usize>,
    /// Number of restarts: structured starts first, then random ones.
    pub restarts: usize,
    /// The most iterations of one restart.
    pub iterations: usize,
    /// Seed of the random starts and kicks.
    pub seed: u64,
}

impl SearchPlan {
    /// A search of the usual effort, 12 restarts of at most 400 iterations, in the ball that holds the experiment's tokens.
    #[must_use]
    pub fn of(experiment: Experiment) -> Self {
        let (restarts, iterations) = (DEFAULT_RESTARTS, DEFAULT_ITERATIONS);
        SearchPlan { experiment, region: Region::Ball, dim: None, restarts, iterations, seed: 0 }
    }
}

/// The set a search is restricted to, and the bounds on it; known before the first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchDomain {
    /// The experiment with its first tokens listed; replacing the list gives the experiment at any other tokens.
    pub experiment: Experiment,
    /// The set of allowed tokens.
    pub region: Region,
    /// Number of tokens.
    pub n: usize,
    /// Dimension of a token.
    pub d: usize,
    /// R, the radius of the ball or sphere.
    pub radius: f64,
    /// All bounds on the ball that apply.
    pub bounds: Vec<Bound>,
}

/// One iteration of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchStep {
    /// Number of this iteration over all restarts, from 0.
    pub at: usize,
    /// The restart, from 0.
    pub restart: usize,
    /// How the restart was started.
    pub start: StartKind,
    /// Number of this iteration within the restart, from 0.
    pub iteration: usize,
    /// ||J||_2 at the current tokens.
    pub norm: f64,
    /// The largest norm so far: a lower bound on the Lipschitz constant.
    pub best: f64,
    /// |J^T u - s v| / s at the current tokens.
    pub relative_residual: f64,
}

/// The state from which a search of the same plan can resume.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchCheckpoint {
    /// Counters of the next step.
    pub(crate) at: usize,
    pub(crate) restart: usize,
    pub(crate) iteration: usize,
    /// Idle iterations in a row.
    pub(crate) idle: usize,
    /// Kicks in this restart, and kicks since the last gain.
    pub(crate) kicks: usize,
    pub(crate) kicks_in_vain: usize,
    /// Length of the next step in units of R.
    pub(crate) step_length: f64,
    /// The current tokens, the best of this restart and the best of all, one row per token.
    pub(crate) current: Rows,
    pub(crate) base: Rows,
    pub(crate) base_norm: f64,
    pub(crate) best: Rows,
    pub(crate) best_norm: f64,
    pub(crate) best_residual: f64,
    pub(crate) best_start: StartKind,
}

impl SearchCheckpoint {
    /// The best tokens, one row per token.
    #[must_use]
    pub fn best_tokens(&self) -> &Rows {
        &self.best
    }

    /// ||J||_2 at the best tokens.
    #[must_use]
    pub fn best_norm(&self) -> f64 {
        self.best_norm
    }

    /// |J^T u - s v| / s at the best tokens.
    #[must_use]
    pub fn best_residual(&self) -> f64 {
        self.best_residual
    }

    /// How the restart that found the best tokens was started.
    #[must_use]
    pub fn best_start(&self) -> StartKind {
        self.best_start
    }

    /// The restart that comes next, or runs now.
    #[must_use]
    pub fn restart(&self) -> usize {
        self.restart
    }

    /// Turns the steps and the checkpoint of a search of later restarts into those of one search over all restarts:
    /// `before` is the checkpoint after the earlier restarts. Returns which of the two found the best tokens.
    pub fn follow(&mut self, steps: &mut [SearchStep], before: &SearchCheckpoint) -> Found {
        self.at += before.at;
        for step in steps {
            step.at += before.at;
            step.best = step.best.max(before.best_norm);
        }
        if self.best_norm > before.best_norm {
            return Found::Here;
        }
        self.best = before.best.clone();
        (self.best_norm, self.best_residual, self.best_start) =
            (before.best_norm, before.best_residual, before.best_start);
        if self.iteration == 0 {
            // Between restarts there are no current tokens and no best tokens of a restart.
            (self.current, self.base) = (self.best.clone(), self.best.clone());
            self.base_norm = self.best_norm;
        }
        Found::Before
    }

    /// Whether the search stands between two restarts.
    #[must_use]
    pub fn is_between_restarts(&self) -> bool {
        self.iteration == 0
    }
}

/// Where the best tokens come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// From the earlier restarts.
    Before,
    /// From the later restarts.
    Here,
}

/// The usual number of restarts.
pub const DEFAULT_RESTARTS: usize = 12;
/// The usual limit of a restart's iterations.
pub const DEFAULT_ITERATIONS: usize = 400;
/// The most restarts.
pub const MOST_RESTARTS: usize = 10_000;
/// The most iterations of one restart.
pub const MOST_ITERATIONS: usize = 100_000;
/// The most tokens: a step takes some tens of products that cost O(n^2) each.
pub const MOST_TOKENS: usize = 2048;
/// The most numbers in the token matrix.
pub const MOST_ENTRIES: usize = 65_536;
