//! The numbers of pairs of tokens that `local_blocks` needs, for many rows of attention at a time. Squared distances
//! are computed as |x|^2 - 2 x.m + |m|^2, so that one product of matrices gives x.m for all pairs. A bound on its
//! rounding is added to each square, so that the blocks' bounds stay bounds.

use nalgebra::{DMatrix, DVector};

use super::blocks::Pair;
use crate::attention::{Accumulate, View, ViewMut, multiply};
use crate::extremum::largest;

/// The most that |y|^2 times the bound on the rounding of |t|^2 may be.
const MOST_ADDED: f64 = 1e-10;

/// The tokens and matrices that the rows of a head share.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    /// V (r x d) and c K (k x d).
    value: DMatrix<f64>,
    key: DMatrix<f64>,
    /// The mean of all tokens, and the tokens minus this mean, d x columns.
    centre: DVector<f64>,
    tokens: DMatrix<f64>,
    /// V times these tokens, r x columns.
    values: DMatrix<f64>,
    /// The squared lengths of the columns of `tokens` and `values`.
    squares: Vec<f64>,
    value_squares: Vec<f64>,
    most_square: f64,
    /// At least ||V||^2.
    value_norm_square: f64,
}

/// A batch of rows, and its products with all tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairBuffers {
    /// Means of tokens less the centre, then b_i: d x (2 rows). V times the means: r x rows.
    right: Vec<f64>,
    right_values: Vec<f64>,
    /// The products of `right` with the tokens, columns x (2 rows), and of `right_values` with the values, columns x
    /// rows.
    along: Vec<f64>,
    along_values: Vec<f64>,
    reach: usize,
    rows: usize,
}

/// The mean of tokens (d x columns), and the tokens minus the mean.
pub(crate) fn centred(tokens: &DMatrix<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let centre = tokens.column_mean();
    let mut centred = tokens.clone();
    centred.column_iter_mut().for_each(|mut token| token -= &centre);
    (centre, centred)
}

/// out (n_rows x n_columns) = a b.
fn replace(out: &mut [f64], (n_rows, n_columns): (usize, usize), a: View<'_, f64>, b: View<'_, f64>) {
    multiply(ViewMut::new(out, n_rows, n_columns), Accumulate::Replace, a, b, 1.0);
}

impl Pairs {
    /// For V (r x d), c K (k x d) and tokens (d x columns).
    pub(crate) fn new(value: DMatrix<f64>, key: DMatrix<f64>, tokens: &DMatrix<f64>) -> Self {
        let (centre, centred) = centred(tokens);
        let values = &value * &centred;
        let squares = |columns: &DMatrix<f64>| columns.column_iter().map(|column| column.norm_squared()).collect();
        let (squares, value_squares): (Vec<f64>, _) = (squares(&centred), squares(&values));
        let most_square = largest(squares.iter().copied());
        let value_norm_square = value.norm_squared();
        Pairs { value_norm_square, value, key, centre, tokens: centred, values, squares, value_squares, most_square }
    }

    /// Computes the products for some rows with the first `reach` tokens: `means` are the means of the tokens under the
    /// rows (d x rows), `queries` the rows' q_i (k x rows).
    pub(crate) fn take(&self, means: &[f64], queries: View<'_, f64>, reach: usize, buffers: &mut PairBuffers) {
        let ((r, d), k) = (self.value.shape(), self.key.nrows());
        let rows = means.len() / d;
        let PairBuffers { right, right_values, along, along_values, .. } = buffers;
        right.resize(2 * d * rows, 0.0);
        right_values.resize(r * rows, 0.0);
        along.resize(2 * reach * rows, 0.0);
        along_values.resize(reach * rows, 0.0);
        let (centred, gradients) = right.split_at_mut(d * rows);
        for (place, mean) in centred.chunks_exact_mut(d).zip(means.chunks_exact(d)) {
            place.iter_mut().zip(mean).zip(&self.centre).for_each(|((slot, mean), centre)| *slot = mean - centre);
        }
        replace(gradients, (d, rows), View::new(self.key.as_slice(), k, d).transpose(), queries);
        let values = View::new(self.values.as_slice(), r, reach).transpose();
        replace(right_values, (r, rows), View::new(self.value.as_slice(), r, d), View::new(centred, d, rows));
        replace(along_values, (reach, rows), values, View::new(right_values, r, rows));
        let tokens = View::new(self.tokens.as_slice(), d, reach).transpose();
        replace(along, (reach, 2 * rows), tokens, View::new(right, d, 2 * rows));
        (buffers.reach, buffers.rows) = (reach, rows);
    }

    /// The [`Pair`] of each token, in order, for row number `at` of the last [`Pairs::take`]; `None` where the rounding
    /// is too large.
    pub(crate) fn row<'a>(&'a self, buffers: &'a PairBuffers, at: usize) -> Option<impl Iterator<Item = Pair> + 'a> {
        let ((r, d), reach) = (self.value.shape(), buffers.reach);
        let column = |numbers: &'a [f64], at: usize, height: usize| &numbers[at * height..(at + 1) * height];
        let square = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>();
        let mean = column(&buffers.right, at, d);
        let gradient = column(&buffers.right, buffers.rows + at, d);
        let along_mean: f64 = mean.iter().zip(gradient).map(|(x, y)| x * y).sum();
        let (mean_square, y) = (square(mean), square(gradient));
        let value_square = square(column(&buffers.right_values, at, r));
        // A sum of d products is off by at most d/2 epsilon times the sum of their absolute values.
        let (error, value_error) = ((d + 4) as f64 * f64::EPSILON, (r + 4) as f64 * f64::EPSILON);
        // At t = 0 a block's bound grows by half the root of the product of |y|^2 and the amount added to |t|^2.
        let added = y * error * 2.0 * self.most_square;
        if added.is_nan() || added > MOST_ADDED {
            return None;
        }
        let root = error * y.sqrt();
        let products = column(&buffers.along, at, reach).iter().zip(column(&buffers.along, buffers.rows + at, reach));
        let values = column(&buffers.along_values, at, reach).iter().zip(&self.value_squares);
        Some(products.zip(&self.squares).zip(values).map(move |(((along, product), square), (along_value, value))| {
            let distance = |one: f64, other: f64, along: f64, error: f64| {
                ((one + other - 2.0 * along) + error * (one + other)).max(0.0)
            };
            Pair {
                t: distance(*square, mean_square, *along, error),
                y,
                // |x| + |m| is at most the root of 2 (|x|^2 + |m|^2).
                product: product - along_mean + root * (2.0 * (square + mean_square)).sqrt(),
                // V x was rounded in proportion to ||V|| |x|, not to |V x|.
                value: distance(*value, value_square, *along_value, value_error)
                    + error * self.value_norm_square * (square + mean_square),
            }
        }))
    }
}
