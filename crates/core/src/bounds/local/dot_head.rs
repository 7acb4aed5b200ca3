//! The terms of the bounds at given tokens for one head of dot-product attention, one row of the attention matrix at a
//! time: see [`super::dot`].

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::{DMatrix, DVectorView};

use super::super::isotropic::OnSpan;
use super::blocks::{Blocks, Pair, sum_of};
use super::errors::times;
use super::rounding::{Counts, OneHot, RoundedRow, Rounding, Sizes};
use super::rows::{HeadSums, Rounded, RowSums, RowTerms};
use super::shared::{
    LocalBuffers, LocalTokens, Shared, coordinates, covariance_of_tokens, largest_symmetric, product, quadratic,
    reduced_value,
};
use super::token_pairs::Pairs;
use super::top_eigenvalue::{TopEigenvalue, is_norm_at_most};
use crate::attention::{Accumulate, View, ViewMut, multiply};
use crate::extremum::{largest, minimum};
use crate::weights::HeadWeights;

/// Accumulates the bound of one head over rows of its attention matrix.
#[derive(Clone, Debug)]
pub(crate) struct DotHead {
    pub(crate) shared: Arc<Shared>,
    pub(crate) blocks: Option<Blocks>,
    /// Products of pairs of tokens, from which the blocks are bounded where the code takes many rows at a time.
    pub(crate) pairs: Option<Arc<Pairs>>,
    rows: RowSums,
    sizes: Sizes,
    rounding: Rounding,
    /// Of the row added last: the covariance of the values, r x r, followed by the covariance of values with keys, r x
    /// k. Where the code computes covariances of tokens, the own part takes the place of the second matrix.
    covariance: Vec<f64>,
    last: Last,
    top: TopEigenvalue,
    /// As `top`, for rows that are taken many at a time: their matrices are in other coordinates.
    pub(crate) top_of_moments: TopEigenvalue,
    /// Whether the row added last could have been taken together with others.
    pub(crate) is_together: bool,
}

/// The terms of one row in the bound.
pub(crate) struct Terms {
    pub(crate) w: f64,
    /// An upper bound on ||V O_i||.
    pub(crate) own: f64,
    /// The variance of the tokens, tr C_i.
    pub(crate) trace: f64,
}

/// The numbers of the row added last that `local_blocks` needs.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    gradient_square: f64,
    /// An upper bound on ||V O_i||.
    own: f64,
}

/// Rows in a block. Where a block begins, what rows reuse of earlier rows is dropped ([`DotHead::begin_block`]).
pub(crate) const BLOCK: usize = 64;
/// Up to this size matrices are cheap to decompose: `w` is then an exact eigenvalue, and own parts are decomposed in
/// every row of `local_blocks`. Larger own parts are decomposed only where that may raise the maximum.
const SMALL_OWN: usize = 8;

impl DotHead {
    /// For one head with scores `scale` q.k, whose attention matrix has one column per token; `n` counts the terms of sums.
    pub(crate) fn new(scale: f64, outer: &DMatrix<f64>, head: &HeadWeights, all: &LocalTokens<'_>, n: Counts) -> Self {
        let centred = &all.centred;
        let shared = match OnSpan::of(outer, head, centred) {
            Some(OnSpan { frame, tokens, head }) => {
                let on_span = coordinates(&tokens);
                Shared { frame: Some(frame), ..Shared::new(scale, head.v.clone(), &head, (&tokens, on_span)) }
            }
            None => Shared::new(scale, reduced_value(outer, &head.v), head, (centred.tokens(), all.on_span())),
        };
        let sizes = Sizes::new(scale, head, shared.value_square.sqrt(), (centred, all.rounding), n);
        DotHead::empty(Arc::new(shared), sizes)
    }

    fn empty(shared: Arc<Shared>, sizes: Sizes) -> Self {
        let (r, k, columns) = (shared.r, shared.k, shared.tokens.ncols());
        DotHead {
            blocks: None,
            pairs: None,
            rows: RowSums::new(columns),
            sizes,
            rounding: Rounding::default(),
            covariance: vec![0.0; r * (r + k)],
            last: Last::default(),
            top: TopEigenvalue::default(),
            top_of_moments: TopEigenvalue::default(),
            is_together: false,
            shared,
        }
    }

    /// The same head, collecting the matrix of `local_blocks` too, unless the matrices of all `heads` heads would be
    /// too large.
    pub(crate) fn with_blocks(self, dimension: usize, heads: usize) -> Self {
        let blocks = Blocks::new(self.shared.tokens.ncols(), dimension, heads, self.shared.value_square.sqrt());
        DotHead { blocks, ..self }
    }

