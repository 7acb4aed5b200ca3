//! The Jacobian as a dense matrix, block by block from its formula. It shares no code with the matrix-free products:
//! the tests compare the two. The formula here is that of plain attention, with any mask, bias and scale; where a step
//! has a derivative of its own, the blocks come from [`StepsRows`].

use nalgebra::{DMatrix, DVector};

use super::dense_steps::StepsRows;
use crate::attention::{Forward, Kernel};
use crate::experiment::Scope;

/// Rows of blocks written together, so that a column receives one contiguous run of entries.
const ROWS_AT_ONCE: usize = 16;

/// J, (n d_out) x (n d): row i d_out + r is entry r of output token i, column j d + c is entry c of token j.
#[must_use]
pub fn dense_jacobian(forward: &Forward<f64>) -> DMatrix<f64> {
    let (n, d, d_out) = (forward.n(), forward.d(), forward.d_out());
    let mut jacobian = DMatrix::zeros(n * d_out, n * d);
    let mut buffer = forward.row_buffer();
    if !forward.steps.have_plain_jacobian() {
        let steps = StepsRows::new(forward);
        for i in 0..n {
            let row = through_normalizer(forward, steps.row(forward, i, &mut buffer));
            jacobian.rows_mut(i * d_out, d_out).copy_from(&row);
        }
        return jacobian;
    }
    for map_idx in 0..forward.maps.len() {
        let head = HeadMatrices::of(forward, map_idx);
        let gradients = Gradients::of(&head);
        for first in (0..n).step_by(ROWS_AT_ONCE) {
            let rows = (first..n.min(first + ROWS_AT_ONCE)).map(|i| {
                let reach = forward.reach(&(i..i + 1));
                let block = forward.rows_of_p(map_idx, i..i + 1, &mut buffer);
                head.row(&gradients, i, &block.weights[..reach])
            });
            head.add_rows(first * d_out, &rows.collect::<Vec<_>>(), &mut jacobian);
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
    maps: Vec<(HeadMatrices, Along)>,
    /// The blocks themselves, where the formula above is not theirs.
    steps: Option<StepsRows>,
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
    /// Prepares the numbers for a field v (n d numbers) at a forward pass.
    #[must_use]
    pub fn new(forward: &Forward<f64>, v: &[f64]) -> Self {
        let mut field = v.to_vec();
        if forward.scope == Scope::Composed {
            forward.normalizer.apply_jacobian(&mut field);
        }
        let tokens = DMatrix::from_column_slice(forward.d(), forward.n(), &field);
        let steps = StepsRows::of_steps(forward);
        let plain = if steps.is_some() { 0 } else { forward.maps.len() };
        let maps = (0..plain)
            .map(|map_idx| {
                let head = HeadMatrices::of(forward, map_idx);
                let along = Along { queries: &head.q * &tokens, keys: &head.k * &tokens };
                (head, along)
            })
            .collect();
        BlockRows { maps, steps, field, buffer: forward.row_buffer() }
    }

    /// u_i^T J_ij v_j for every j that row i attends to.
    #[must_use]
    pub fn row(&mut self, forward: &Forward<f64>, i: usize, u_i: &[f64]) -> Vec<f64> {
        let d = forward.d();
        let mut row = vec![0.0; forward.reach(&(i..i + 1))];
        if let Some(steps) = &self.steps {
            let blocks = steps.row(forward, i, &mut self.buffer).tr_mul(&DVector::from_column_slice(u_i));
            for ((slot, block), v_j) in row.iter_mut().zip(blocks.as_slice().chunks(d)).zip(self.field.chunks(d)) {
                *slot = block.iter().zip(v_j).map(|(x, y)| x * y).sum();
            }
            return row;
        }
        for (map_idx, (head, along)) in self.maps.iter().enumerate() {
            let block = forward.rows_of_p(map_idx, i..i + 1, &mut self.buffer);
            let p_row = &block.weights[..row.len()];
            let u_i = DVector::from_column_slice(&u_i[head.out_start..head.out_start + head.value.nrows()]);
            let through_value = head.value.tr_mul(&u_i);
            let projected: Vec<f64> = (0..row.len()).map(|j| head.values.column(j).dot(&u_i)).collect();
            let mean: f64 = p_row.iter().zip(&projected).map(|(p, x)| p * x).sum();
            let (query, kernel) = (head.queries.column(i), head.kernel);
            let own_query = along.queries.column(i);
            let top_key = head.keys.column(top_of(p_row));
            let mut own = 0.0;
            for (j, p) in p_row.iter().enumerate() {
                let (key, key_along) = (head.keys.column(j), along.keys.column(j));
                let difference = p * (projected[j] - mean);
                let of_key: f64 = (0..query.len()).map(|r| kernel.key_gradient(query[r], key[r]) * key_along[r]).sum();
                let of_query: f64 = (0..query.len()).map(|r| kernel.cross * (key[r] - top_key[r]) * own_query[r]).sum();
                let own_value: f64 =
                    through_value.iter().zip(&self.field[j * d..(j + 1) * d]).map(|(x, y)| x * y).sum();
                row[j] += head.coefficient * (p * own_value + difference * of_key);
                own += difference * of_query;
            }
            if let Some(slot) = row.get_mut(i) {
                *slot += head.coefficient * own;
            }
        }
        row
    }

    /// J_ij, d_out x d; zero where i does not attend to j.
    #[must_use]
    pub fn block(&mut self, forward: &Forward<f64>, i: usize, j: usize) -> DMatrix<f64> {
        let row = if let Some(steps) = &self.steps {
            through_normalizer(forward, steps.row(forward, i, &mut self.buffer))
        } else {
            let maps: Vec<_> = self.maps.iter().map(|(head, _)| (head, Gradients::of(head))).collect();
            row_of_blocks(forward, maps.iter().map(|(head, own)| (*head, own)), i, &mut self.buffer)
        };
        row.columns(j * forward.d(), forward.d()).into_owned()
    }
}

/// The dense Jacobian, one row of blocks at a time: J_i1, J_i2, ..
#[derive(Clone, Debug)]
pub struct DenseRows {
    maps: Vec<(HeadMatrices, Gradients)>,
    /// The blocks where the plain formula is not theirs.
    steps: Option<StepsRows>,
    buffer: Vec<f64>,
}

impl DenseRows {
    /// Prepares the rows at a forward pass.
    #[must_use]
    pub fn new(forward: &Forward<f64>) -> Self {
        let steps = StepsRows::of_steps(forward);
        let plain = if steps.is_some() { 0 } else { forward.maps.len() };
        let maps = (0..plain).map(|map_idx| {
            let head = HeadMatrices::of(forward, map_idx);
            let gradients = Gradients::of(&head);
            (head, gradients)
        });
        DenseRows { maps: maps.collect(), steps, buffer: forward.row_buffer() }
    }

    /// The blocks of row i side by side, d_out x (n d); zero where i does not attend to j.
    #[must_use]
    pub fn row(&mut self, forward: &Forward<f64>, i: usize) -> DMatrix<f64> {
        if let Some(steps) = &self.steps {
            return through_normalizer(forward, steps.row(forward, i, &mut self.buffer));
        }
        row_of_blocks(forward, self.maps.iter().map(|(head, own)| (head, own)), i, &mut self.buffer)
    }
}

/// The token with the largest weight.
fn top_of(p_row: &[f64]) -> usize {
    (0..p_row.len()).max_by(|a, b| p_row[*a].total_cmp(&p_row[*b])).unwrap_or(0)
}

fn row_of_blocks<'a>(
    forward: &Forward<f64>,
    maps: impl Iterator<Item = (&'a HeadMatrices, &'a Gradients)>,
    i: usize,
    buffer: &mut [f64],
) -> DMatrix<f64> {
    let reach = forward.reach(&(i..i + 1));
    let mut row = DMatrix::zeros(forward.d_out(), forward.n() * forward.d());
    for (map_idx, (head, gradients)) in maps.enumerate() {
        let block = forward.rows_of_p(map_idx, i..i + 1, buffer);
        head.add_rows(0, &[head.row(gradients, i, &block.weights[..reach])], &mut row);
    }
    through_normalizer(forward, row)
}

/// The blocks of a row, from those at the normalised tokens: in scope `composed`, times the normaliser's Jacobian.
fn through_normalizer(forward: &Forward<f64>, row: DMatrix<f64>) -> DMatrix<f64> {
    if forward.scope != Scope::Composed {
        return row;
    }
    let mut transposed = row.transpose();
    for mut column in transposed.column_iter_mut() {
        forward.normalizer.apply_jacobian(column.as_mut_slice());
    }
    transposed.transpose()
}

/// One map, its value matrix multiplied by the head's block of the output matrix.
#[derive(Clone, Debug)]
struct HeadMatrices {
    /// The factor of the map's blocks.
    coefficient: f64,
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
    fn of(forward: &Forward<f64>, map_idx: usize) -> Self {
        let layout = &forward.maps[map_idx];
        let rows =
            |matrix: &DMatrix<f64>, range: &std::ops::Range<usize>| matrix.rows(range.start, range.len()).into_owned();
        let own_value = forward.stacked.rows(&layout.v_rows);
        let (value, out_start) = match &forward.output {
            Some(output) => (output.columns(layout.out_rows.start, layout.out_rows.len()) * own_value, 0),
            None => (own_value, layout.out_rows.start),
        };
        HeadMatrices {
            coefficient: layout.coefficient,
            kernel: layout.kernel,
            q: forward.stacked.rows(&layout.q_rows),
            k: forward.stacked.rows(&layout.k_rows),
            queries: rows(&forward.projections, &layout.q_rows),
            keys: rows(&forward.projections, &layout.k_rows),
            values: &value * &*forward.centred_tokens(),
            value,
            out_start,
            d_out: forward.d_out(),
        }
    }

    /// The blocks of row i; `p_row` holds P_ij for the allowed j.
    fn row(&self, gradients: &Gradients, i: usize, p_row: &[f64]) -> BlockRow {
        // Uses differences from the token with the largest weight: the sum over the row is zero up to their rounding.
        let top = top_of(p_row);
        let mut difference = self.values.columns(0, p_row.len()).into_owned();
        difference.column_iter_mut().for_each(|mut column| column -= self.values.column(top));
        let mean = &difference * DVector::from_column_slice(p_row);
        for (mut column, p) in difference.column_iter_mut().zip(p_row) {
            column -= &mean;
            column *= *p;
        }
        let [of_query, of_key] = gradients.of_row(i, top, p_row.len());
        if self.coefficient != 1.0 {
            difference *= self.coefficient;
        }
        let p = p_row.iter().map(|p| self.coefficient * p).collect();
        BlockRow { i, p, own: &difference * of_query.transpose(), difference, of_key }
    }

    /// Adds consecutive rows of blocks to the rows of a matrix from `first` on.
    fn add_rows(&self, first: usize, rows: &[BlockRow], matrix: &mut DMatrix<f64>) {
        let ((n_rows, d), height) = (self.value.shape(), matrix.nrows());
        let reach = rows.iter().map(|row| row.p.len()).max().unwrap_or(0);
        for (at, column) in matrix.as_mut_slice().chunks_exact_mut(height).take(reach * d).enumerate() {
            let (j, col) = (at / d, at % d);
            let value = &self.value.as_slice()[col * n_rows..][..n_rows];
            let blocks = column[first..].chunks_exact_mut(self.d_out).zip(rows);
            for (block, row) in blocks.filter(|(_, row)| j < row.p.len()) {
                let (p, gradient) = (row.p[j], row.of_key[(col, j)]);
                let difference = &row.difference.as_slice()[j * n_rows..][..n_rows];
                for ((entry, value), difference) in
                    block[self.out_start..][..n_rows].iter_mut().zip(value).zip(difference)
                {
                    *entry += p * value + difference * gradient;
                }
            }
        }
        for (at, row) in rows.iter().enumerate() {
            let mut block = matrix.view_mut((first + at * self.d_out + self.out_start, row.i * d), (n_rows, d));
            block += &row.own;
        }
    }
}

/// Queries and keys of a head mapped back to the tokens' space, d x n each. The gradients of a score are linear in
/// query and key, so Q^T and K^T are applied once, not once for every pair.
#[derive(Clone, Debug)]
struct Gradients {
    kernel: Kernel,
    /// Q^T k_j.
    keys_through_q: DMatrix<f64>,
    /// K^T q_i and K^T k_j.
    through_k: [DMatrix<f64>; 2],
}

impl Gradients {
    fn of(head: &HeadMatrices) -> Self {
        Gradients {
            kernel: head.kernel,
            keys_through_q: head.q.tr_mul(&head.keys),
            through_k: [head.k.tr_mul(&head.queries), head.k.tr_mul(&head.keys)],
        }
    }

    /// a_ij - a_it and b_ij with a_ij = ds_ij/dx_i, b_ij = ds_ij/dx_j and the token t of the largest weight, for the first
    /// `reach` tokens j, d x reach each. The part of a_ij that is linear in q_i is left out before anything is rounded: all
    /// tokens have it in common, and it may be larger than the rest by any factor.
    fn of_row(&self, i: usize, top: usize, reach: usize) -> [DMatrix<f64>; 2] {
        let (pulled, [queries, keys]) = (&self.keys_through_q, &self.through_k);
        [
            DMatrix::from_fn(pulled.nrows(), reach, |row, j| {
                self.kernel.cross * (pulled[(row, j)] - pulled[(row, top)])
            }),
            DMatrix::from_fn(keys.nrows(), reach, |row, j| self.kernel.key_gradient(queries[(row, i)], keys[(row, j)])),
        ]
    }
}

/// One row of blocks of a head.
#[derive(Clone, Debug)]
struct BlockRow {
    i: usize,
    /// P_ij for the allowed j.
    p: Vec<f64>,
    /// P_ij (V x_j - V m_i), rows x reach.
    difference: DMatrix<f64>,
    /// b_ij, d x reach.
    of_key: DMatrix<f64>,
    /// The term that only block (i, i) has: sum_j P_ij (V x_j - V m_i) a_ij^T, rows x d.
    own: DMatrix<f64>,
}
