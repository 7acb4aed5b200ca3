//! Computes the bound `local` of one head and its terms, one row of the attention matrix at a time: see
//! [`super::bound`].

use std::borrow::Cow;
use std::sync::Arc;

use nalgebra::{DMatrix, DVectorView};

use super::super::isotropic::OnSpan;
use super::blocks::{Blocks, Pair, sum_of};
use super::rounding::{Counts, RoundedRow, Rounding, Sizes};
use super::shared::{
    LocalBuffers, LocalTokens, Shared, coordinates, covariance_of_tokens, largest_symmetric, product, quadratic,
    reduced_value,
};
use super::token_pairs::Pairs;
use super::top_eigenvalue::{TopEigenvalue, is_norm_at_most};
use crate::attention::{Accumulate, Kernel, View, ViewMut, multiply};
use crate::weights::HeadWeights;

/// Accumulates the bound of one head over rows of its attention matrix.
#[derive(Clone, Debug)]
pub(crate) struct LocalHead {
    pub(in crate::bounds) shared: Arc<Shared>,
    pub(in crate::bounds) blocks: Option<Blocks>,
    /// Products of pairs of tokens, from which the blocks are bounded where the code takes many rows at a time.
    pub(in crate::bounds) pairs: Option<Arc<Pairs>>,
    parts: LocalParts,
    sizes: Sizes,
    rounding: Rounding,
    sums: Vec<f64>,
    weighted_sums: Vec<f64>,
    /// Of the row added last: the covariance of the values, r x r, followed by the covariance of values with keys, r x
    /// k. Where the code computes covariances of tokens, the own part takes the place of the second matrix.
    covariance: Vec<f64>,
    last: Last,
    top: TopEigenvalue,
    /// As `top`, for rows that are taken many at a time: their matrices are in other coordinates.
    pub(in crate::bounds) top_of_moments: TopEigenvalue,
    /// Whether the row added last could have been taken together with others.
    pub(in crate::bounds) is_together: bool,
}

/// The terms of one row in the bound.
pub(in crate::bounds) struct Terms {
    pub(in crate::bounds) w: f64,
    /// An upper bound on ||V O_i||.
    pub(in crate::bounds) own: f64,
    /// The variance of the tokens, tr C_i.
    pub(in crate::bounds) trace: f64,
}

/// The numbers of the row added last that `local_blocks` needs.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    gradient_square: f64,
    /// An upper bound on ||V O_i||.
    own: f64,
}

/// Rows in a block. Where a block begins, what rows reuse of earlier rows is dropped ([`LocalHead::begin_block`]).
pub(in crate::bounds) const BLOCK: usize = 64;
/// Up to this size matrices are cheap to decompose: `w` is then an exact eigenvalue, and own parts are decomposed in
/// every row of `local_blocks`. Larger own parts are decomposed only where that may raise the maximum.
const SMALL_OWN: usize = 8;

impl LocalHead {
    /// For one head, whose attention matrix has one column per token; `n` counts the terms of sums.
    pub(crate) fn new(
        kernel: Kernel,
        outer: &DMatrix<f64>,
        head: &HeadWeights,
        all: &LocalTokens<'_>,
        n: Counts,
    ) -> Self {
        let centred = &all.centred;
        let shared = match OnSpan::of(outer, head, centred) {
            Some(OnSpan { frame, tokens, head }) => {
                let on_span = coordinates(&tokens);
                Shared { frame: Some(frame), ..Shared::new(kernel, head.v.clone(), &head, (&tokens, on_span)) }
            }
            None => Shared::new(kernel, reduced_value(outer, &head.v), head, (centred.tokens(), all.on_span())),
        };
        let sizes = Sizes::new(kernel, head, shared.value_square.sqrt(), centred, n);
        LocalHead::empty(Arc::new(shared), sizes)
    }

