//! The steps of proofs, and what they lose.

use serde::{Deserialize, Serialize};

/// A step of a bound's proof and the factor lost by it at these tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackFactor {
    /// The step.
    pub kind: SlackKind,
    /// The factor by which this step enlarges the bound, at least one.
    pub times: f64,
}

/// A step in the proof of an upper bound (docs/theory.md section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlackKind {
    /// The norms of the own and the mixed part of the Jacobian are added, and those of the heads.
    Parts,
    /// The largest column sum of P is replaced by its maximum for this n and a.
    ColumnSums,
    /// |A x_i| is replaced by ||A|| R.
    ANorm,
    /// The standard deviation of the tokens under attention is replaced by R.
    Radius,
    /// |V x| is replaced by ||V|| |x|.
    VNorm,
    /// max_j sum_i P_ij w_i is replaced by the product of the largest column sum and the largest w_i.
    Alignment,
    /// Every column sum is replaced by n, and the parts are bounded separately.
    Length,
    /// The exponential is e^(2a), where e^a is enough.
    Exponent,
    /// Each row of the mixed part is bounded by itself, as if one perturbation reached the bound of every row and of the
    /// own part, with ||V|| for every direction.
    Rows,
    /// The range of the scores in a row is replaced by 2a.
    Scores,
    /// The norm of the own part is replaced by v a.
    Own,
}
