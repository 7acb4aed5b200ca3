//! The worst-case searcher: projected gradient ascent on ||J(X)||_2 over the tokens in a ball or on a sphere.
//!
//! The constant of attention on the ball is the largest ||J(X)||_2 in it. Whatever the ascent finds is reached by some tokens,
//! so that it is a **lower bound** on that constant; nothing says that it is the largest.
//!
//! | file | what |
//! | --- | --- |
//! | `gradient` | the norm and its gradient |
//! | `prepare` | from a plan to its inputs, and what is refused |
//! | `region` | projections |
//! | `starts` | where restarts begin |
//! | `ascent` | the search in steps |

mod ascent;
mod cost;
mod gradient;
mod prepare;
mod region;
mod starts;

use serde::{Deserialize, Serialize};

use crate::bounds::Bound;
use crate::experiment::{Experiment, Rows};

pub use ascent::Search;
pub use cost::cost;
pub use gradient::{gradient_at, norm_at};
pub use region::Region;
pub use starts::StartKind;

/// What to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchPlan {
    /// Kernel, mask, weights, the first tokens, and through them n, d and R.
    pub experiment: Experiment,
    /// Where the tokens may be.
    pub region: Region,
    /// More dimensions than the tokens have, where the weights fit every dimension (the identity); `None` keeps theirs.
    pub dim: Option<usize>,
    /// How many starts there are in all, random ones after the others.
    pub restarts: usize,
    /// The most iterations from one start.
    pub iterations: usize,
    /// Seed of random starts and kicks.
    pub seed: u64,
}

/// What a search is in, known before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchDomain {
    /// The experiment at the first tokens, listed; with other listed tokens it is that of any other place.
    pub experiment: Experiment,
    /// Where the tokens may be.
    pub region: Region,
    /// Number of tokens.
    pub n: usize,
    /// Dimension of a token.
    pub d: usize,
    /// R.
    pub radius: f64,
    /// Every bound over the ball that applies.
    pub bounds: Vec<Bound>,
}

/// An iteration of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchStep {
    /// Iterations before this one, over all restarts.
    pub at: usize,
    /// Which restart, from 0.
    pub restart: usize,
    /// Where it began.
    pub start: StartKind,
    /// Iterations of this restart before this one.
    pub iteration: usize,
    /// ||J||_2 at the current tokens.
    pub norm: f64,
    /// The largest so far: a lower bound on the constant.
    pub best: f64,
    /// |J^T u - s v| / s at the current tokens.
    pub relative_residual: f64,
}

/// Where a search stands: with its plan it can be taken up again there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchCheckpoint {
    /// The next step's counters.
    pub(crate) at: usize,
    pub(crate) restart: usize,
    pub(crate) iteration: usize,
    /// Iterations in a row that gained next to nothing.
    pub(crate) idle: usize,
    /// Kicks of this restart so far, and since the last gain.
    pub(crate) kicks: usize,
    pub(crate) kicks_in_vain: usize,
    /// The length of the next step in units of R.
    pub(crate) step_length: f64,
    /// The tokens now, those to kick from (the best of this restart), and the best of all, a row a token.
    pub(crate) current: Rows,
    pub(crate) base: Rows,
    pub(crate) base_norm: f64,
    pub(crate) best: Rows,
    pub(crate) best_norm: f64,
    pub(crate) best_residual: f64,
    pub(crate) best_start: StartKind,
}

impl SearchCheckpoint {
    /// The best tokens, a row a token.
    #[must_use]
    pub fn best_tokens(&self) -> &Rows {
        &self.best
    }

    /// The current tokens, a row a token.
    #[must_use]
    pub fn current_tokens(&self) -> &Rows {
        &self.current
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

    /// Where the restart of the best tokens began.
    #[must_use]
    pub fn best_start(&self) -> StartKind {
        self.best_start
    }
}

/// The most starts.
pub const MOST_RESTARTS: usize = 10_000;
/// The most iterations from one start.
pub const MOST_ITERATIONS: usize = 100_000;
/// The most tokens: a step takes some tens of products, and each costs n^2.
pub const MOST_TOKENS: usize = 2048;
/// The most numbers in the token matrix.
pub const MOST_ENTRIES: usize = 65_536;
