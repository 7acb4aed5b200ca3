//! The query, key and value projections of every head, stacked so that one product computes all of them.
//!
//! The stacked matrix [Q_1; K_1; V_1; Q_2; ..] is p x d, with p = sum over heads of (2 k + d_v). Heads of a group share
//! the rows of K and V, which stand with the first of them, and differential heads have rows of Q2 and K2. Trained models add a bias
//! to every projection, q_i = Q x_i + b_Q and so on. A bias enters the scores and f(X). It enters the Jacobian only
//! through P and the projections at X, so products with J need no bias term.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::centred::{Centred, Offsets};
use super::kernel::Kernel;
use super::product::multiply_tokens;
use super::stacked::Stacked;
use super::view::{Accumulate, Scalar, View};
use crate::weights::Weights;

/// One attention map: its rows in the stacked projections. A head has one map; a differential head has two, with the
/// same values and outputs.
#[derive(Clone, Debug)]
pub(crate) struct MapLayout {
    /// The head that the map belongs to.
    pub(crate) head_idx: usize,
    /// The factor of the map's output: 1, or -lambda for the second map of a differential head.
    pub(crate) coefficient: f64,
    pub(crate) kernel: Kernel,
    /// Rows of Q x, K x, V x in the projections.
    pub(crate) q_rows: Range<usize>,
    pub(crate) k_rows: Range<usize>,
    pub(crate) v_rows: Range<usize>,
    /// Rows of this head in the concatenated outputs; both maps of a differential head add to them.
    pub(crate) out_rows: Range<usize>,
    /// Rows of this map where the outputs of all maps lie one after the other.
    pub(crate) own_rows: Range<usize>,
    /// How the map's gradients at keys and at values are written into their rows: a map adds to the gradient of an
    /// earlier map that has the same rows.
    pub(crate) into_keys: Accumulate,
    pub(crate) into_values: Accumulate,
}

/// Heads and output matrix, shared by any number of forward passes; cloning copies no matrix.
#[derive(Clone, Debug)]
pub struct Projections<T: Scalar> {
    pub(super) maps: Vec<MapLayout>,
    /// p x d.
    pub(super) stacked: Stacked<T>,
    /// p numbers, or none.
    pub(super) biases: Option<Arc<[T]>>,
    /// d_out x (sum of d_v).
    pub(super) output: Option<Arc<DMatrix<T>>>,
}

/// Heads that all have key and value dimension k, and share keys and values by groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadSizes {
    /// H.
    pub heads: usize,
    /// G, from 1 to H: head h has the keys and values of group floor(h G/H).
    pub groups: usize,
    /// k.
    pub k: usize,
}

/// k rows of the stacked projections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadPart {
    /// The queries of a head.
    Query(usize),
    /// The keys of a group.
    Key(usize),
    /// The values of a group.
    Value(usize),
}

impl HeadSizes {
    /// The group of a head.
    #[must_use]
    pub fn group(self, head: usize) -> usize {
        head * self.groups / self.heads
    }

    /// What the stacked projections hold, k rows each: \[Q_1; K_1; V_1; Q_2; ..\], the keys and values of a group after
    /// the queries of its first head.
    #[must_use]
    pub fn parts(self) -> Vec<HeadPart> {
        let mut parts = Vec::with_capacity(self.heads + 2 * self.groups);
        for head in 0..self.heads {
            parts.push(HeadPart::Query(head));
            if self.begins_group(head) {
                let group = self.group(head);
                parts.extend([HeadPart::Key(group), HeadPart::Value(group)]);
            }
        }
        parts
    }

    fn begins_group(self, head: usize) -> bool {
        head == 0 || self.group(head - 1) != self.group(head)
    }
}