    fn empty(shared: Arc<Shared>, sizes: Sizes) -> Self {
        let (r, k, columns) = (shared.r, shared.k, shared.tokens.ncols());
        LocalHead {
            blocks: None,
            pairs: None,
            parts: LocalParts::default(),
            sizes,
            rounding: Rounding::default(),
            sums: vec![0.0; columns],
            weighted_sums: vec![0.0; columns],
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
        LocalHead { blocks, ..self }
    }

    /// Drops the eigenvectors from which the next rows would start, and has the first of these rows taken by itself, so
    /// that w_i does not depend on earlier blocks.
    pub(crate) fn begin_block(&mut self) {
        (self.top, self.top_of_moments) = (TopEigenvalue::default(), TopEigenvalue::default());
        self.is_together = false;
    }

    /// An empty `LocalHead` for the next `n_rows` rows, to be [appended](LocalHead::append) to this one.
    pub(crate) fn for_rows(&self, n_rows: usize) -> Self {
        let blocks = self.blocks.as_ref().map(|blocks| blocks.for_rows(n_rows));
        LocalHead { blocks, pairs: self.pairs.clone(), ..LocalHead::empty(Arc::clone(&self.shared), self.sizes) }
    }

    /// Adds the rows of another `LocalHead`.
    pub(crate) fn append(&mut self, next: LocalHead) {
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        add(&mut self.sums, &next.sums);
        add(&mut self.weighted_sums, &next.weighted_sums);
        self.rounding.append(next.rounding);
        let (a, b) = (self.parts, next.parts);
        self.parts = LocalParts {
            own: a.own.max(b.own),
            w: a.w.max(b.w),
            token: a.token.max(b.token),
            gradient_square: a.gradient_square.max(b.gradient_square),
            spread: a.spread.max(b.spread),
            ln_ratio: a.ln_ratio.max(b.ln_ratio),
            ..a
        };
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

    /// A factor and a term: a bound times the factor, plus the term, covers all rounding.
    pub(in crate::bounds) fn factor_and_added(&self, column_sum: f64) -> (f64, f64) {
        (self.rounding.factor(&self.sizes), self.rounding.added(&self.sizes, column_sum))
    }

    /// The matrix of `local_blocks`, if there is one.
    pub(in crate::bounds) fn into_blocks(self) -> Option<Blocks> {
        self.blocks
    }

    /// Adds a row of attention. `masses` are its weights, one per column; they sum to one. `query` is q_i. A row may
    /// stand for several rows: `shares` is the attention that one token of each column receives from all of them, and
    /// `slack` is a factor by which their norms may exceed this row's (1 for a row that stands for itself). `taken` is
    /// the index of the row among those of [`LocalHead::take_moments`].
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
            let w = self.w(buffers, masses, query, (gradient_square, trace));
            self.is_together = self.could_be_together(&buffers.mean_token, masses, gradient_square, w);
            Terms { w, own: self.norm_of_own(&self.own(), 0.0), trace }
        });
        let most = masses.iter().copied().fold(0.0, f64::max);
        let apart = sum_of([query, &buffers.mean[self.shared.r..]], |[q, mean]| (q - mean) * (q - mean)).sqrt();
        let is_one_hot = masses.iter().filter(|mass| **mass != 0.0).count() <= 1;
        self.rounding.add(
            &self.sizes,
            RoundedRow {
                query: query_norm,
                gradient: gradient_square.sqrt(),
                apart,
                variance: slack * trace,
                most,
                is_one_hot,
            },
        );
        let w = slack * w;
        self.parts.w = self.parts.w.max(w);
        self.parts.token = self.parts.token.max(slack * own + w.sqrt());
        self.parts.own = self.parts.own.max(slack * own);
        self.parts.gradient_square = self.parts.gradient_square.max(gradient_square);
        self.parts.spread = self.parts.spread.max(gradient_square * trace);
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for j in 0..masses.len() {
            let share = shares(j);
            (least, most) = (least.min(share), most.max(share));
            self.sums[j] += share;
            self.weighted_sums[j] += share * w;
        }
        self.last = Last { gradient_square, own };
        // A row that stands for no rows, added only for its bound, has shares of zero.
        if most > 0.0 {
            self.parts.ln_ratio = self.parts.ln_ratio.max((most / least).ln());
        }
    }

    /// Adds the row of the last call of [`LocalHead::row`] to the matrix of `local_blocks`. `weights` are the factors
    /// of the blocks: P_ij where columns are tokens. `taken` is as in [`LocalHead::row`].
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
        let kernel = self.shared.kernel;
        let pairs = columns.zip(0..masses.len()).map(|((token, column), j)| {
            let (value, key) = column.split_at(r);
            let y = match kernel.key_square {
                0.0 => self.last.gradient_square,
                _ => {
                    let gradients = query.iter().zip(key).map(|(q, k)| kernel.key_gradient(*q, *k));
                    quadratic(&self.shared.kk, &gradients.collect::<Vec<f64>>())
                }
            };
            let pair = Pair {
                t: sum_of([token, &buffers.mean_token], |[x, mean]| (x - mean) * (x - mean)),
                y,
                product: sum_of([key, mean_key, query], |[k, mean, q]| (k - mean) * kernel.key_gradient(q, k)),
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

    /// The terms of the bound over the rows added so far.
    pub(crate) fn parts(&self, head_idx: usize) -> LocalParts {
        let largest = |sums: &[f64]| sums.iter().copied().fold(0.0, f64::max);
        let mixed = largest(&self.weighted_sums).sqrt();
        let column_sum = largest(&self.sums);
        let (factor, added) = self.factor_and_added(column_sum);
        let value = scaled(self.parts.own + mixed, factor) + added;
        let of_input = self.rounding.of_input(&self.sizes, column_sum);
        // A row's weights sum to 1.
        let (factor, added) = self.factor_and_added(column_sum.max(1.0));
        let token = scaled(self.parts.token, factor) + added;
        LocalParts { value, token, head_idx, mixed, column_sum, largest_column_sum: column_sum, of_input, ..self.parts }
    }

    /// Computes the means of tokens, values and keys under a row; returns |b_i|^2 where b_ij does not depend on j,
    /// otherwise |sum_j P_ij b_ij|^2.
    fn take_means(&self, buffers: &mut LocalBuffers, masses: &[f64], query: &[f64], taken: Option<usize>) -> f64 {
        let Shared { kernel, r, k, d, .. } = *self.shared;
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
        let gradient: Vec<f64> = query.iter().zip(&mean[r..]).map(|(q, k)| kernel.key_gradient(*q, *k)).collect();
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
            let apart = |token: &[f64]| sum_of([token, &buffers.mean_token], |[x, mean]| (x - mean) * (x - mean));
            let tokens = self.shared.tokens.as_slice().chunks_exact(d);
            masses.iter().zip(tokens).map(|(mass, token)| mass * apart(token)).sum()
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
                product(View::new(rest, r, k), factor, shape, self.shared.kernel.cross)
            }
        }
    }

    /// An upper bound on the norm of an own part that differs from `own` by a matrix of norm at most `error`.
    pub(in crate::bounds) fn norm_of_own(&self, own: &DMatrix<f64>, error: f64) -> f64 {
        let frobenius = own.norm() + error;
        // The spectral norm is at most the Frobenius norm, so the decomposition is skipped where it cannot change the
        // maximum. Where `local_blocks` is computed, it needs every row, so small own parts are always decomposed.
        let is_needed = self.blocks.is_some() && own.nrows().min(own.ncols()) <= SMALL_OWN;
        if (frobenius <= self.parts.own && !is_needed) || own.nrows() == 1 || own.ncols() == 1 {
            return frobenius;
        }
        if own.nrows().min(own.ncols()) > SMALL_OWN && is_norm_at_most(own, self.parts.own - error) {
            return self.parts.own;
        }
        crate::spectral::largest_singular_value(own) + error
    }

    fn w(
        &mut self,
        buffers: &LocalBuffers,
        masses: &[f64],
        query: &[f64],
        (gradient_square, trace): (f64, f64),
    ) -> f64 {
        let r = self.shared.r;
        let covariance = DMatrix::from_column_slice(r, r, &self.covariance[..r * r]);
        if self.shared.kernel.key_square == 0.0 {
            let matrix = &self.shared.vv + covariance * gradient_square;
            if r <= SMALL_OWN {
                return largest_symmetric(&matrix);
            }
            // ||V||^2 (1 + |b|^2 tr C) is an upper bound too; with it `local` is never above `unified`.
            return self.top.bound(&matrix).min(self.shared.value_square * (1.0 + gradient_square * trace));
        }
        // b_ij = K^T (c q_i - 2 w k_j) depends on j, so terms linear in it do not vanish, and |b_ij|^2 weights the
        // quadratic ones.
        let with_keys = DMatrix::from_column_slice(r, self.shared.k, &self.covariance[r * r..]);
        let cross = with_keys * self.shared.vk.transpose() * (-2.0 * self.shared.kernel.key_square);
        let mut sum = &self.shared.vv + &cross + cross.transpose();
        self.shared.add_weighted_values(&mut sum, &buffers.centred, masses, query);
        largest_symmetric(&sum)
    }
}

