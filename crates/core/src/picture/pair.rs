//! The leading singular pair of the Jacobian, token by token: the small change of the tokens that changes the outputs
//! most.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::moves::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES};
use crate::cost::shape_of;
use crate::experiment::{Experiment, InputError, Normalization, Rows, Scope};
use crate::measure::cost::check_with_pictures;
use crate::measure::{self, MeasureOptions, Measuring};

/// Whether the leading singular pair is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PairRequest {
    /// Computed, if it can be drawn.
    Included,
    /// Not computed.
    Skipped,
}

/// J v = sigma u, |u| = |v| = 1, in the coordinates of the tokens: one row per token or position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TopPair {
    /// ||J||_2.
    pub sigma: f64,
    /// v: n rows of d.
    pub inputs: Rows,
    /// u and F(X), if outputs have the dimension of the tokens, so that both can be drawn together.
    pub outputs: Option<PairOutputs>,
}

/// The output side of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairOutputs {
    /// u: n rows of d.
    pub directions: Rows,
    /// F(X): n rows of d.
    pub images: Rows,
}

impl TopPair {
    /// The same pair, with u and v negated where that brings it nearer to an earlier pair.
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

/// Refuses a measurement that is too large, alone or with its [`top_pair`], before tokens or weights are drawn.
///
/// # Errors
/// As [`measure::check`].
pub fn check_with_pair(experiment: &Experiment, options: &MeasureOptions) -> Result<(), InputError> {
    let shape = shape_of(experiment);
    let [n, d] = [shape.n, shape.d].map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    if can_be_drawn(experiment, n, d) {
        check_with_pictures(experiment, options)
    } else {
        measure::check(experiment, options)
    }
}

/// Whether the leading pair of an experiment with n tokens of dimension d can be drawn, judged by its sizes and its
/// normaliser.
fn can_be_drawn(experiment: &Experiment, n: usize, d: usize) -> bool {
    let is_of_tokens = experiment.normalization == Normalization::None || experiment.scope() == Scope::Composed;
    is_of_tokens && n <= MOST_MOVABLE && n.saturating_mul(d) <= MOST_MOVABLE_ENTRIES
}

/// The leading pair of a finished measurement. `None` if there are too many tokens to draw, if the pair is not
/// determined token by token, and if J is taken at normalised tokens: v is then not a change of the original tokens.
#[must_use]
pub fn top_pair(measuring: &Measuring) -> Option<TopPair> {
    let (d, n) = measuring.inputs().tokens.shape();
    if !can_be_drawn(measuring.experiment(), n, d) {
        return None;
    }
    let pair = measuring.singular_pair()?;
    // Makes the first of the largest entries positive; the tolerance treats entries that differ by rounding as equal.
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
