//! The query, key and value projections of every head, stacked so that one product computes all of them.
//!
//! p = sum over heads of (2 k + d_v); the stacked matrix [Q_1; K_1; V_1; Q_2; ..] is p x d. Trained models add a bias
//! to every projection, q_i = Q x_i + b_Q and so on. A bias enters the scores and f(X). It enters the Jacobian only
//! through P and the projections at X, so products with J need no bias term.

use std::ops::Range;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::centred::Centred;
use super::kernel::Kernel;
use super::product::multiply_tokens;
use super::stacked::Stacked;
use super::view::{Accumulate, Scalar, View};
use crate::experiment::Attention;
use crate::weights::Weights;

/// The rows of one head in the stacked projections.
#[derive(Clone, Debug)]
pub(crate) struct HeadLayout {
    pub(crate) kernel: Kernel,
    /// Rows of Q x, K x, V x in the projections.
    pub(crate) q_rows: Range<usize>,
    pub(crate) k_rows: Range<usize>,
    pub(crate) v_rows: Range<usize>,
    /// Rows of this head in the concatenated outputs.
    pub(crate) out_rows: Range<usize>,
}

/// Heads and output matrix, shared by any number of forward passes; cloning copies no matrix.
#[derive(Clone, Debug)]
pub struct Projections<T: Scalar> {
    pub(super) heads: Vec<HeadLayout>,
    /// p x d.
    pub(super) stacked: Stacked<T>,
    /// p numbers, or none.
    pub(super) biases: Option<Arc<[T]>>,
    /// d_out x (sum of d_v).
    pub(super) output: Option<Arc<DMatrix<T>>>,
}

impl<T: Scalar> Projections<T> {
    /// Stacks the heads of `weights`, without biases.
    #[must_use]
    pub fn new(attention: Attention, weights: &Weights) -> Self {
        let (mut row, mut out_row) = (0, 0);
        let mut heads = Vec::with_capacity(weights.heads.len());
        for head in &weights.heads {
            let mut place = |matrix: &DMatrix<f64>| {
                let rows = row..row + matrix.nrows();
                row = rows.end;
                rows
            };
            let (q_rows, k_rows, v_rows) = (place(&head.q), place(&head.k), place(&head.v));
            let out_rows = out_row..out_row + head.v.nrows();
            out_row = out_rows.end;
            heads.push(HeadLayout { kernel: Kernel::new(attention, head.q.nrows()), q_rows, k_rows, v_rows, out_rows });
        }
        let output = weights.output.as_ref().map(|matrix| Arc::new(matrix.map(T::constant)));
        Projections { heads, stacked: Stacked::of(weights), biases: None, output }
    }

    /// Heads that all have key and value dimension k: `stacked` is p x d, and `biases` has p numbers.
    ///
    /// # Panics
    /// If the shapes do not fit. They come from checked weights, so no input reaches this.
    #[must_use]
    pub fn of_equal_heads(
        attention: Attention,
        stacked: DMatrix<T>,
        biases: &[T],
        k: usize,
        output: Option<DMatrix<T>>,
    ) -> Self {
        let p = stacked.nrows();
        assert!(p == biases.len() && p.is_multiple_of(3 * k), "a head needs 3 k projections with one bias each");
        let heads = (0..p / (3 * k)).map(|head| {
            let rows = |part: usize| (3 * head + part) * k..(3 * head + part + 1) * k;
            let kernel = Kernel::new(attention, k);
            let out_rows = head * k..(head + 1) * k;
            HeadLayout { kernel, q_rows: rows(0), k_rows: rows(1), v_rows: rows(2), out_rows }
        });
        Projections {
            heads: heads.collect(),
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

    /// Projects tokens minus their common part c, and adds to the queries the term that they then lack ([`Centred`]).
    /// The attention weights and the Jacobian are those of the original tokens; the values lack V c.
    pub(super) fn project_centred(&self, centred: &Centred<'_, T>) -> DMatrix<T> {
        let mut projected = self.project(centred.tokens());
        for head in self.heads.iter().filter(|_| centred.is_moved()) {
            let (q, k) = (self.stacked.rows(&head.q_rows), self.stacked.rows(&head.k_rows));
            if let Some(missing) = centred.missing_in_queries(head.kernel, &q, &k) {
                let mut queries = projected.rows_mut(head.q_rows.start, head.q_rows.len());
                queries.column_iter_mut().for_each(|mut query| query += &missing);
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

/// O times the concatenated outputs of the heads, or those outputs unchanged without O.
pub(super) fn combine<T: Scalar>(output: Option<&DMatrix<T>>, concatenated: DMatrix<T>) -> DMatrix<T> {
    let Some(matrix) = output else { return concatenated };
    let n = concatenated.ncols();
    let mut out = DMatrix::from_element(matrix.nrows(), n, T::constant(0.0));
    let stored = View::new(matrix.as_slice(), matrix.nrows(), matrix.ncols());
    multiply_tokens(out.as_mut_slice(), Accumulate::Replace, stored, concatenated.as_slice(), n);
    out
}
