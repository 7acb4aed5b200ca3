//! What the bound `local` is made of.

/// The terms of `local` for the head with the largest bound; `value` is over all heads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalParts {
    /// The bound over all heads, with what rounding may add, without the normaliser's factor.
    pub value: f64,
    /// The head that the other fields describe.
    pub head_idx: usize,
    /// max_i ||V O_i||.
    pub own: f64,
    /// sqrt(max_j sum_i P_ij w_i).
    pub mixed: f64,
    /// max_j sum_i P_ij, the most attention that one token receives.
    pub column_sum: f64,
    /// max_i w_i.
    pub w: f64,
    /// max_i |b_i|^2, with b the gradient of the score in the key token.
    pub gradient_square: f64,
    /// max_i |b_i|^2 tr C_i: the variance of the tokens under row i of P, times the squared gradient.
    pub spread: f64,
    /// max_i ln(max_j P_ij / min_j P_ij): the range of the scores in a row; infinite where attention underflows.
    pub ln_ratio: f64,
    /// By how much the rounding of the input's numbers to 16 digits may change J, at most, to first order.
    pub of_input: f64,
    /// The bound `local_blocks` with all heads, without the normaliser's factor; `None` for runs of equal tokens, and
    /// where its matrices would be too large.
    pub blocks: Option<f64>,
}
