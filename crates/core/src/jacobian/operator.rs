//! Products J v and J^T u that never form J: O(n^2 (k + d_v)) per head, without allocating.
//!
//! With dq = Q xi, dk = K xi, dv = V xi of a field xi of tokens, the scores move by
//! ds_ij = c (dq_i.k_j + q_i.dk_j) - 2 w k_j.dk_j, the attention weights by dP_ij = P_ij (ds_ij - sum_l P_il ds_il), and
//! the head by df_i = sum_j dP_ij v_j + P_ij dv_j. The adjoint runs the same steps backwards.

use crate::attention::part;
use crate::attention::{Accumulate, Forward, Scalar, View, ViewMut, multiply};
use crate::experiment::Scope;

/// A linear map J with products J v and J^T u.
pub trait LinearOperator<T> {
    /// Length of v.
    fn n_inputs(&self) -> usize;
    /// Length of u.
    fn n_outputs(&self) -> usize;
    /// out = J v.
    fn apply(&mut self, v: &[T], out: &mut [T]);
    /// out = J^T u.
    fn apply_transpose(&mut self, u: &[T], out: &mut [T]);
}

/// The Jacobian of attention at a forward pass, with the buffers for its products.
#[derive(Clone, Debug)]
pub struct JacobianOperator<T: Scalar> {
    forward: Forward<T>,
    /// The normaliser's Jacobian times v, d n numbers; empty without a normaliser.
    field: Vec<T>,
    /// Changes of the projections, p n.
    projections: Vec<T>,
    /// Concatenated heads, (sum of d_v) n.
    heads: Vec<T>,
    /// A block of ds or of its adjoint, n x (rows per block).
    scores: Vec<T>,
    /// Buffer for attention matrices that are recomputed.
    rows_of_p: Vec<T>,
    /// k_j.dk_j, or the column sums of ds, n.
    key_terms: Vec<T>,
}

impl<T: Scalar> JacobianOperator<T> {
    /// The Jacobian at a forward pass.
    #[must_use]
    pub fn new(forward: Forward<T>) -> Self {
        let zero = |len: usize| vec![T::constant(0.0); len];
        let n = forward.n();
        let field = if forward.scope == Scope::Composed { zero(n * forward.d()) } else { Vec::new() };
        JacobianOperator {
            field,
            projections: zero(forward.projections.len()),
            heads: zero(forward.d_concatenated() * n),
            scores: zero(n * forward.rows_a_block()),
            rows_of_p: forward.row_buffer(),
            key_terms: zero(n),
            forward,
        }
    }

    /// The forward pass at which the Jacobian is taken.
    #[must_use]
    pub fn forward(&self) -> &Forward<T> {
        &self.forward
    }

    /// Computes dP of some rows into `scores` (reach x rows, packed) from the changes of the projections.
    fn change_of_rows(&mut self, head_idx: usize, rows: &std::ops::Range<usize>) {
        let forward = &self.forward;
        let head = &forward.heads[head_idx];
        let p = forward.projections.nrows();
        let reach = forward.reach(rows);
        let cross = T::constant(head.kernel.cross);
        let changed = |part_rows, tokens| part(&self.projections, p, part_rows, tokens);
        multiply(
            ViewMut::new(&mut self.scores, reach, rows.len()),
            Accumulate::Replace,
            forward.projection(&head.k_rows, 0..reach).transpose(),
            changed(&head.q_rows, rows.clone()),
            cross,
        );
        multiply(
            ViewMut::new(&mut self.scores, reach, rows.len()),
            Accumulate::Add,
            changed(&head.k_rows, 0..reach).transpose(),
            forward.projection(&head.q_rows, rows.clone()),
            cross,
        );
        let weight = T::constant(2.0 * head.kernel.key_square);
        let has_key_term = head.kernel.key_square != 0.0;
        let block = forward.rows_of_p(head_idx, rows.clone(), &mut self.rows_of_p);
        let columns = self.scores[..reach * rows.len()].chunks_exact_mut(reach);
        for (column, p_row) in columns.zip(block.weights.chunks(block.stride)) {
            let p_row = &p_row[..reach];
            if has_key_term {
                for (ds, term) in column.iter_mut().zip(&self.key_terms) {
                    *ds -= *term * weight;
                }
            }
            center_row(column, p_row);
        }
    }
}

/// Replaces ds by P (ds - sum P ds) along one row; this map is its own transpose.
fn center_row<T: Scalar>(ds: &mut [T], p_row: &[T]) {
    let mean = dot(ds, p_row);
    for (ds, p) in ds.iter_mut().zip(p_row) {
        *ds = *p * (*ds - mean);
    }
}

/// Four partial sums, so that the compiler vectorises.
fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::constant(0.0); 4];
    let (a_chunks, b_chunks) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail = a_chunks.remainder().iter().zip(b_chunks.remainder()).fold(T::constant(0.0), |s, (x, y)| s + *x * *y);
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

impl<T: Scalar> LinearOperator<T> for JacobianOperator<T> {
    fn n_inputs(&self) -> usize {
        self.forward.n * self.forward.d
    }

