//! The reader's own data: weights, and positions with multiplicities.

use lipscope_core::experiment::{Head, Rows, TokenSource};

/// The reader's own weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnWeights {
    /// The heads, at least one.
    pub heads: Vec<Head>,
    /// The output matrix, d_out x (sum of d_v).
    pub output: Option<Rows>,
}

/// Distinct positions with multiplicities: pasted, linked, or a witness that was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnClusters {
    /// One row a position.
    pub positions: Rows,
    /// Natural logarithms of the multiplicities.
    pub log_multiplicities: Vec<f64>,
    /// The number of tokens in all.
    pub total: f64,
}

impl OwnClusters {
    /// The clusters of a token source; `None` for any other source.
    #[must_use]
    pub fn of(source: &TokenSource) -> Option<Self> {
        let total = source.n_tokens();
        match source {
            TokenSource::Clusters { positions, log_multiplicities } => Some(OwnClusters {
                positions: positions.clone(),
                log_multiplicities: log_multiplicities.clone(),
                total,
            }),
            _ => None,
        }
    }
}