    /// Drops the eigenvectors from which the next rows would start, and has the first of these rows taken by itself, so
    /// that w_i does not depend on earlier blocks.
    pub(crate) fn begin_block(&mut self) {
        (self.top, self.top_of_moments) = (TopEigenvalue::default(), TopEigenvalue::default());
        self.is_together = false;
    }

    /// An empty `DotHead` for the next `n_rows` rows, to be [appended](DotHead::append) to this one.
    pub(crate) fn for_rows(&self, n_rows: usize) -> Self {
        let blocks = self.blocks.as_ref().map(|blocks| blocks.for_rows(n_rows));
        DotHead { blocks, pairs: self.pairs.clone(), ..DotHead::empty(Arc::clone(&self.shared), self.sizes) }
    }

    /// Adds the rows of another `DotHead`.
    pub(crate) fn append(&mut self, next: DotHead) {
        self.rows.append(&next.rows);
        self.rounding.append(next.rounding);
        if let (Some(blocks), Some(more)) = (&mut self.blocks, next.blocks) {
            blocks.append(more);
        }
    }

    /// Approximate number of operations for a row.
    pub(crate) fn operations_a_row(&self) -> usize {
        let Shared { r, k, d, .. } = *self.shared;
        let height = if self.shared.through.is_some() { d * d } else { r * (r + k) };
        self.shared.tokens.ncols() * height + r.pow(3) * 8
    }

    /// Adds a row of attention. `masses` are its weights, one per column; they sum to one. `query` is q_i. A row may
    /// stand for several rows: `shares` is the attention that one token of each column receives from all of them, and
    /// `slack` is a factor by which their norms may exceed this row's (1 for a row that stands for itself). `taken` is
    /// the index of the row among those of [`DotHead::take_moments`].
    pub(crate) fn row(
        &mut self,
        buffers: &mut LocalBuffers,
        masses: &[f64],
        shares: impl Fn(usize) -> f64,
        query: &[f64],
        (slack, taken): (f64, Option<usize>),
    ) {
        let query_norm = query.iter().map(|x| x * x).sum::<f64>().sqrt();
        let query = &*self.on_frame(query);
        let gradient_square = self.take_means(buffers, masses, query, taken);
        let of_moments = taken.and_then(|at| self.of_moments(buffers, at, masses, gradient_square));
        let Terms { w, own, trace } = of_moments.unwrap_or_else(|| {
            let trace = self.take_covariance(buffers, masses);
            let w = self.w(gradient_square, trace);
            self.is_together = self.could_be_together(&buffers.mean_token, masses, gradient_square, w);
            Terms { w, own: self.norm_of_own(&self.own(), 0.0), trace }
        });
        let one_hot = match masses.iter().filter(|mass| **mass != 0.0).count() {
            0 | 1 => OneHot::Gap(self.least_gap(masses, query)),
            _ => OneHot::No,
        };
        self.rounding.add(
            &self.sizes,
            RoundedRow {
                query: query_norm,
                gradient: gradient_square.sqrt(),
                variance: slack * trace,
                most: largest(masses.iter().copied()),
                one_hot,
            },
        );
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for j in 0..masses.len() {
            let share = shares(j);
            (least, most) = (least.min(share), most.max(share));
        }
        let terms = RowTerms {
            root_w: (slack * w).sqrt(),
            own: slack * own,
            // A row's weights sum to 1.
            row_sum: 1.0,
            gradient_square,
            spread: gradient_square * trace,
            // A row that stands for no rows, added only for its bound, has shares of zero.
            ln_ratio: if most > 0.0 { (most / least).ln() } else { 0.0 },
        };
        self.rows.add(terms, masses.len(), shares);
        self.last = Last { gradient_square, own };
    }

    /// How far the scores of all tokens are at least below that of the only one with a weight.
    fn least_gap(&self, masses: &[f64], query: &[f64]) -> f64 {
        let (r, height) = (self.shared.r, self.shared.r + self.shared.k);
        let keys = || self.shared.stacked.chunks_exact(height).map(|column| &column[r..]).zip(masses);
        let Some((top, _)) = keys().find(|(_, mass)| **mass != 0.0) else { return f64::INFINITY };
        let gap = |key: &[f64]| self.shared.scale * sum_of([query, top, key], |[q, top, k]| q * (top - k));
        keys().filter(|(_, mass)| **mass == 0.0).map(|(key, _)| gap(key)).fold(f64::INFINITY, minimum)
    }

