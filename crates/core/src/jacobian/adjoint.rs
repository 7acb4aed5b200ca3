//! The part of J^T u that sums over the rows of attention matrices: the gradients at queries, keys and values.
//!
//! The gradients of keys and values are sums over all rows. They are summed in groups of row blocks, each group
//! separately, so that several threads work on one head; then the groups are added in order.

use std::ops::Range;

use super::rows::RowRule;
use crate::attention::{Accumulate, Forward, Scalar, View, ViewMut, multiply, part};
use crate::parallel::{Schedule, Scratch, for_parts, groups, share, token_parts};

/// The layout of the adjoint's buffer. Each map and group of row blocks has one part. It holds the gradients of keys
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
        PartLayout { forward, groups: groups(forward.maps.len(), forward.n_blocks()) }
    }

    /// Number of parts: groups of all maps.
    pub(super) fn n_parts(&self) -> usize {
        self.forward.maps.len() * self.groups
    }

    /// Where a part begins; at `n_parts()`, the length of the whole buffer.
    pub(super) fn start(&self, part: usize) -> usize {
        let (map_idx, group) = (part / self.groups, part % self.groups);
        let before: usize = (0..map_idx).map(|map_idx| self.of_map(map_idx, self.groups)).sum();
        before + if group == 0 { 0 } else { self.of_map(map_idx, group) }
    }

    /// Length of the first `groups` parts of a map.
    fn of_map(&self, map_idx: usize, groups: usize) -> usize {
        let own_rows = self.first_row(groups);
        groups * self.summed(map_idx) + self.forward.maps[map_idx].q_rows.len() * own_rows
    }

    /// How many numbers of a part are summed over the groups: all but the queries.
    fn summed(&self, map_idx: usize) -> usize {
        let map = &self.forward.maps[map_idx];
        let terms = usize::from(map.kernel.key_square != 0.0);
        (map.k_rows.len() + map.v_rows.len() + terms) * self.forward.n
    }

    /// The blocks of a group.
    fn blocks(&self, group: usize) -> Range<usize> {
        share(group, self.groups, self.forward.n_blocks())
    }

    fn first_row(&self, group: usize) -> usize {
        self.forward.block_start(share(group, self.groups, self.forward.n_blocks()).start)
    }

    /// Computes one part of the adjoint, from the rows of one group of blocks of one map.
    pub(super) fn pull_back(&self, part_idx: usize, gradient: &[T], buffers: &Scratch<Buffers<T>>, out: &mut [T]) {
        let forward = self.forward;
        let (map_idx, group) = (part_idx / self.groups, part_idx % self.groups);
        let map = &forward.maps[map_idx];
        let (n, p, d_cat) = (forward.n, forward.projections.nrows(), forward.d_concatenated());
        let (k, d_v) = (map.k_rows.len(), map.v_rows.len());
        let (cross, coefficient) = (T::constant(map.kernel.cross), T::constant(map.coefficient));
        let (summed, queries) = out.split_at_mut(self.summed(map_idx));
        summed.fill(T::constant(0.0));
        let (keys, summed) = summed.split_at_mut(k * n);
        let (values, key_terms) = summed.split_at_mut(d_v * n);
        let first_row = self.first_row(group);
        for block_idx in self.blocks(group) {
            let rows = forward.block_rows(block_idx);
            let reach = forward.reach(&rows);
            let head_gradient = part(gradient, d_cat, &map.out_rows, rows.clone());
            let mut work = |buffers: &mut Buffers<T>| {
                let Buffers { scores, rows_of_p } = buffers;
                multiply(
                    ViewMut::new(scores, reach, rows.len()),
                    Accumulate::Replace,
                    forward.projection(&map.v_rows, 0..reach).transpose(),
                    head_gradient,
                    coefficient,
                );
                let block = forward.rows_of_p(map_idx, rows.clone(), rows_of_p);
                let rule = RowRule::of(forward, map_idx, &block, &rows);
                for (at, column) in scores[..reach * rows.len()].chunks_exact_mut(reach).enumerate() {
                    rule.to_scores(at, column);
                    for (term, ds) in key_terms.iter_mut().zip(column.iter()) {
                        *term += *ds;
                    }
                }
                let changes = View::new(scores, reach, rows.len());
                // Values: sum_i P_ij g_i.
                multiply(
                    ViewMut::new(values, d_v, reach),
                    Accumulate::Add,
                    head_gradient,
                    View::strided(block.weights, reach, rows.len(), block.stride).transpose(),
                    coefficient,
                );
                // Keys: sum_i ds_ij q_i.
                multiply(
                    ViewMut::new(keys, k, reach),
                    Accumulate::Add,
                    forward.projection(&map.q_rows, rows.clone()),
                    changes.transpose(),
                    cross,
                );
                // Queries: sum_j ds_ij k_j.
                multiply(
                    ViewMut::new(&mut queries[(rows.start - first_row) * k..], k, rows.len()),
                    Accumulate::Replace,
                    forward.projection(&map.k_rows, 0..reach),
                    changes,
                    cross,
                );
                if map.kernel.query_square != 0.0 {
                    let own = queries[(rows.start - first_row) * k..].chunks_exact_mut(k);
                    for ((row, own), column) in rows.clone().zip(own).zip(scores.chunks_exact(reach)) {
                        let sum = column.iter().fold(T::constant(0.0), |sum, ds| sum + *ds);
                        let weight = sum * T::constant(2.0 * map.kernel.query_square);
                        let query = &forward.projections.as_slice()[row * p..][map.q_rows.clone()];
                        own.iter_mut().zip(query).for_each(|(slot, q)| *slot -= *q * weight);
                    }
                }
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
        for (map_idx, map) in forward.maps.iter().enumerate() {
            let (k, d_v) = (map.k_rows.len(), map.v_rows.len());
            for group in 0..layout.groups {
                let part = &parts[layout.start(map_idx * layout.groups + group)..];
                let (summed, queries) = part.split_at(layout.summed(map_idx));
                let own = layout.first_row(group)..layout.first_row(group + 1);
                let (keys, rest) = summed.split_at(k * n);
                let (values, key_terms) = rest.split_at(d_v * n);
                for (token, out) in tokens.clone().zip(out.chunks_exact_mut(p)) {
                    if own.contains(&token) {
                        out[map.q_rows.clone()].copy_from_slice(&queries[(token - own.start) * k..][..k]);
                    }
                    let (keys, values) = (&keys[token * k..][..k], &values[token * d_v..][..d_v]);
                    let into = |of_map| if group == 0 { of_map } else { Accumulate::Add };
                    write(&mut out[map.k_rows.clone()], into(map.into_keys), keys);
                    write(&mut out[map.v_rows.clone()], into(map.into_values), values);
                    if let Some(term) = key_terms.get(token) {
                        let weight = *term * T::constant(2.0 * map.kernel.key_square);
                        let keys = &forward.projections.as_slice()[token * p..][map.k_rows.clone()];
                        out[map.k_rows.clone()].iter_mut().zip(keys).for_each(|(slot, key)| *slot -= *key * weight);
                    }
                }
            }
        }
    });
}

fn write<T: Scalar>(out: &mut [T], into: Accumulate, numbers: &[T]) {
    match into {
        Accumulate::Replace => out.copy_from_slice(numbers),
        Accumulate::Add => out.iter_mut().zip(numbers).for_each(|(sum, x)| *sum += *x),
    }
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
