//! The part of J^T u that sums over the rows of attention matrices: the gradients at queries, keys and values.
//!
//! The gradients of keys and values are sums over all rows. They are summed in groups of row blocks, each group
//! separately, so that several threads work on one head; then the groups are added in order.

use std::ops::Range;

use crate::attention::{Accumulate, Forward, Scalar, View, ViewMut, multiply, part};
use crate::parallel::{Schedule, Scratch, for_parts, groups, share, token_parts};

/// The layout of the adjoint's buffer. Each head and group of row blocks has one part. It holds the gradients of keys
/// (k x n) and values (d_v x n), for the L2 kernel the column sums of ds (n), and the gradients of the queries of the
/// group's own rows (k x rows).
#[derive(Clone, Copy, Debug)]
pub(super) struct PartLayout<'a, T: Scalar> {
    forward: &'a Forward<T>,
    groups: usize,
}

impl<'a, T: Scalar> PartLayout<'a, T> {
    /// The layout for a forward pass.
    pub(super) fn of(forward: &'a Forward<T>) -> Self {
        PartLayout { forward, groups: groups(forward.heads.len(), forward.n_blocks()) }
    }

    /// Number of parts: groups of all heads.
    pub(super) fn n_parts(&self) -> usize {
        self.forward.heads.len() * self.groups
    }

    /// Where a part begins; at `n_parts()`, the length of the whole buffer.
    pub(super) fn start(&self, part: usize) -> usize {
        let (head_idx, group) = (part / self.groups, part % self.groups);
        let before: usize = (0..head_idx).map(|head_idx| self.of_head(head_idx, self.groups)).sum();
        before + if group == 0 { 0 } else { self.of_head(head_idx, group) }
    }

    /// Length of the first `groups` parts of a head.
    fn of_head(&self, head_idx: usize, groups: usize) -> usize {
        let own_rows = self.first_row(groups);
        groups * self.summed(head_idx) + self.forward.heads[head_idx].q_rows.len() * own_rows
    }

    /// How many numbers of a part are summed over the groups: all but the queries.
    fn summed(&self, head_idx: usize) -> usize {
        let head = &self.forward.heads[head_idx];
        let terms = usize::from(head.kernel.key_square != 0.0);
        (head.k_rows.len() + head.v_rows.len() + terms) * self.forward.n
    }

    /// The blocks of a group.
    fn blocks(&self, group: usize) -> Range<usize> {
        share(group, self.groups, self.forward.n_blocks())
    }

    fn first_row(&self, group: usize) -> usize {
        self.forward.block_start(share(group, self.groups, self.forward.n_blocks()).start)
    }

    /// Computes one part of the adjoint, from the rows of one group of blocks of one head.
    pub(super) fn pull_back(&self, part_idx: usize, gradient: &[T], buffers: &Scratch<Buffers<T>>, out: &mut [T]) {
        let forward = self.forward;
        let (head_idx, group) = (part_idx / self.groups, part_idx % self.groups);
        let head = &forward.heads[head_idx];
        let (n, d_cat, k, d_v) = (forward.n, forward.d_concatenated(), head.k_rows.len(), head.v_rows.len());
        let (cross, one) = (T::constant(head.kernel.cross), T::constant(1.0));
        let (summed, queries) = out.split_at_mut(self.summed(head_idx));
        summed.fill(T::constant(0.0));
        let (keys, summed) = summed.split_at_mut(k * n);
        let (values, key_terms) = summed.split_at_mut(d_v * n);
        let first_row = self.first_row(group);
        for block_idx in self.blocks(group) {
            let rows = forward.block_rows(block_idx);
            let reach = forward.reach(&rows);
            let head_gradient = part(gradient, d_cat, &head.out_rows, rows.clone());
            let mut work = |buffers: &mut Buffers<T>| {
                let Buffers { scores, rows_of_p } = buffers;
                multiply(
                    ViewMut::new(scores, reach, rows.len()),
                    Accumulate::Replace,
                    forward.projection(&head.v_rows, 0..reach).transpose(),
                    head_gradient,
                    one,
                );
                let block = forward.rows_of_p(head_idx, rows.clone(), rows_of_p);
                let columns = scores[..reach * rows.len()].chunks_exact_mut(reach);
                let tops = &forward.tops[head_idx][rows.clone()];
                for ((column, p_row), top) in columns.zip(block.weights.chunks(block.stride)).zip(tops) {
                    center_row(column, &p_row[..reach], *top);
                    for (term, ds) in key_terms.iter_mut().zip(column.iter()) {
                        *term += *ds;
                    }
                }
                let scores = View::new(scores, reach, rows.len());
                // Values: sum_i P_ij g_i.
                multiply(
                    ViewMut::new(values, d_v, reach),
                    Accumulate::Add,
                    head_gradient,
                    View::strided(block.weights, reach, rows.len(), block.stride).transpose(),
                    one,
                );
                // Keys: sum_i ds_ij q_i.
                multiply(
                    ViewMut::new(keys, k, reach),
                    Accumulate::Add,
                    forward.projection(&head.q_rows, rows.clone()),
                    scores.transpose(),
                    cross,
                );
                // Queries: sum_j ds_ij k_j.
                multiply(
                    ViewMut::new(&mut queries[(rows.start - first_row) * k..], k, rows.len()),
                    Accumulate::Replace,
                    forward.projection(&head.k_rows, 0..reach),
                    scores,
                    cross,
                );
            };
            buffers.with(|| Buffers::of(forward), &mut work);
        }
    }
}