    /// Adds the row of the last call of [`DotHead::row`] to the matrix of `local_blocks`. `weights` are the factors
    /// of the blocks: P_ij where columns are tokens. `taken` is as in [`DotHead::row`].
    pub(crate) fn block_row(
        &mut self,
        buffers: &LocalBuffers,
        masses: &[f64],
        weights: impl Fn(usize) -> f64,
        query: &[f64],
        taken: Option<usize>,
    ) {
        let Some(mut blocks) = self.blocks.take() else { return };
        let of_pairs = taken.zip(self.pairs.as_ref()).and_then(|(at, pairs)| pairs.row(&buffers.pairs, at));
        if let Some(pairs) = of_pairs {
            let pairs = pairs.take(masses.len()).enumerate();
            blocks.row(pairs.map(|(j, pair)| (weights(j), pair)), self.last.own);
            self.blocks = Some(blocks);
            return;
        }
        let query = &*self.on_frame(query);
        let (r, height, d) = (self.shared.r, self.shared.r + self.shared.k, self.shared.d);
        let columns = self.shared.tokens.as_slice().chunks_exact(d).zip(self.shared.stacked.chunks_exact(height));
        let (mean_value, mean_key) = buffers.mean.split_at(r);
        let (scale, y) = (self.shared.scale, self.last.gradient_square);
        let pairs = columns.zip(0..masses.len()).map(|((token, column), j)| {
            let (value, key) = column.split_at(r);
            let pair = Pair {
                t: sum_of([token, &buffers.mean_token], |[x, mean]| (x - mean) * (x - mean)),
                y,
                product: sum_of([key, mean_key, query], |[k, mean, q]| (k - mean) * scale * q),
                value: sum_of([value, mean_value], |[x, mean]| (x - mean) * (x - mean)),
            };
            (weights(j), pair)
        });
        blocks.row(pairs, self.last.own);
        self.blocks = Some(blocks);
    }

