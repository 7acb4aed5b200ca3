//! How R depends on n, in sweeps and in curves over n.

use serde::{Deserialize, Serialize};

/// How R depends on n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Spacing {
    /// R is constant.
    #[default]
    Fixed,
    /// R_n = R sqrt(ln n / ln n_0), with the experiment's R at n_0, so that R^2 is proportional to ln n.
    SqrtLog {
        /// n_0, where R is the experiment's own.
        from_n: f64,
    },
}

impl Spacing {
    /// R at n, where the experiment has this radius.
    #[must_use]
    pub fn radius_at(self, radius: f64, n: f64) -> f64 {
        match self {
            Spacing::Fixed => radius,
            Spacing::SqrtLog { from_n } => radius * (n.ln() / from_n.max(2.0).ln()).sqrt(),
        }
    }
}
