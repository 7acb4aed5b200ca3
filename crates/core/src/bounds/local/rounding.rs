//! What rounding may add to the norm that is printed, or take from the bounds `local` and `local_blocks`:
//! docs/theory.md section 2, "Rounding".
//!
//! With u = 2^-53 a sum of m products is off by at most gamma_m = m u/(1 - m u) times the sum of their sizes, in any
//! order. From this follow, row by row, a bound on the error of the blocks of J and of the bounds' terms, and a bound
//! on how far the rounding of the scores changes the attention weights. Both enlarge the bounds.

use nalgebra::DMatrix;

use crate::attention::{Centred, Kernel};
use crate::weights::HeadWeights;

/// Unit roundoff.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// How many numbers the sums run over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// Terms of the longest sum over tokens; for clusters, the number of distinct tokens.
    pub(crate) summed: f64,
    /// Rows of attention in all; infinite for clusters, where each row has a weight.
    pub(crate) rows: f64,
}

/// The sizes of a head's queries, keys and values, from which errors follow.
#[derive(Clone, Copy, Debug)]
pub(in crate::bounds) struct Sizes {
    kernel: Kernel,
    /// gamma for the longest sum, with a factor of two for the sums of sums.
    gamma: f64,
    rows: f64,
    /// ||V||.
    value: f64,
    /// Bounds on ||Q|| and ||K||.
    query: f64,
    key: f64,
    /// The largest norm of a token, and the largest norm of a token minus the common part of all tokens.
    token: f64,
    centred: f64,
}

/// The largest error of each kind over the rows added so far.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::bounds) struct Rounding {
    /// The error of block (i, j) is at most P_ij times this, plus the error that `far` and `near` bound.
    block: f64,
    /// The part of the blocks' error that is proportional to |x_j - m_i|, bounded in two ways. In block (i, j) it is at
    /// most P_ij `far`, from the largest distance. Over row i the root of the sum of its squares is at most `near`,
    /// from the standard deviation of the tokens under the row.
    far: f64,
    near: f64,
    /// Error of a row's own part.
    own: f64,
    /// The error of a score, over rows that attend to more than one token.
    score: f64,
    /// The most by which rounding the input's numbers to 16 digits may change J, divided by ||V|| and by the root of
    /// the largest column sum.
    input: f64,
}

/// What the rounding of a row of attention depends on.
#[derive(Clone, Copy, Debug)]
pub(in crate::bounds) struct RoundedRow {
    /// |q_i|.
    pub(in crate::bounds) query: f64,
    /// |b_i|, at the mean of the keys where b_ij depends on j.
    pub(in crate::bounds) gradient: f64,
    /// The distance of q_i from the mean of the keys.
    pub(in crate::bounds) apart: f64,
    /// The variance of the tokens under the row.
    pub(in crate::bounds) variance: f64,
    /// The largest weight.
    pub(in crate::bounds) most: f64,
    /// Whether all other weights are exactly zero.
    pub(in crate::bounds) is_one_hot: bool,
}

impl Sizes {
    /// The sizes of a head at the tokens of `centred`; `value_norm` is ||V||.
    pub(in crate::bounds) fn new(
        kernel: Kernel,
        head: &HeadWeights,
        value_norm: f64,
        centred: &Centred<'_, f64>,
        n: Counts,
    ) -> Self {
        let (k, d) = head.k.shape();
        let longest = n.summed + (d + k + head.v.nrows() + 32) as f64;
        let largest = centred.tokens().column_iter().map(|token| token.norm()).fold(0.0, f64::max);
        Sizes {
            kernel,
            gamma: 2.0 * longest * UNIT / (1.0 - 2.0 * longest * UNIT).max(0.5),
            rows: n.rows,
            value: value_norm,
            query: norm_bound(&head.q),
            key: norm_bound(&head.k),
            token: largest + centred.centre_norm(),
            centred: largest,
        }
    }

    /// An upper bound on |k_j| for tokens less their common part.
    fn largest_key(&self) -> f64 {
        self.key * self.centred
    }

    /// An upper bound on the sizes of the terms of b_ij, from |q_i| and the largest key. The error of b_ij is at most
    /// gamma times this.
    fn gradient_terms(&self, query: f64) -> f64 {
        let keys = if self.kernel.key_square == 0.0 { 0.0 } else { self.largest_key() };
        self.kernel.cross * self.key * (query + keys)
    }
}

