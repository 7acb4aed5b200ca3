//! What the page draws of one configuration besides its norm: the attention matrix of a head and the token plane.
//! Small enough to send between threads, whatever n.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use crate::attention::Forward;

/// The attention matrix of one head, averaged over cells where n is large, and the attention that each token draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AttentionPicture {
    /// Which head.
    pub head_idx: usize,
    /// Number of tokens.
    pub n: usize,
    /// Cells a side: n, or fewer where the matrix is averaged.
    pub side: usize,
    /// side x side, row by row: mean attention weight from row token(s) to column token(s).
    pub weights: Vec<f32>,
    /// c_j = sum_i P_ij, the attention mass that token j receives; n numbers.
    pub column_sums: Vec<f32>,
}

/// Tokens on a plane: themselves for d <= 2, else on their first two principal axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenPicture {
    /// One pair a token.
    pub positions: Vec<(f32, f32)>,
    /// Dimension of the tokens.
    pub d: usize,
    /// Largest token norm.
    pub largest_norm: f64,
    /// The share of variance on each axis; `None` where the plane is the tokens' own.
    pub variance_shares: Option<(f64, f64)>,
}

/// The attention picture of a head, with at most `most_cells` cells a side.
#[must_use]
pub fn attention_picture(forward: &Forward<f64>, head_idx: usize, most_cells: usize) -> AttentionPicture {
    let n = forward.n();
    let head_idx = head_idx.min(forward.n_heads().saturating_sub(1));
    let side = n.min(most_cells.max(1));
    let cell_of = |token: usize| token * side / n;
    let mut sums = vec![0.0f64; side * side];
    let mut column_sums = vec![0.0f64; n];
    let mut buffer = forward.row_buffer();
    for rows in forward.row_blocks() {
        let reach = forward.reach(&rows);
        let block = forward.rows_of_p(head_idx, rows.clone(), &mut buffer);
        for (row, p_row) in rows.zip(block.weights.chunks(block.stride)) {
            let cells = &mut sums[cell_of(row) * side..][..side];
            for (column, p) in p_row[..reach].iter().enumerate() {
                cells[cell_of(column)] += p;
                column_sums[column] += p;
            }
        }
    }
    let mut tokens_a_cell = vec![0.0f64; side];
    (0..n).for_each(|token| tokens_a_cell[cell_of(token)] += 1.0);
    let weights = sums
        .iter()
        .enumerate()
        .map(|(at, sum)| (sum / (tokens_a_cell[at / side] * tokens_a_cell[at % side])) as f32)
        .collect();
    AttentionPicture { head_idx, n, side, weights, column_sums: column_sums.iter().map(|c| *c as f32).collect() }
}

/// The token picture of d x n tokens.
#[must_use]
pub fn token_picture(tokens: &DMatrix<f64>) -> TokenPicture {
    let (d, n) = tokens.shape();
    let largest_norm = tokens.column_iter().map(|token| token.norm()).fold(0.0, f64::max);
    if d <= 2 {
        let positions = tokens.column_iter().map(|t| (t[0] as f32, t.get(1).copied().unwrap_or(0.0) as f32)).collect();
        return TokenPicture { positions, d, largest_norm, variance_shares: None };
    }
    let mean = tokens.column_mean();
    let centered = DMatrix::from_fn(d, n, |row, col| tokens[(row, col)] - mean[row]);
    let (axes, shares) = principal_axes(&centered);
    let positions = centered.column_iter().map(|t| (axes[0].dot(&t) as f32, axes[1].dot(&t) as f32)).collect();
    TokenPicture { positions, d, largest_norm, variance_shares: Some(shares) }
}

/// The two leading eigenvectors of the covariance (largest entry positive), and their shares of the variance.
fn principal_axes(centered: &DMatrix<f64>) -> ([DVector<f64>; 2], (f64, f64)) {
    let (d, n) = centered.shape();
    // The smaller of the two Gram matrices has the same leading eigenvalues.
    let eigen = if d <= n {
        (centered * centered.transpose()).symmetric_eigen()
    } else {
        centered.tr_mul(centered).symmetric_eigen()
    };
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let total: f64 = eigen.eigenvalues.iter().map(|x| x.max(0.0)).sum();
    let axis = |rank: usize| -> (DVector<f64>, f64) {
        let Some(at) = order.get(rank) else { return (DVector::zeros(d), 0.0) };
        let vector = eigen.eigenvectors.column(*at);
        let mut axis: DVector<f64> = if d <= n { vector.into_owned() } else { centered * vector };
        let length = axis.norm();
        if length > 0.0 {
            let sign = axis[axis.iamax()].signum();
            axis /= sign * length;
        }
        (axis, if total > 0.0 { eigen.eigenvalues[*at].max(0.0) / total } else { 0.0 })
    };
    let ((first, first_share), (second, second_share)) = (axis(0), axis(1));
    ([first, second], (first_share, second_share))
}
