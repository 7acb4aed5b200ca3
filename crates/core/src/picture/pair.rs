//! The leading singular pair of the Jacobian, token by token: which small change of the tokens changes the outputs most.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::moves::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES};
use crate::experiment::{Normalization, Rows, Scope};
use crate::measure::Measuring;

/// Whether the leading singular pair is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PairWanted {
    /// Yes, where it can be pictured.
    Included,
    /// No.
    Skipped,
}

/// J v = sigma u, |u| = |v| = 1, in the tokens' own coordinates: a row a token, or a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopPair {
    /// ||J||_2.
    pub sigma: f64,
    /// v: n rows of d.
    pub inputs: Rows,
    /// u and F(X), where outputs have the dimension of tokens, so that they have a place among them.
    pub outputs: Option<PairOutputs>,
}

/// The outputs' side of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairOutputs {
    /// u: n rows of d.
    pub directions: Rows,
    /// F(X): n rows of d.
    pub images: Rows,
}

impl TopPair {
    /// The same pair with the sign that is nearer to an earlier one: v and u are known up to a common sign.
    #[must_use]
    pub fn aligned_with(self, earlier: &TopPair) -> Self {
        if self.inputs.n_columns() != earlier.inputs.n_columns() {
            return self;
        }
        let along: f64 = self.inputs.entries().iter().zip(earlier.inputs.entries()).map(|(new, old)| new * old).sum();
        if along < 0.0 { self.turned() } else { self }
    }

    fn turned(self) -> Self {
        TopPair {
            sigma: self.sigma,
            inputs: negated(&self.inputs),
            outputs: self.outputs.map(|outputs| PairOutputs { directions: negated(&outputs.directions), ..outputs }),
        }
    }
}

/// The pair of a finished measurement. `None` where there are too many tokens to picture it, where no pair is the leading
/// one token by token, and where the Jacobian is that of attention at normalised tokens: v is then no change of these.
#[must_use]
pub fn top_pair(measuring: &Measuring) -> Option<TopPair> {
    let experiment = measuring.experiment();
    let (d, n) = measuring.inputs().tokens.shape();
    let is_of_tokens = experiment.normalization == Normalization::None || experiment.scope() == Scope::Composed;
    if !is_of_tokens || n > MOST_MOVABLE || n * d > MOST_MOVABLE_ENTRIES {
        return None;
    }
    let pair = measuring.singular_pair()?;
    // The first of the largest entries is positive; what rounding tells apart is as large.
    let largest = pair.inputs.amax() * (1.0 - 1e-9);
    let sign = pair.inputs.iter().find(|x| x.abs() >= largest).map_or(1.0, |x| x.signum());
    let rows = |matrix: &DMatrix<f64>| Rows::new("The vectors", matrix.nrows(), matrix.as_slice().to_vec()).ok();
    let outputs = if pair.outputs.nrows() == d {
        rows(&(&pair.outputs * sign))
            .zip(rows(&measuring.images()))
            .map(|(directions, images)| PairOutputs { directions, images })
    } else {
        None
    };
    Some(TopPair { sigma: pair.value, inputs: rows(&(&pair.inputs * sign))?, outputs })
}

fn negated(rows: &Rows) -> Rows {
    let entries = rows.entries().iter().map(|x| -x).collect();
    Rows::new("The vectors", rows.n_columns(), entries).unwrap_or_else(|_| rows.clone())
}
