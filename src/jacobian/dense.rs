//! The Jacobian as a matrix, block by block from its formula; no code is shared with the matrix-free products, so that
//! each checks the other.

use nalgebra::{DMatrix, DVector};

use crate::attention::{Forward, Kernel};
use crate::experiment::Scope;

/// J, (n d_out) x (n d): row i d_out + r is entry r of output token i, column j d + c is entry c of token j.
#[must_use]
pub fn dense_jacobian(forward: &Forward<f64>) -> DMatrix<f64> {
    let (n, d, d_out) = (forward.n(), forward.d(), forward.d_out());
    let mut jacobian = DMatrix::zeros(n * d_out, n * d);
    let mut buffer = forward.row_buffer();
    for head_idx in 0..forward.n_heads() {
        let head = HeadMatrices::of(forward, head_idx);
        for i in 0..n {
            let reach = forward.reach(&(i..i + 1));
            let block = forward.rows_of_p(head_idx, i..i + 1, &mut buffer);
            head.add_row(i, &block.weights[..reach], &mut jacobian);
        }
    }
    if forward.scope == Scope::Composed {
        // J N, N the normaliser's block-diagonal Jacobian: N is symmetric, so each row of J goes through N.
        let mut transposed = jacobian.transpose();
        for mut row in transposed.column_iter_mut() {
            forward.normalizer.apply_jacobian(row.as_mut_slice());
        }
        jacobian = transposed.transpose();
    }
    jacobian
}

/// One head, with its value matrix taken through the output matrix.
struct HeadMatrices {
    kernel: Kernel,
    /// k x d.
    q: DMatrix<f64>,
    /// k x d.
    k: DMatrix<f64>,
    /// k x n.
    queries: DMatrix<f64>,
    /// k x n.
    keys: DMatrix<f64>,
    /// V, or O_h V: rows x d.
    value: DMatrix<f64>,
    /// V x_j, rows x n.
    values: DMatrix<f64>,
    /// The first entry of an output token that this head writes.
    out_start: usize,
    d_out: usize,
}

impl HeadMatrices {
    fn of(forward: &Forward<f64>, head_idx: usize) -> Self {
        let layout = &forward.heads[head_idx];
        let rows =
            |matrix: &DMatrix<f64>, range: &std::ops::Range<usize>| matrix.rows(range.start, range.len()).into_owned();
        let own_value = rows(&forward.stacked, &layout.v_rows);
        let (value, out_start) = match &forward.output {
            Some(output) => (output.columns(layout.out_rows.start, layout.out_rows.len()) * own_value, 0),
            None => (own_value, layout.out_rows.start),
        };
        HeadMatrices {
            kernel: layout.kernel,
            q: rows(&forward.stacked, &layout.q_rows),
            k: rows(&forward.stacked, &layout.k_rows),
            queries: rows(&forward.projections, &layout.q_rows),
            keys: rows(&forward.projections, &layout.k_rows),
            values: &value * forward.normalizer.outputs(),
            value,
            out_start,
            d_out: forward.d_out(),
        }
    }

    /// a_ij = ds_ij/dx_i.
    fn query_gradient(&self, i: usize, j: usize) -> DVector<f64> {
        let (q, k) = (self.queries.column(i), self.keys.column(j));
        self.q.tr_mul(&q.zip_map(&k, |q, k| self.kernel.query_gradient(q, k)))
    }

    /// b_ij = ds_ij/dx_j.
    fn key_gradient(&self, i: usize, j: usize) -> DVector<f64> {
        let (q, k) = (self.queries.column(i), self.keys.column(j));
        self.k.tr_mul(&q.zip_map(&k, |q, k| self.kernel.key_gradient(q, k)))
    }

    /// Adds block row i; `p_row` holds P_ij for the allowed j.
    fn add_row(&self, i: usize, p_row: &[f64], jacobian: &mut DMatrix<f64>) {
        let (d, n_rows) = (self.q.ncols(), self.value.nrows());
        let mut mean = DVector::zeros(n_rows);
        for (j, p) in p_row.iter().enumerate() {
            mean.axpy(*p, &self.values.column(j), 1.0);
        }
        let row_start = i * self.d_out + self.out_start;
        for (j, p) in p_row.iter().enumerate() {
            let apart = (self.values.column(j) - &mean) * *p;
            let mut block = jacobian.view_mut((row_start, j * d), (n_rows, d));
            block += &self.value * *p;
            block.ger(1.0, &apart, &self.key_gradient(i, j), 1.0);
            let mut own = jacobian.view_mut((row_start, i * d), (n_rows, d));
            own.ger(1.0, &apart, &self.query_gradient(i, j), 1.0);
        }
    }
}
