//! How far rounding moves the Jacobian of dot-product attention: docs/numerics.md, "Rounding".
//!
//! With u = 2^-53 a sum of m products is off by at most gamma_m = m u/(1 - m u) times the sum of their sizes, in any
//! order. From this follow, row by row, a bound on the error of the blocks of J and of the bounds' terms, and a bound
//! on how far the rounding of the scores changes the attention weights. Both enlarge the bounds.

use nalgebra::DMatrix;

use crate::attention::Centred;
use crate::extremum::{largest, maximum, minimum};
use crate::spectral::{column_lengths, length};
use crate::weights::HeadWeights;

/// Unit roundoff.
pub(super) const UNIT: f64 = 0.5 * f64::EPSILON;

/// gamma for a sum of this many terms, with a factor of two for the sums of sums.
pub(crate) fn gamma(longest: f64) -> f64 {
    2.0 * longest * UNIT / (1.0 - 2.0 * longest * UNIT).max(0.5)
}

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
pub(crate) struct Sizes {
    /// c of the scores c q.k.
    scale: f64,
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
    /// How far a token may be off that comes from a normaliser.
    normalized: f64,
}

/// The largest error of each kind over the rows added so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounding {
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
pub(crate) struct RoundedRow {
    /// |q_i|.
    pub(crate) query: f64,
    /// |b_i|.
    pub(crate) gradient: f64,
    /// The variance of the tokens under the row.
    pub(crate) variance: f64,
    /// The largest weight.
    pub(crate) most: f64,
    pub(crate) one_hot: OneHot,
}

/// Whether all weights of a row but one are exactly zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum OneHot {
    No,
    /// They are, and their scores are lower by this or more, without what is added to scores.
    Gap(f64),
}

/// Weights that were computed as zero are at most e^-745 of the largest one: where scores are off by less than this, they
/// are exactly zero to all purposes.
const MOST_OF_ONE_HOT: f64 = 100.0;
/// A score so far below the largest one has no weight to all purposes.
const FAR_BELOW: f64 = 600.0;

impl Sizes {
    /// The sizes of a head at the tokens of `centred`; `value_norm` is ||V||.
    pub(crate) fn new(
        scale: f64,
        head: &HeadWeights,
        value_norm: f64,
        (centred, normalized): (&Centred<'_, f64>, f64),
        n: Counts,
    ) -> Self {
        let (k, d) = head.k.shape();
        let longest = n.summed + (d + k + head.v.nrows() + 32) as f64;
        let most = largest(column_lengths(centred.tokens()));
        Sizes {
            scale,
            gamma: gamma(longest),
            rows: n.rows,
            value: value_norm,
            query: norm_bound(&head.q),
            key: norm_bound(&head.k),
            token: most + centred.centre_norm(),
            centred: most,
            normalized,
        }
    }

    /// An upper bound on |k_j| for tokens less their common part.
    fn largest_key(&self) -> f64 {
        self.key * self.centred
    }

    /// An upper bound on the sizes of the terms of b_i, from |q_i|. The error of b_i is at most gamma times this.
    fn gradient_terms(&self, query: f64) -> f64 {
        self.scale * self.key * query
    }

    /// gamma of the longest sum.
    pub(crate) fn gamma(&self) -> f64 {
        self.gamma
    }
}

impl Rounding {
    /// Adds a row.
    pub(crate) fn add(&mut self, sizes: &Sizes, row: RoundedRow) {
        let Sizes { gamma, value, query, token, centred, normalized, .. } = *sizes;
        let (c, key) = (sizes.scale, sizes.largest_key());
        let of_token = normalized * c * (sizes.key * row.query + query * (key + sizes.key * normalized));
        let score = 2.0 * gamma * c * (row.query + query * token) * key + 2.0 * of_token;
        if let OneHot::Gap(gap) = row.one_hot {
            // The mean of such a row is one of its tokens, so the differences subtract equal numbers.
            self.block = maximum(self.block, gamma * value);
            // Unless its scores are so large that rounding may have chosen the token.
            let is_far = gap - 2.0 * score > FAR_BELOW;
            if 2.0 * score > MOST_OF_ONE_HOT && !is_far {
                self.score = f64::INFINITY;
            }
            return;
        }
        let variance = row.variance.max(0.0);
        // The variance may have been rounded to zero.
        let deviation = variance.sqrt() + gamma * centred;
        let gradient = row.gradient;
        // The errors of b_i, over 2 gamma and as it is.
        let terms = sizes.gradient_terms(row.query);
        let moved_gradient = c * sizes.key * query * normalized;
        // e^(2 score) - 1: how far an attention weight may be off, relative to itself.
        let weight = (2.0 * score).exp_m1();
        self.score = maximum(self.score, score);
        let block = gamma * value * (1.0 + 4.0 * centred * gradient)
            + value * (product([weight, deviation, gradient]) + 2.0 * normalized * (gradient + moved_gradient));
        self.block = maximum(self.block, block);
        self.far = maximum(self.far, 2.0 * value * centred * (4.0 * gamma * terms + moved_gradient));
        self.near = maximum(self.near, value * deviation * (4.0 * gamma * terms + moved_gradient));
        let size = c * query * sizes.key;
        let own = (8.0 * gamma * centred + 4.0 * normalized) * value * (deviation + normalized) * size
            + 2.0 * product([weight, value, variance, size]);
        self.own = maximum(self.own, own);
        // How far a score moves where every entry of the tokens changes by u relative to itself.
        let moved = 2.0 * UNIT * c * (row.query * sizes.key * token + query * token * sizes.key * deviation);
        self.input = maximum(self.input, product([2.0, moved, 1.0 - row.most, 1.0 + 2.0 * deviation * gradient]));
    }

    /// Adds rows that another `Rounding` has taken.
    pub(crate) fn append(&mut self, next: Rounding) {
        self.block = maximum(self.block, next.block);
        self.far = maximum(self.far, next.far);
        self.near = maximum(self.near, next.near);
        self.own = maximum(self.own, next.own);
        self.score = maximum(self.score, next.score);
        self.input = maximum(self.input, next.input);
    }

    /// How far attention weights may be off, relative to themselves. With [`Rounding::added`] this covers all rounding of
    /// the blocks.
    pub(crate) fn relative(&self) -> f64 {
        (2.0 * self.score).exp_m1()
    }

    /// How far the blocks may be off besides, in norm; `column_sum` is the largest column sum of attention.
    pub(crate) fn added(&self, sizes: &Sizes, column_sum: f64) -> f64 {
        let root = column_sum.sqrt();
        self.block * root + minimum(self.far * root, product([self.near, sizes.rows.sqrt()])) + self.own
    }

    /// The most by which rounding the input's numbers may change J, in norm.
    pub(crate) fn of_input(&self, sizes: &Sizes, column_sum: f64) -> f64 {
        self.input * sizes.value * column_sum.sqrt()
    }
}

/// The product, zero also where one number is zero and another infinite.
fn product<const COUNT: usize>(numbers: [f64; COUNT]) -> f64 {
    if numbers.contains(&0.0) { 0.0 } else { numbers.iter().product() }
}

/// An upper bound on the spectral norm: the smaller of the Frobenius norm and sqrt(r c), where r is the largest
/// absolute row sum and c the largest absolute column sum.
pub(crate) fn norm_bound(matrix: &DMatrix<f64>) -> f64 {
    let rows = largest(matrix.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()));
    let columns = largest(matrix.column_iter().map(|column| column.iter().map(|x| x.abs()).sum::<f64>()));
    minimum(length(matrix.as_slice()), rows.sqrt() * columns.sqrt()) * (1.0 + 1e-12)
}
