//! Data of the reader's own: weights, and positions with multiplicities; what is large is shared.

use std::sync::Arc;

use lipscope_core::experiment::{Head, Rows, TokenSource};

/// Something large that is shared between states and compared by identity.
#[derive(Debug)]
pub struct Shared<T>(pub Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The reader's own weights.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnWeights {
    /// At least one.
    pub heads: Vec<Head>,
    /// d_out x (sum of d_v).
    pub output: Option<Rows>,
}

/// Distinct positions with multiplicities: pasted, linked, or a witness that was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnClusters {
    /// One row a position.
    pub positions: Rows,
    /// Natural logarithms of the multiplicities.
    pub log_multiplicities: Vec<f64>,
    /// How many tokens they are in all.
    pub total: f64,
}

impl OwnClusters {
    /// The clusters of a token source, if it is one.
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
