//! The largest row sum of the norms of a Jacobian's blocks, from which the max-token bound follows.

use nalgebra::DMatrix;

use crate::parallel::{self, Schedule};
use crate::spectral::largest_singular_value;

/// The most blocks whose norms are computed, each by a small SVD.
const MOST_BLOCKS: usize = 20_000;

/// max_i sum_j ||J_ij||_2 over blocks of d_out rows and d columns; `None` where there are too many blocks.
pub(super) fn max_token(jacobian: &DMatrix<f64>, (d_out, d): (usize, usize)) -> Option<f64> {
    let (n, n_rows) = (jacobian.ncols() / d, jacobian.nrows() / d_out);
    if d.min(d_out) > 1 && n * n_rows > MOST_BLOCKS {
        return None;
    }
    let row_sum = |i: usize| -> f64 {
        let block = |j: usize| jacobian.view((i * d_out, j * d), (d_out, d));
        (0..n)
            .map(|j| match d.min(d_out) {
                1 => block(j).norm(),
                _ => largest_singular_value(&block(j).into_owned()),
            })
            .sum()
    };
    let operations = 20 * jacobian.len() * d.min(d_out);
    let sums = parallel::map(Schedule::of(operations as u64), n_rows, &row_sum);
    Some(sums.into_iter().fold(0.0, f64::max))
}
