//! Products J v and J^T u that never form J: O(n^2 (k + d_v)) per head, without allocating.
//!
//! With dq = Q xi, dk = K xi, dv = V xi of a field xi of tokens, the scores move by
//! ds_ij = c (dq_i.k_j + q_i.dk_j) - 2 w k_j.dk_j, the attention weights by dP_ij = P_ij (ds_ij - sum_l P_il ds_il),
//! and the head by df_i = sum_j dP_ij v_j + P_ij dv_j. The adjoint runs the same steps backwards.
//!
//! The steps of `attention::steps` come in between. Those that turn queries, keys and values apply their derivative to
//! dq, dk, dv, and their adjoint to the gradients. Those on scores and weights have a slope for each pair of tokens, by
//! which ds is multiplied. A differential head has two maps, whose outputs are added.
//!
//! The blocks of rows of all maps are spread over the threads of the caller. The adjoint sums the gradients of keys and
//! values over rows in groups of blocks, and adds the groups in order.

use std::ops::Range;

use nalgebra::DVectorView;

use super::adjoint::{Buffers, PartLayout, gather};
use super::rows::{RowRule, dot};
use crate::attention::{Accumulate, Forward, MapLayout, Scalar, View, ViewMut, multiply, multiply_tokens, part};
use crate::experiment::Scope;
use crate::parallel::{Scratch, for_parts};

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

impl<T, O: LinearOperator<T> + ?Sized> LinearOperator<T> for &mut O {
    fn n_inputs(&self) -> usize {
        (**self).n_inputs()
    }

    fn n_outputs(&self) -> usize {
        (**self).n_outputs()
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        (**self).apply(v, out);
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        (**self).apply_transpose(u, out);
    }
}

/// The Jacobian of attention at a forward pass, with the buffers for its products.
#[derive(Clone, Debug)]
pub struct JacobianOperator<T: Scalar> {
    forward: Forward<T>,
    /// The normaliser's Jacobian times v, d n numbers; empty unless the scope is `composed`.
    field: Vec<T>,
    /// The changes of the projections; in the adjoint, the gradients with respect to them. p n numbers.
    projections: Vec<T>,
    /// For each map k_j above dk_j, and dq_i above q_i, 2 k x n each: the change of a score is one product of them.
    keys: Vec<Vec<T>>,
    queries: Vec<Vec<T>>,
    /// The changes of the maps' outputs, map by map, (sum of d_v) n; in the adjoint the gradient of the heads, token by
    /// token.
    heads: Vec<T>,
    /// The heads' outputs token by token; empty unless several maps go through an output matrix.
    concatenated: Vec<T>,
    /// Sums over rows in the adjoint, map by map and group by group ([`PartLayout`]).
    parts: Vec<T>,
    /// k_j.dk_j of each map, n numbers each; empty for the dot kernel.
    key_terms: Vec<T>,
    /// q_i.dq_i of each map, n numbers each; empty unless the kernel has row terms.
    query_terms: Vec<T>,
    buffers: Scratch<Buffers<T>>,
}