/// Adds the parts of the adjoint in order and writes the sums token by token to `out` (p x n).
pub(super) fn gather<T: Scalar>(layout: PartLayout<'_, T>, parts: &[T], out: &mut [T]) {
    let forward = layout.forward;
    let (n, p) = (forward.n, forward.projections.nrows());
    let operations = parts.len() as u64;
    let pieces = token_parts(n, operations);
    let start = |piece: usize| p * (piece * n / pieces);
    for_parts(Schedule::of(operations), 0..pieces, out, &start, &|piece, out| {
        let tokens = share(piece, pieces, n);
        for (head_idx, head) in forward.heads.iter().enumerate() {
            let (k, d_v) = (head.k_rows.len(), head.v_rows.len());
            for group in 0..layout.groups {
                let part = &parts[layout.start(head_idx * layout.groups + group)..];
                let (summed, queries) = part.split_at(layout.summed(head_idx));
                let own = layout.first_row(group)..layout.first_row(group + 1);
                let (keys, rest) = summed.split_at(k * n);
                let (values, key_terms) = rest.split_at(d_v * n);
                for (token, out) in tokens.clone().zip(out.chunks_exact_mut(p)) {
                    if own.contains(&token) {
                        out[head.q_rows.clone()].copy_from_slice(&queries[(token - own.start) * k..][..k]);
                    }
                    let (keys, values) = (&keys[token * k..][..k], &values[token * d_v..][..d_v]);
                    if group == 0 {
                        out[head.k_rows.clone()].copy_from_slice(keys);
                        out[head.v_rows.clone()].copy_from_slice(values);
                    } else {
                        out[head.k_rows.clone()].iter_mut().zip(keys).for_each(|(sum, x)| *sum += *x);
                        out[head.v_rows.clone()].iter_mut().zip(values).for_each(|(sum, x)| *sum += *x);
                    }
                    if let Some(term) = key_terms.get(token) {
                        let weight = *term * T::constant(2.0 * head.kernel.key_square);
                        let keys = &forward.projections.as_slice()[token * p..][head.k_rows.clone()];
                        out[head.k_rows.clone()].iter_mut().zip(keys).for_each(|(slot, key)| *slot -= *key * weight);
                    }
                }
            }
        }
    });
}

/// The buffers of a job while it works on a block of rows.
#[derive(Clone, Debug)]
pub(super) struct Buffers<T> {
    /// A block of ds or of its adjoint, n x (rows per block).
    pub(super) scores: Vec<T>,
    /// Buffer for attention matrices that are recomputed.
    pub(super) rows_of_p: Vec<T>,
}

impl<T: Scalar> Buffers<T> {
    /// Buffers for the blocks of a forward pass.
    pub(super) fn of(forward: &Forward<T>) -> Self {
        Buffers {
            scores: vec![T::constant(0.0); forward.n() * forward.rows_a_block()],
            rows_of_p: forward.row_buffer(),
        }
    }
}

/// Replaces ds by P (ds - sum P ds) along one row; this map is its own transpose. `top` is the token with the largest
/// weight. The code subtracts the ds of `top` first, so the row sums to zero up to the rounding of these differences,
/// however large ds is.
pub(super) fn center_row<T: Scalar>(ds: &mut [T], p_row: &[T], top: u32) {
    let pivot = ds.get(top as usize).copied().unwrap_or(T::constant(0.0));
    ds.iter_mut().for_each(|ds| *ds -= pivot);
    let mean = dot(ds, p_row);
    for (ds, p) in ds.iter_mut().zip(p_row) {
        *ds = *p * (*ds - mean);
    }
}

/// The scalar product of a and b, in four partial sums, so that the compiler vectorises it.
pub(super) fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
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