impl<T: Scalar> Projections<T> {
    /// Stacks the heads of `weights`, without biases; `kernel` is for a key dimension.
    pub(super) fn with_kernel(weights: &Weights, kernel: impl Fn(usize) -> Kernel) -> Self {
        let mut stacked = Rows::default();
        let mut maps: Vec<MapLayout> = Vec::with_capacity(weights.heads.len());
        let (mut out_row, mut own_row) = (0, 0);
        for (head_idx, head) in weights.heads.iter().enumerate() {
            // The maps of the first head with these keys and values, in the order of its own maps.
            let group = weights.shared.get(head_idx);
            let of_group = |map: &&MapLayout| group.is_some() && weights.shared.get(map.head_idx) == group;
            let first = maps.iter().find(of_group).map(|map| map.head_idx);
            let earlier: Vec<MapLayout> = maps.iter().filter(|map| Some(map.head_idx) == first).cloned().collect();
            let out_rows = out_row..out_row + head.v.nrows();
            out_row = out_rows.end;
            let second = head.second.as_ref().map(|second| (&second.q, &second.k, -second.lambda));
            let mut values = earlier.first().map(|map| map.v_rows.clone());
            for (at, (q, k, coefficient)) in std::iter::once((&head.q, &head.k, 1.0)).chain(second).enumerate() {
                let keys = earlier.get(at).map(|map| map.k_rows.clone());
                let into = |is_shared: bool| if is_shared { Accumulate::Add } else { Accumulate::Replace };
                let (into_keys, into_values) = (into(keys.is_some()), into(values.is_some()));
                let q_rows = stacked.place(q);
                let k_rows = keys.unwrap_or_else(|| stacked.place(k));
                let v_rows = values.get_or_insert_with(|| stacked.place(&head.v)).clone();
                let own_rows = own_row..own_row + head.v.nrows();
                own_row = own_rows.end;
                let (kernel, out_rows) = (kernel(q.nrows()), out_rows.clone());
                maps.push(MapLayout {
                    head_idx,
                    coefficient,
                    kernel,
                    q_rows,
                    k_rows,
                    v_rows,
                    out_rows,
                    own_rows,
                    into_keys,
                    into_values,
                });
            }
        }
        let output = weights.output.as_ref().map(|matrix| Arc::new(matrix.map(T::constant)));
        Projections { maps, stacked: Stacked::of(&stacked.matrices, weights.d()), biases: None, output }
    }

    /// Heads of the same sizes: `stacked` is p x d and `biases` has p numbers, in the order of [`HeadSizes::parts`].
    /// Scores are those of `kernel`.
    ///
    /// # Panics
    /// If the shapes do not fit. They come from checked weights, so no input reaches this.
    #[must_use]
    pub fn of_grouped_heads(
        kernel: Kernel,
        sizes: HeadSizes,
        stacked: DMatrix<T>,
        biases: &[T],
        output: Option<DMatrix<T>>,
    ) -> Self {
        let HeadSizes { heads, groups, k } = sizes;
        let p = (heads + 2 * groups) * k;
        assert!(stacked.nrows() == p && biases.len() == p, "{sizes:?} need {p} projections with one bias each");
        let mut next = 0;
        let mut next_rows = || {
            next += k;
            next - k..next
        };
        let (mut k_rows, mut v_rows) = (0..0, 0..0);
        let head = |head: usize| {
            let q_rows = next_rows();
            let into = if sizes.begins_group(head) {
                (k_rows, v_rows) = (next_rows(), next_rows());
                Accumulate::Replace
            } else {
                Accumulate::Add
            };
            let out_rows = head * k..(head + 1) * k;
            MapLayout {
                head_idx: head,
                coefficient: 1.0,
                kernel,
                q_rows,
                k_rows: k_rows.clone(),
                v_rows: v_rows.clone(),
                own_rows: out_rows.clone(),
                out_rows,
                into_keys: into,
                into_values: into,
            }
        };
        Projections {
            maps: (0..heads).map(head).collect(),
            stacked: Stacked::Dense(Arc::new(stacked)),
            biases: Some(biases.into()),
            output: output.map(Arc::new),
        }
    }

