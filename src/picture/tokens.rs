//! Tokens on a plane: themselves for d <= 2, else on their first two principal axes.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// Tokens on a plane: themselves for d <= 2, else on their first two principal axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenPicture {
    /// One pair a token, or a distinct position.
    pub positions: Vec<(f32, f32)>,
    /// Dimension of the tokens.
    pub d: usize,
    /// ln of how many tokens each position stands for; `None` where each is one token.
    pub ln_sizes: Option<Vec<f64>>,
    /// Largest token norm.
    pub largest_norm: f64,
    /// The share of variance on each axis; `None` where the plane is the tokens' own.
    pub variance_shares: Option<(f64, f64)>,
}

/// The token picture of d x n tokens, or of positions with the logarithms of their multiplicities.
#[must_use]
pub fn token_picture(tokens: &DMatrix<f64>, ln_sizes: Option<Vec<f64>>) -> TokenPicture {
    let (d, n) = tokens.shape();
    let largest_norm = crate::tokens::largest_norm(tokens);
    if d <= 2 {
        let positions = tokens.column_iter().map(|t| (t[0] as f32, t.get(1).copied().unwrap_or(0.0) as f32)).collect();
        return TokenPicture { positions, d, ln_sizes, largest_norm, variance_shares: None };
    }
    let mean = tokens.column_mean();
    let centered = DMatrix::from_fn(d, n, |row, col| tokens[(row, col)] - mean[row]);
    let (axes, shares) = principal_axes(&centered);
    let positions = centered.column_iter().map(|t| (axes[0].dot(&t) as f32, axes[1].dot(&t) as f32)).collect();
    TokenPicture { positions, d, ln_sizes, largest_norm, variance_shares: Some(shares) }
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