impl<T: Scalar> JacobianOperator<T> {
    /// The Jacobian at a forward pass.
    #[must_use]
    pub fn new(forward: Forward<T>) -> Self {
        let zero = |len: usize| vec![T::constant(0.0); len];
        let n = forward.n();
        let field = if forward.scope == Scope::Composed { zero(n * forward.d()) } else { Vec::new() };
        let layout = PartLayout::of(&forward);
        let has_terms = |of: fn(&MapLayout) -> f64| forward.maps.iter().any(|map| of(map) != 0.0);
        let terms = |has_terms: bool| if has_terms { zero(forward.maps.len() * n) } else { Vec::new() };
        let is_joined = forward.output.is_some() && forward.maps.len() > 1;
        let stacked = |upper: fn(&MapLayout) -> &Range<usize>, lower: fn(&MapLayout) -> &Range<usize>| {
            let column = |token: DVectorView<'_, T>, map: &MapLayout| {
                [upper(map), lower(map)].map(|rows| token.as_slice()[rows.clone()].to_vec()).concat()
            };
            let of_map = |map| forward.projections.column_iter().flat_map(|token| column(token, map)).collect();
            forward.maps.iter().map(of_map).collect::<Vec<Vec<T>>>()
        };
        JacobianOperator {
            field,
            keys: stacked(|map| &map.k_rows, |map| &map.k_rows),
            queries: stacked(|map| &map.q_rows, |map| &map.q_rows),
            projections: zero(forward.projections.len()),
            heads: zero(forward.d_of_maps() * n),
            concatenated: if is_joined { zero(forward.d_concatenated() * n) } else { Vec::new() },
            parts: zero(layout.start(layout.n_parts())),
            key_terms: terms(has_terms(|map| map.kernel.key_square)),
            query_terms: terms(has_terms(|map| map.kernel.query_square)),
            buffers: Scratch::new(Buffers::of(&forward)),
            forward,
        }
    }

    /// The forward pass at which the Jacobian is taken.
    #[must_use]
    pub fn forward(&self) -> &Forward<T> {
        &self.forward
    }

    /// The change of the outputs for the changes of the projections (p n numbers) that `project` writes.
    pub(super) fn apply_through(&mut self, project: impl FnOnce(&Forward<T>, &mut [T]), out: &mut [T]) {
        let n = self.forward.n;
        project(&self.forward, &mut self.projections);
        let p = self.forward.projections.nrows();
        if let Some(vector_maps) = &self.forward.vector_maps {
            vector_maps.differentiate(&mut self.projections, n);
        }
        let along = |rows: fn(&MapLayout) -> &Range<usize>, terms: &mut [T]| {
            for (map, terms) in self.forward.maps.iter().zip(terms.chunks_exact_mut(n)) {
                for (j, term) in terms.iter_mut().enumerate() {
                    let at = j * p + rows(map).start..j * p + rows(map).end;
                    *term = dot(&self.forward.projections.as_slice()[at.clone()], &self.projections[at]);
                }
            }
        };
        along(|map| &map.k_rows, &mut self.key_terms);
        along(|map| &map.q_rows, &mut self.query_terms);
        for ((map, keys), queries) in self.forward.maps.iter().zip(&mut self.keys).zip(&mut self.queries) {
            let k = map.k_rows.len();
            let columns = keys.chunks_exact_mut(2 * k).zip(queries.chunks_exact_mut(2 * k));
            for ((key, query), changes) in columns.zip(self.projections.chunks_exact(p)) {
                key[k..].copy_from_slice(&changes[map.k_rows.clone()]);
                query[..k].copy_from_slice(&changes[map.q_rows.clone()]);
            }
        }
        let is_alone = self.forward.maps.len() == 1;
        match &self.forward.output {
            // The outputs of one head lie token by token already.
            None if is_alone => self.change_of_maps(out),
            None => {
                let mut heads = std::mem::take(&mut self.heads);
                self.change_of_maps(&mut heads);
                interleave(&self.forward, &heads, out);
                self.heads = heads;
            }
            Some(matrix) => {
                let mut heads = std::mem::take(&mut self.heads);
                self.change_of_maps(&mut heads);
                let concatenated = if is_alone {
                    &heads
                } else {
                    interleave(&self.forward, &heads, &mut self.concatenated);
                    &self.concatenated
                };
                let stored = View::new(matrix.as_slice(), matrix.nrows(), matrix.ncols());
                multiply_tokens(out, Accumulate::Replace, stored, concatenated, n);
                self.heads = heads;
            }
        }
    }

    /// The gradient with respect to the projections (p n numbers), for a gradient u with respect to the outputs.
    pub(super) fn pull_back_to_projections(&mut self, u: &[T]) -> &[T] {
        let n = self.forward.n;
        let mut heads = std::mem::take(&mut self.heads);
        let gradient: &[T] = match &self.forward.output {
            None => u,
            Some(matrix) => {
                let stored = View::new(matrix.as_slice(), matrix.nrows(), matrix.ncols());
                let gradient = &mut heads[..self.forward.d_concatenated() * n];
                multiply_tokens(gradient, Accumulate::Replace, stored.transpose(), u, n);
                gradient
            }
        };
        let mut parts = std::mem::take(&mut self.parts);
        let layout = PartLayout::of(&self.forward);
        let start = |part: usize| layout.start(part);
        for_parts(self.forward.schedule(), 0..layout.n_parts(), &mut parts, &start, &|part, out| {
            layout.pull_back(part, gradient, &self.buffers, out);
        });
        gather(layout, &parts, &mut self.projections);
        if let Some(vector_maps) = &self.forward.vector_maps {
            vector_maps.pull_back(&mut self.projections, n);
        }
        self.parts = parts;
        self.heads = heads;
        &self.projections
    }

    /// Computes dP of some rows into `scores` (reach x rows, packed) from the changes of the projections.
    fn change_of_rows(&self, map_idx: usize, rows: &Range<usize>, buffers: &mut Buffers<T>) {
        let forward = &self.forward;
        let map = &forward.maps[map_idx];
        let (reach, height) = (forward.reach(rows), 2 * map.k_rows.len());
        multiply(
            ViewMut::new(&mut buffers.scores, reach, rows.len()),
            Accumulate::Replace,
            View::new(&self.keys[map_idx], height, reach).transpose(),
            View::new(&self.queries[map_idx][rows.start * height..], height, rows.len()),
            T::constant(map.kernel.cross),
        );
        let weight = T::constant(2.0 * map.kernel.key_square);
        let has_key_term = map.kernel.key_square != 0.0;
        let block = forward.rows_of_p(map_idx, rows.clone(), &mut buffers.rows_of_p);
        let rule = RowRule::of(forward, map_idx, &block, rows);
        for (at, column) in buffers.scores[..reach * rows.len()].chunks_exact_mut(reach).enumerate() {
            if has_key_term {
                for (ds, term) in column.iter_mut().zip(&self.key_terms[map_idx * forward.n..]) {
                    *ds -= *term * weight;
                }
            }
            if map.kernel.query_square != 0.0 {
                let term = self.query_terms[map_idx * forward.n + rows.start + at] * weight;
                column.iter_mut().for_each(|ds| *ds -= term);
            }
            rule.to_weights(at, column);
        }
    }

    /// Writes the changes of the maps' outputs, map by map.
    fn change_of_maps(&self, out: &mut [T]) {
        let forward = &self.forward;
        let (n, p, n_blocks) = (forward.n, forward.projections.nrows(), forward.n_blocks());
        let start = |task: usize| match forward.maps.get(task / n_blocks) {
            Some(map) => map.own_rows.start * n + map.own_rows.len() * forward.block_start(task % n_blocks),
            None => forward.d_of_maps() * n,
        };
        let tasks = 0..forward.maps.len() * n_blocks;
        for_parts(forward.schedule(), tasks, &mut out[..forward.d_of_maps() * n], &start, &|task, out| {
            let (map_idx, rows) = (task / n_blocks, forward.block_rows(task % n_blocks));
            let map = &forward.maps[map_idx];
            let (reach, d_v, coefficient) = (forward.reach(&rows), map.own_rows.len(), T::constant(map.coefficient));
            let work = |buffers: &mut Buffers<T>| {
                self.change_of_rows(map_idx, &rows, buffers);
                let Buffers { scores, rows_of_p } = buffers;
                let block = forward.rows_of_p(map_idx, rows.clone(), rows_of_p);
                multiply(
                    ViewMut::new(out, d_v, rows.len()),
                    Accumulate::Replace,
                    forward.projection(&map.v_rows, 0..reach),
                    View::new(scores, reach, rows.len()),
                    coefficient,
                );
                multiply(
                    ViewMut::new(out, d_v, rows.len()),
                    Accumulate::Add,
                    part(&self.projections, p, &map.v_rows, 0..reach),
                    View::strided(block.weights, reach, rows.len(), block.stride),
                    coefficient,
                );
            };
            self.buffers.with(|| Buffers::of(forward), work);
        });
    }
}