    /// The queries, keys and values of all heads at tokens (d x n): p x n. Each token is projected on its own, so the
    /// tokens of several passes can share one call.
    ///
    /// # Panics
    /// If the tokens do not have d entries.
    #[must_use]
    pub fn project(&self, tokens: &DMatrix<T>) -> DMatrix<T> {
        let (p, d) = self.stacked.shape();
        assert!(tokens.nrows() == d, "tokens of {} entries for projections of {d}", tokens.nrows());
        let n = tokens.ncols();
        let mut projected = match &self.biases {
            Some(biases) => DMatrix::from_fn(p, n, |row, _| biases[row]),
            None => DMatrix::from_element(p, n, T::constant(0.0)),
        };
        let accumulate = if self.biases.is_some() { Accumulate::Add } else { Accumulate::Replace };
        self.stacked.apply(projected.as_mut_slice(), accumulate, tokens.as_slice(), n);
        projected
    }

    /// Whether all scores are those of L2 attention.
    pub(super) fn is_l2(&self) -> bool {
        self.maps.iter().all(|map| map.kernel.key_square != 0.0)
    }

    /// Projects tokens minus their common part c, and adds to the queries the term that they then lack ([`Centred`]).
    /// The attention weights and the Jacobian are those of the original tokens. The values lack V c where offsets are
    /// ignored in them too.
    pub(super) fn project_centred(&self, centred: &Centred<'_, T>, offsets: Offsets) -> DMatrix<T> {
        let mut projected = self.project(centred.tokens());
        for map in self.maps.iter().filter(|_| centred.is_moved()) {
            let (q, k) = (self.stacked.rows(&map.q_rows), self.stacked.rows(&map.k_rows));
            if let Some(missing) = centred.missing_in_queries(map.kernel, &q, &k) {
                add_to_rows(&mut projected, &map.q_rows, &missing);
            }
            // Values that several maps share lack it once.
            if offsets == Offsets::InValues && map.into_values == Accumulate::Replace {
                let missing = centred.of_centre(&self.stacked.rows(&map.v_rows));
                add_to_rows(&mut projected, &map.v_rows, &missing);
            }
        }
        projected
    }

    /// Applies the output matrix, where there is one, to the concatenated outputs of the heads ((sum of d_v) x n).
    #[must_use]
    pub fn combine(&self, concatenated: DMatrix<T>) -> DMatrix<T> {
        combine(self.output.as_deref(), concatenated)
    }
}

/// Adds a vector to some rows of every column.
fn add_to_rows<T: Scalar>(projected: &mut DMatrix<T>, rows: &Range<usize>, vector: &DVector<T>) {
    projected.rows_mut(rows.start, rows.len()).column_iter_mut().for_each(|mut column| column += vector);
}

/// Matrices one below the other.
#[derive(Default)]
struct Rows<'a> {
    matrices: Vec<&'a DMatrix<f64>>,
    count: usize,
}

impl<'a> Rows<'a> {
    /// Adds a matrix, and returns its rows.
    fn place(&mut self, matrix: &'a DMatrix<f64>) -> Range<usize> {
        let rows = self.count..self.count + matrix.nrows();
        self.count = rows.end;
        self.matrices.push(matrix);
        rows
    }
}

/// O times the concatenated outputs of the heads, or those outputs unchanged without O.
pub(super) fn combine<T: Scalar>(output: Option<&DMatrix<T>>, concatenated: DMatrix<T>) -> DMatrix<T> {
    let Some(matrix) = output else { return concatenated };
    let n = concatenated.ncols();
    let mut out = DMatrix::from_element(matrix.nrows(), n, T::constant(0.0));
    let stored = View::new(matrix.as_slice(), matrix.nrows(), matrix.ncols());
    multiply_tokens(out.as_mut_slice(), Accumulate::Replace, stored, concatenated.as_slice(), n);
    out
}