impl Rounding {
    /// Adds a row.
    pub(in crate::bounds) fn add(&mut self, sizes: &Sizes, row: RoundedRow) {
        let Sizes { gamma, value, query, token, centred, .. } = *sizes;
        if row.is_one_hot {
            // The mean of such a row is one of its tokens, so the differences subtract equal numbers.
            self.block = self.block.max(gamma * value);
            return;
        }
        let (c, key) = (sizes.kernel.cross, sizes.largest_key());
        let variance = row.variance.max(0.0);
        // The variance may have been rounded to zero.
        let deviation = variance.sqrt() + gamma * centred;
        let is_dot = sizes.kernel.key_square == 0.0;
        // An upper bound on the |b_ij| of the row: where b_ij depends on j, it varies with the keys.
        let gradient = row.gradient + if is_dot { 0.0 } else { c * sizes.key * sizes.key * deviation };
        let apart = row.apart + sizes.key * deviation;
        let terms = sizes.gradient_terms(row.query);
        let score = match is_dot {
            true => 2.0 * gamma * c * (row.query + query * token) * key,
            // The score is -(c/2) |q_i - k_j|^2. Its error is gamma times its size, plus the errors of q_i and k_j
            // times |q_i - k_j|.
            false => 4.0 * gamma * c * apart * (apart + query * centred + key),
        };
        // e^(2 score) - 1: how far an attention weight may be off, relative to itself.
        let weight = (2.0 * score).exp_m1();
        self.score = self.score.max(score);
        let block = gamma * value * (1.0 + 4.0 * centred * gradient) + value * product([weight, deviation, gradient]);
        self.block = self.block.max(block);
        self.far = self.far.max(8.0 * gamma * value * centred * terms);
        self.near = self.near.max(4.0 * gamma * value * deviation * terms);
        let size = c * query * sizes.key;
        let own = 8.0 * gamma * value * centred * deviation * size + 2.0 * product([weight, value, variance, size]);
        self.own = self.own.max(own);
        // How far a score moves where every entry of the tokens changes by u relative to itself.
        let moved = match is_dot {
            true => 2.0 * UNIT * c * (row.query * sizes.key * token + query * token * sizes.key * deviation),
            false => 2.0 * UNIT * c * apart * (query + sizes.key) * token,
        };
        self.input = self.input.max(product([2.0, moved, 1.0 - row.most, 1.0 + 2.0 * deviation * gradient]));
    }

    /// Adds rows that another `Rounding` has taken.
    pub(in crate::bounds) fn append(&mut self, next: Rounding) {
        self.block = self.block.max(next.block);
        self.far = self.far.max(next.far);
        self.near = self.near.max(next.near);
        self.own = self.own.max(next.own);
        self.score = self.score.max(next.score);
        self.input = self.input.max(next.input);
    }

    /// The factor by which a bound is multiplied before [`Rounding::added`] is added. Together they cover all rounding.
    pub(in crate::bounds) fn factor(&self, sizes: &Sizes) -> f64 {
        (2.0 * self.score).exp() * (1.0 + sizes.gamma)
    }

    /// The term added to the bound after [`Rounding::factor`]; `column_sum` is the largest column sum of attention.
    pub(in crate::bounds) fn added(&self, sizes: &Sizes, column_sum: f64) -> f64 {
        let root = column_sum.sqrt();
        self.block * root + (self.far * root).min(self.near * sizes.rows.sqrt()) + self.own
    }

    /// The most by which rounding the input's numbers may change J, in norm.
    pub(in crate::bounds) fn of_input(&self, sizes: &Sizes, column_sum: f64) -> f64 {
        self.input * sizes.value * column_sum.sqrt()
    }
}

/// The product, zero also where one number is zero and another infinite.
fn product<const COUNT: usize>(numbers: [f64; COUNT]) -> f64 {
    if numbers.contains(&0.0) { 0.0 } else { numbers.iter().product() }
}

/// An upper bound on the spectral norm: the smaller of the Frobenius norm and sqrt(r c), where r is the largest
/// absolute row sum and c the largest absolute column sum.
fn norm_bound(matrix: &DMatrix<f64>) -> f64 {
    let rows = matrix.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    let columns = matrix.column_iter().map(|column| column.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    matrix.norm().min(rows.sqrt() * columns.sqrt()) * (1.0 + 1e-12)
}