    fn n_outputs(&self) -> usize {
        self.forward.n * self.forward.d_out()
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        let n = self.forward.n;
        let p = self.forward.projections.nrows();
        let d_cat = self.forward.d_concatenated();
        let one = T::constant(1.0);
        let field = if self.forward.scope == Scope::Composed {
            self.field.copy_from_slice(v);
            self.forward.normalizer.apply_jacobian(&mut self.field);
            &self.field[..]
        } else {
            v
        };
        self.forward.stacked.apply(&mut self.projections, Accumulate::Replace, field, n);
        let has_output = self.forward.output.is_some();
        let mut heads = std::mem::take(&mut self.heads);
        {
            let heads_out: &mut [T] = if has_output { &mut heads } else { &mut *out };
            for head_idx in 0..self.forward.heads.len() {
                if self.forward.heads[head_idx].kernel.key_square != 0.0 {
                    let k_rows = &self.forward.heads[head_idx].k_rows;
                    for j in 0..n {
                        let at = j * p + k_rows.start..j * p + k_rows.end;
                        let keys = &self.forward.projections.as_slice()[at.clone()];
                        self.key_terms[j] = dot(keys, &self.projections[at]);
                    }
                }
                for rows in self.forward.row_blocks() {
                    self.change_of_rows(head_idx, &rows);
                    let forward = &self.forward;
                    let head = &forward.heads[head_idx];
                    let reach = forward.reach(&rows);
                    let block = forward.rows_of_p(head_idx, rows.clone(), &mut self.rows_of_p);
                    let at = rows.start * d_cat + head.out_rows.start;
                    multiply(
                        ViewMut::strided(&mut heads_out[at..], head.out_rows.len(), rows.len(), d_cat),
                        Accumulate::Replace,
                        forward.projection(&head.v_rows, 0..reach),
                        View::new(&self.scores, reach, rows.len()),
                        one,
                    );
                    multiply(
                        ViewMut::strided(&mut heads_out[at..], head.out_rows.len(), rows.len(), d_cat),
                        Accumulate::Add,
                        part(&self.projections, p, &head.v_rows, 0..reach),
                        View::strided(block.weights, reach, rows.len(), block.stride),
                        one,
                    );
                }
            }
        }
        if let Some(matrix) = &self.forward.output {
            multiply(
                ViewMut::new(out, matrix.nrows(), n),
                Accumulate::Replace,
                View::new(matrix.as_slice(), matrix.nrows(), d_cat),
                View::new(&heads, d_cat, n),
                one,
            );
        }
        self.heads = heads;
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        let n = self.forward.n;
        let p = self.forward.projections.nrows();
        let d_cat = self.forward.d_concatenated();
        let one = T::constant(1.0);
        let mut heads = std::mem::take(&mut self.heads);
        let gradient: &[T] = match &self.forward.output {
            None => u,
            Some(matrix) => {
                multiply(
                    ViewMut::new(&mut heads, d_cat, n),
                    Accumulate::Replace,
                    View::new(matrix.as_slice(), matrix.nrows(), d_cat).transpose(),
                    View::new(u, matrix.nrows(), n),
                    one,
                );
                &heads
            }
        };
        self.projections.fill(T::constant(0.0));
        for head_idx in 0..self.forward.heads.len() {
            self.key_terms.fill(T::constant(0.0));
            for rows in self.forward.row_blocks() {
                let forward = &self.forward;
                let head = &forward.heads[head_idx];
                let reach = forward.reach(&rows);
                let cross = T::constant(head.kernel.cross);
                let head_gradient = part(gradient, d_cat, &head.out_rows, rows.clone());
                multiply(
                    ViewMut::new(&mut self.scores, reach, rows.len()),
                    Accumulate::Replace,
                    forward.projection(&head.v_rows, 0..reach).transpose(),
                    head_gradient,
                    one,
                );
                let block = forward.rows_of_p(head_idx, rows.clone(), &mut self.rows_of_p);
                let columns = self.scores[..reach * rows.len()].chunks_exact_mut(reach);
                for (column, p_row) in columns.zip(block.weights.chunks(block.stride)) {
                    center_row(column, &p_row[..reach]);
                    if head.kernel.key_square != 0.0 {
                        for (term, ds) in self.key_terms.iter_mut().zip(column.iter()) {
                            *term += *ds;
                        }
                    }
                }
                let scores = View::new(&self.scores, reach, rows.len());
                // Values: sum_i P_ij g_i.
                multiply(
                    ViewMut::strided(&mut self.projections[head.v_rows.start..], head.v_rows.len(), reach, p),
                    Accumulate::Add,
                    head_gradient,
                    View::strided(block.weights, reach, rows.len(), block.stride).transpose(),
                    one,
                );
                // Keys: sum_i ds_ij q_i.
                multiply(
                    ViewMut::strided(&mut self.projections[head.k_rows.start..], head.k_rows.len(), reach, p),
                    Accumulate::Add,
                    forward.projection(&head.q_rows, rows.clone()),
                    scores.transpose(),
                    cross,
                );
                // Queries: sum_j ds_ij k_j.
                multiply(
                    ViewMut::strided(
                        &mut self.projections[rows.start * p + head.q_rows.start..],
                        head.q_rows.len(),
                        rows.len(),
                        p,
                    ),
                    Accumulate::Replace,
                    forward.projection(&head.k_rows, 0..reach),
                    scores,
                    cross,
                );
            }
            let head = &self.forward.heads[head_idx];
            if head.kernel.key_square != 0.0 {
                let weight = T::constant(2.0 * head.kernel.key_square);
                for j in 0..n {
                    let at = j * p + head.k_rows.start..j * p + head.k_rows.end;
                    let keys = &self.forward.projections.as_slice()[at.clone()];
                    for (slot, key) in self.projections[at].iter_mut().zip(keys) {
                        *slot -= *key * self.key_terms[j] * weight;
                    }
                }
            }
        }
        self.forward.stacked.apply_transpose(out, &self.projections, n);
        if self.forward.scope == Scope::Composed {
            self.forward.normalizer.apply_jacobian(out);
        }
        self.heads = heads;
    }
}