    /// The query in the coordinates of `frame`; without a frame, the query itself.
    fn on_frame<'a>(&self, query: &'a [f64]) -> Cow<'a, [f64]> {
        match &self.shared.frame {
            None => Cow::Borrowed(query),
            Some(frame) => {
                frame.column_iter().map(|axis| axis.dot(&DVectorView::from_slice(query, query.len()))).collect()
            }
        }
    }

    /// The sums over the rows added so far. Rounding changes weights by a factor, and so the blocks in proportion to
    /// their part in the bounds.
    pub(crate) fn finish(self) -> HeadSums {
        let column_sum = self.rows.largest_column_sum();
        let relative = self.rounding.relative();
        let moved = |bound: f64, column_sum: f64| times(bound, relative) + self.rounding.added(&self.sizes, column_sum);
        let (spectral, token) = self.rows.bounds();
        HeadSums {
            rounded: Rounded {
                spectral: moved(spectral, column_sum),
                token: moved(token, largest([column_sum, 1.0])),
                of_input: self.rounding.of_input(&self.sizes, column_sum),
            },
            evaluation: self.sizes.gamma(),
            sums: self.rows,
            blocks: self.blocks,
        }
    }

    /// Computes the means of tokens, values and keys under a row; returns |b_i|^2.
    fn take_means(&self, buffers: &mut LocalBuffers, masses: &[f64], query: &[f64], taken: Option<usize>) -> f64 {
        let Shared { scale, r, k, d, .. } = *self.shared;
        let height = r + k;
        let LocalBuffers { mean, mean_token, moments, .. } = buffers;
        mean_token.clear();
        match taken {
            Some(at) => mean_token.extend_from_slice(moments.mean(at, d)),
            None => {
                mean_token.resize(d, 0.0);
                for (token, mass) in self.shared.tokens.as_slice().chunks_exact(d).zip(masses) {
                    mean_token.iter_mut().zip(token).for_each(|(mean, x)| *mean += mass * x);
                }
            }
        }
        mean.clear();
        mean.resize(height, 0.0);
        let (columns, weights) = match &self.shared.through {
            Some(through) => (through.stacked.as_slice(), &mean_token[..]),
            None => (&self.shared.stacked[..], masses),
        };
        for (column, weight) in columns.chunks_exact(height).zip(weights) {
            mean.iter_mut().zip(column).for_each(|(mean, x)| *mean += weight * x);
        }
        let gradient: Vec<f64> = query.iter().map(|q| scale * q).collect();
        quadratic(&self.shared.kk, &gradient)
    }

    /// Computes the covariances of a row; returns the variance of the tokens.
    fn take_covariance(&mut self, buffers: &mut LocalBuffers, masses: &[f64]) -> f64 {
        let Shared { r, k, d, .. } = *self.shared;
        let (height, columns) = (r + k, masses.len());
        if let Some(through) = &self.shared.through {
            let trace = covariance_of_tokens(&self.shared.tokens, masses, buffers);
            let value = View::strided(through.stacked.as_slice(), r, d, height);
            buffers.through.resize(r * d, 0.0);
            multiply(
                ViewMut::new(&mut buffers.through, r, d),
                Accumulate::Replace,
                value,
                View::new(&buffers.of_tokens[..d * d], d, d),
                1.0,
            );
            let (of_values, own) = self.covariance.split_at_mut(r * r);
            let (left, columns) = (View::new(&buffers.through, r, d), through.own.ncols());
            multiply(ViewMut::new(of_values, r, r), Accumulate::Replace, left, value.transpose(), 1.0);
            let right = View::new(through.own.as_slice(), d, columns);
            multiply(ViewMut::new(own, r, columns), Accumulate::Replace, left, right, 1.0);
            trace
        } else {
            buffers.centred.resize(height * columns, 0.0);
            buffers.weighted.resize(r * columns, 0.0);
            let places = buffers.centred.chunks_exact_mut(height).zip(buffers.weighted.chunks_exact_mut(r));
            for ((centred, weighted), (column, mass)) in
                places.zip(self.shared.stacked.chunks_exact(height).zip(masses))
            {
                for ((c, x), mean) in centred.iter_mut().zip(column).zip(&buffers.mean) {
                    *c = x - mean;
                }
                weighted.iter_mut().zip(centred.iter()).for_each(|(w, c)| *w = mass * c);
            }
            multiply(
                ViewMut::new(&mut self.covariance, r, height),
                Accumulate::Replace,
                View::new(&buffers.weighted, r, columns),
                View::new(&buffers.centred, height, columns).transpose(),
                1.0,
            );
            let difference = |token: &[f64]| sum_of([token, &buffers.mean_token], |[x, mean]| (x - mean) * (x - mean));
            let tokens = self.shared.tokens.as_slice().chunks_exact(d);
            masses.iter().zip(tokens).map(|(mass, token)| mass * difference(token)).sum()
        }
    }

    fn own(&self) -> DMatrix<f64> {
        let (r, k) = (self.shared.r, self.shared.k);
        let factor = &self.shared.query_factor;
        let shape = (r, factor.ncols());
        let rest = &self.covariance[r * r..];
        match self.shared.through {
            Some(_) => DMatrix::from_column_slice(r, shape.1, &rest[..r * shape.1]),
            None => {
                let factor = View::new(factor.as_slice(), k, shape.1);
                product(View::new(rest, r, k), factor, shape, self.shared.scale)
            }
        }
    }

    /// An upper bound on the norm of an own part that differs from `own` by a matrix of norm at most `error`.
    pub(crate) fn norm_of_own(&self, own: &DMatrix<f64>, error: f64) -> f64 {
        let frobenius = own.norm() + error;
        // The spectral norm is at most the Frobenius norm, so the decomposition is skipped where it cannot change the
        // maximum. Where `local_blocks` is computed, it needs every row, so small own parts are always decomposed.
        let is_needed = self.blocks.is_some() && own.nrows().min(own.ncols()) <= SMALL_OWN;
        if (frobenius <= self.rows.own() && !is_needed) || own.nrows() == 1 || own.ncols() == 1 {
            return frobenius;
        }
        if own.nrows().min(own.ncols()) > SMALL_OWN && is_norm_at_most(own, self.rows.own() - error) {
            return self.rows.own();
        }
        crate::spectral::largest_singular_value(own) + error
    }

    fn w(&mut self, gradient_square: f64, trace: f64) -> f64 {
        let r = self.shared.r;
        let covariance = DMatrix::from_column_slice(r, r, &self.covariance[..r * r]);
        let matrix = &self.shared.vv + covariance * gradient_square;
        if r <= SMALL_OWN {
            return largest_symmetric(&matrix);
        }
        // ||V||^2 (1 + |b|^2 tr C) is an upper bound too; with it `local` is never above `unified`.
        minimum(self.top.bound(&matrix), self.shared.value_square * (1.0 + gradient_square * trace))
    }
}