impl<T: Scalar> LinearOperator<T> for JacobianOperator<T> {
    fn n_inputs(&self) -> usize {
        self.forward.n * self.forward.d
    }

    fn n_outputs(&self) -> usize {
        self.forward.n * self.forward.d_out()
    }

    fn apply(&mut self, v: &[T], out: &mut [T]) {
        let mut field = std::mem::take(&mut self.field);
        self.apply_through(
            |forward, projections| {
                let changes = if forward.scope == Scope::Composed {
                    field.copy_from_slice(v);
                    forward.normalizer.apply_jacobian(&mut field);
                    &field[..]
                } else {
                    v
                };
                forward.stacked.apply(projections, Accumulate::Replace, changes, forward.n);
            },
            out,
        );
        self.field = field;
    }

    fn apply_transpose(&mut self, u: &[T], out: &mut [T]) {
        self.pull_back_to_projections(u);
        self.forward.stacked.apply_transpose(out, &self.projections, self.forward.n);
        if self.forward.scope == Scope::Composed {
            self.forward.normalizer.apply_jacobian(out);
        }
    }
}

/// I + J as an operator, for a J with as many rows as columns.
pub struct WithResidual<'a, O: ?Sized>(pub &'a mut O);

impl<O: LinearOperator<f64> + ?Sized> LinearOperator<f64> for WithResidual<'_, O> {
    fn n_inputs(&self) -> usize {
        self.0.n_inputs()
    }

    fn n_outputs(&self) -> usize {
        self.0.n_outputs()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        self.0.apply(v, out);
        out.iter_mut().zip(v).for_each(|(y, x)| *y += x);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        self.0.apply_transpose(u, out);
        out.iter_mut().zip(u).for_each(|(y, x)| *y += x);
    }
}

/// Writes the heads' outputs token by token; `maps` has those of the maps, map by map.
fn interleave<T: Scalar>(forward: &Forward<T>, maps: &[T], out: &mut [T]) {
    let (n, d_cat) = (forward.n, forward.d_concatenated());
    let mut before = None;
    for map in &forward.maps {
        let d_v = map.own_rows.len();
        let of_map = maps[map.own_rows.start * n..].chunks_exact(d_v);
        for (out, column) in out.chunks_exact_mut(d_cat).zip(of_map) {
            let place = &mut out[map.out_rows.clone()];
            if before == Some(map.head_idx) {
                place.iter_mut().zip(column).for_each(|(sum, x)| *sum += *x);
            } else {
                place.copy_from_slice(column);
            }
        }
        before = Some(map.head_idx);
    }
}
