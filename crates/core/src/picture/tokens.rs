//! Tokens on a plane: in their own coordinates for d <= 2, otherwise on their first two principal axes.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::PlaneFrame;
use super::moves::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES};
use crate::experiment::Rows;

/// Tokens on a plane: in their own coordinates for d <= 2, otherwise on their first two principal axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenPicture {
    /// Coordinates of each token or distinct position.
    pub positions: Vec<(f32, f32)>,
    /// Dimension of the tokens.
    pub d: usize,
    /// ln of the multiplicity of each position; `None` if each is one token.
    pub ln_sizes: Option<Vec<f64>>,
    /// Largest token norm.
    pub largest_norm: f64,
    /// The share of variance on each axis; `None` for d <= 2.
    pub variance_shares: Option<(f64, f64)>,
    /// The plane.
    pub frame: PlaneFrame,
    /// The tokens or positions, one per row, if there are few enough to edit.
    pub tokens: Option<Rows>,
}

impl TokenPicture {
    /// The same picture with its axes flipped to point like those of an earlier picture.
    #[must_use]
    pub fn aligned_with(mut self, earlier: &TokenPicture) -> Self {
        if self.variance_shares.is_some() {
            let signs = self.frame.align_with(&earlier.frame);
            for (x, y) in &mut self.positions {
                (*x, *y) = (*x * signs.0 as f32, *y * signs.1 as f32);
            }
        }
        self
    }
}

/// The picture of tokens (d x n), or of positions with ln of their multiplicities.
#[must_use]
pub fn token_picture(tokens: &DMatrix<f64>, ln_sizes: Option<Vec<f64>>) -> TokenPicture {
    let (d, n) = tokens.shape();
    let largest_norm = crate::tokens::largest_norm(tokens);
    let (frame, variance_shares) = if d <= 2 {
        (PlaneFrame::own(d), None)
    } else {
        let mean = tokens.column_mean();
        let centered = DMatrix::from_fn(d, n, |row, col| tokens[(row, col)] - mean[row]);
        let (axes, shares) = principal_axes(&centered);
        let [first, second] = axes.map(|axis| axis.as_slice().to_vec());
        (PlaneFrame { mean: mean.as_slice().to_vec(), axes: [first, second] }, Some(shares))
    };
    let place = |token: &[f64]| {
        let (x, y) = frame.place(token);
        (x as f32, y as f32)
    };
    let positions = tokens.as_slice().chunks_exact(d.max(1)).map(place).collect();
    let is_movable = n <= MOST_MOVABLE && n * d <= MOST_MOVABLE_ENTRIES;
    let rows = is_movable.then(|| Rows::new("The tokens", d, tokens.as_slice().to_vec()).ok()).flatten();
    TokenPicture { positions, d, ln_sizes, largest_norm, variance_shares, frame, tokens: rows }
}

/// The two leading eigenvectors of the covariance (largest entry positive), and their shares of the variance.
fn principal_axes(centered: &DMatrix<f64>) -> ([DVector<f64>; 2], (f64, f64)) {
    let (d, n) = centered.shape();
    // Uses the smaller of the two Gram matrices, which has the same leading eigenvalues.
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