/// A bound times a factor. The factor may be infinite; a bound of zero stays zero.
pub(in crate::bounds) fn scaled(bound: f64, factor: f64) -> f64 {
    if bound == 0.0 { 0.0 } else { bound * factor }
}

/// The terms of `local` for the head with the largest bound; `value`, `token`, `of_input`, `blocks` and
/// `largest_column_sum` are over all heads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalParts {
    /// The bound over all heads, with what rounding may add, without the normaliser's factor.
    pub value: f64,
    /// The bound `local_token` over all heads, with what rounding may add, without the normaliser's factor.
    pub token: f64,
    /// The head that the other fields describe.
    pub head_idx: usize,
    /// max_i ||V O_i||.
    pub own: f64,
    /// sqrt(max_j sum_i P_ij w_i).
    pub mixed: f64,
    /// max_j sum_i P_ij, the most attention that one token receives.
    pub column_sum: f64,
    /// The largest `column_sum` of all heads.
    pub largest_column_sum: f64,
    /// max_i w_i.
    pub w: f64,
    /// max_i |b_i|^2, with b the gradient of the score in the key token.
    pub gradient_square: f64,
    /// max_i |b_i|^2 tr C_i: the variance of the tokens under row i of P, times the squared gradient.
    pub spread: f64,
    /// max_i ln(max_j P_ij / min_j P_ij): the range of the scores in a row; infinite where attention underflows.
    pub ln_ratio: f64,
    /// The most by which rounding the input's numbers to 16 digits may change J, to first order.
    pub of_input: f64,
    /// The bound `local_blocks` over all heads, without the normaliser's factor; `None` for runs of equal tokens, and
    /// where its matrices would be too large.
    pub blocks: Option<f64>,
}
