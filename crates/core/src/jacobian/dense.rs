//! The Jacobian as a dense matrix, block by block from its formula. It shares no code with the matrix-free products, so
//! that each checks the other.

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
        // J N with N the normaliser's block-diagonal Jacobian: N is symmetric, so it applies to each row of J.
        let mut transposed = jacobian.transpose();
        for mut row in transposed.column_iter_mut() {
            forward.normalizer.apply_jacobian(row.as_mut_slice());
        }
        jacobian = transposed.transpose();
    }
    jacobian
}

/// The numbers u_i^T J_ij v_j for a field v and a covector u, row by row, in O(d + k) per block and head.
///
/// u_i^T J_ij v_j = P_ij \[(V^T u_i).v_j + u_i^T V (x_j - m_i) b_ij.v_j\] + delta_ij u_i^T V O_i v_i. At a singular
/// triplet, J v = s u and J^T u = s v, so these numbers over s sum to |u_i|^2 over j and to |v_j|^2 over i.
#[derive(Clone, Debug)]
pub struct BlockRows {
    heads: Vec<(HeadMatrices, Along)>,
    /// The normaliser's Jacobian times v, n d.
    field: Vec<f64>,
    buffer: Vec<f64>,
}

/// Q v and K v of one head, k x n.
#[derive(Clone, Debug)]
struct Along {
    queries: DMatrix<f64>,
    keys: DMatrix<f64>,
}

impl BlockRows {
    /// For a field v (n d numbers) at a forward pass.
    #[must_use]
    pub fn new(forward: &Forward<f64>, v: &[f64]) -> Self {
        let mut field = v.to_vec();
        if forward.scope == Scope::Composed {
            forward.normalizer.apply_jacobian(&mut field);
        }
        let tokens = DMatrix::from_column_slice(forward.d(), forward.n(), &field);
        let heads = (0..forward.n_heads())
            .map(|head_idx| {
                let head = HeadMatrices::of(forward, head_idx);
                let along = Along { queries: &head.q * &tokens, keys: &head.k * &tokens };
                (head, along)
            })
            .collect();
        BlockRows { heads, field, buffer: forward.row_buffer() }
    }

    /// u_i^T J_ij v_j for every j that row i attends to.
    #[must_use]
    pub fn row(&mut self, forward: &Forward<f64>, i: usize, u_i: &[f64]) -> Vec<f64> {
        let d = forward.d();
        let mut row = vec![0.0; forward.reach(&(i..i + 1))];
        for (head_idx, (head, along)) in self.heads.iter().enumerate() {
            let block = forward.rows_of_p(head_idx, i..i + 1, &mut self.buffer);
            let p_row = &block.weights[..row.len()];
            let u_i = DVector::from_column_slice(&u_i[head.out_start..head.out_start + head.value.nrows()]);
            let through_value = head.value.tr_mul(&u_i);
            let projected: Vec<f64> = (0..row.len()).map(|j| head.values.column(j).dot(&u_i)).collect();
            let mean: f64 = p_row.iter().zip(&projected).map(|(p, x)| p * x).sum();
            let (query, kernel) = (head.queries.column(i), head.kernel);
            let own_query = along.queries.column(i);
            let mut own = 0.0;
            for (j, p) in p_row.iter().enumerate() {
                let (key, key_along) = (head.keys.column(j), along.keys.column(j));
                let apart = p * (projected[j] - mean);
                let of_key: f64 = (0..query.len()).map(|r| kernel.key_gradient(query[r], key[r]) * key_along[r]).sum();
                let of_query: f64 =
                    (0..query.len()).map(|r| kernel.query_gradient(query[r], key[r]) * own_query[r]).sum();
                let own_value: f64 =
                    through_value.iter().zip(&self.field[j * d..(j + 1) * d]).map(|(x, y)| x * y).sum();
                row[j] += p * own_value + apart * of_key;
                own += apart * of_query;
            }
            row[i] += own;
        }
        row
    }

    /// J_ij, d_out x d; zero where i does not attend to j.
    #[must_use]
    pub fn block(&mut self, forward: &Forward<f64>, i: usize, j: usize) -> DMatrix<f64> {
        let (n, d, d_out) = (forward.n(), forward.d(), forward.d_out());
        let reach = forward.reach(&(i..i + 1));
        // The matrix holds only this row of blocks.
        let mut row = DMatrix::zeros(d_out, n * d);
        for (head_idx, (head, _)) in self.heads.iter().enumerate() {
            let block = forward.rows_of_p(head_idx, i..i + 1, &mut self.buffer);
            head.add_row_at(0, i, &block.weights[..reach], &mut row);
        }
        if forward.scope == Scope::Composed {
            let mut transposed = row.transpose();
            for mut column in transposed.column_iter_mut() {
                forward.normalizer.apply_jacobian(column.as_mut_slice());
            }
            row = transposed.transpose();
        }
        row.columns(j * d, d).into_owned()
    }
}

/// One head, its value matrix multiplied by its block of the output matrix.
#[derive(Clone, Debug)]
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
        let own_value = forward.stacked.rows(&layout.v_rows);
        let (value, out_start) = match &forward.output {
            Some(output) => (output.columns(layout.out_rows.start, layout.out_rows.len()) * own_value, 0),
            None => (own_value, layout.out_rows.start),
        };
        HeadMatrices {
            kernel: layout.kernel,
            q: forward.stacked.rows(&layout.q_rows),
            k: forward.stacked.rows(&layout.k_rows),
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
        self.add_row_at(i * self.d_out, i, p_row, jacobian);
    }

    /// Adds block row i to the rows of a matrix from `first` on.
    fn add_row_at(&self, first: usize, i: usize, p_row: &[f64], jacobian: &mut DMatrix<f64>) {
        let (d, n_rows) = (self.q.ncols(), self.value.nrows());
        let mut mean = DVector::zeros(n_rows);
        for (j, p) in p_row.iter().enumerate() {
            mean.axpy(*p, &self.values.column(j), 1.0);
        }
        let row_start = first + self.out_start;
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
