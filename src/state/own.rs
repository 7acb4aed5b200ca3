//! Data of the reader's own: weights, and positions with multiplicities.

use lipscope_core::experiment::{Head, Rows, TokenSource};

use super::{PageState, TokenChoice};

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

impl PageState {
    /// The dimension of listed tokens, which weights must fit; tokens of a distribution take that of the weights.
    #[must_use]
    pub fn listed_dim(&self) -> Option<usize> {
        matches!(self.tokens, TokenChoice::Own | TokenChoice::Clusters).then(|| self.dim())
    }
    /// R of the ball for its box: that of the controls, or the largest norm of listed tokens to four digits.
    #[must_use]
    pub fn radius_used(&self) -> f64 {
        let largest = |rows: &Rows| four_digits(rows.iter().map(norm).fold(0.0, f64::max));
        match (self.tokens, &self.own_tokens, &self.own_clusters) {
            (TokenChoice::Own, Some(rows), _) => largest(&rows.0),
            (TokenChoice::Clusters, _, Some(own)) => largest(&own.positions),
            _ => self.radius,
        }
    }
}

fn four_digits(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

fn norm(token: &[f64]) -> f64 {
    token.iter().map(|x| x * x).sum::<f64>().sqrt()
}
