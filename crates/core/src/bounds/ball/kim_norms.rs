//! The norms of \[K\]'s matrices, without a hypothesis.

use nalgebra::DMatrix;

use crate::spectral::largest_singular_value;
use crate::weights::L2Mha;

/// The norms of \[K\]'s matrices that the two bounds need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bounds) struct KimNorms {
    /// The number of columns of W_Q of one head.
    pub(in crate::bounds) k: f64,
    /// max_h ||W_Q,h||_inf ||W_Q,h^T||_inf.
    pub(in crate::bounds) query_linf: f64,
    /// max_h ||W_V,h^T||_inf.
    pub(in crate::bounds) value_linf: f64,
    /// ||W_O^T||_inf.
    pub(in crate::bounds) output_linf: f64,
    /// sum_h ||W_Q,h||_2^4 ||W_V,h||_2^2.
    pub(in crate::bounds) heads: f64,
    /// ||W_O||_2.
    pub(in crate::bounds) output: f64,
}

impl KimNorms {
    pub(in crate::bounds) fn of(weights: &L2Mha) -> Self {
        let pairs = || weights.queries.iter().zip(&weights.values);
        KimNorms {
            k: weights.queries.first().map_or(1, DMatrix::ncols) as f64,
            query_linf: weights.queries.iter().map(|q| row_sum(q) * column_sum(q)).fold(0.0, f64::max),
            value_linf: weights.values.iter().map(column_sum).fold(0.0, f64::max),
            output_linf: column_sum(&weights.output),
            heads: pairs().map(|(q, v)| largest_singular_value(q).powi(4) * largest_singular_value(v).powi(2)).sum(),
            output: largest_singular_value(&weights.output),
        }
    }
}

/// Largest absolute row sum.
fn row_sum(matrix: &DMatrix<f64>) -> f64 {
    matrix.row_iter().map(|row| row.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}

/// Largest absolute column sum, the row sum of the transpose.
fn column_sum(matrix: &DMatrix<f64>) -> f64 {
    matrix.column_iter().map(|column| column.iter().map(|x| x.abs()).sum()).fold(0.0, f64::max)
}
