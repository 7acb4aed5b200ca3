//! `local` (ours, docs/theory.md section 2): an upper bound at the given tokens, for every kernel and mask:
//! max_i ||V O_i||_2 + sqrt(max_j sum_i P_ij w_i), w_i = ||V (sum_j P_ij M_ij M_ij^T) V^T||_2, M_ij = I + (x_j - m_i) b_ij^T.
//!
//! With C_vv, C_vk the covariances of values and keys under row i of P, V O_i = c C_vk Q, and the matrix of w_i is
//! V V^T + |b_i|^2 C_vv where b does not depend on j (dot product). With an output matrix V stands for R_h V_h, R_h the
//! triangular factor of O_h, which changes no norm. Cost O(n^2 r (r + k)) a head, r the rows of V.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVectorView};

use super::alike::OnSpan;
use super::heads::Combination;
use super::local_blocks::{self, Blocks, Pair};
use super::top_eigenvalue::{TopEigenvalue, is_norm_at_most};
use crate::attention::{Accumulate, Forward, Kernel, View, ViewMut, multiply};
use crate::weights::{HeadWeights, Weights};

/// The terms of `local` for the head with the largest bound; `value` is over all heads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalParts {
    /// The bound with all heads, without the normaliser's factor.
    pub value: f64,
    /// The head that the other fields describe.
    pub head_idx: usize,
    /// max_i ||V O_i||.
    pub own: f64,
    /// sqrt(max_j sum_i P_ij w_i).
    pub mixed: f64,
    /// max_j sum_i P_ij, the most attention that one token receives.
    pub column_sum: f64,
    /// max_i w_i.
    pub w: f64,
    /// max_i |b_i|^2, with b the gradient of the score in the key token.
    pub gradient_square: f64,
    /// max_i |b_i|^2 tr C_i: the variance of the tokens under row i of P, times the squared gradient.
    pub spread: f64,
    /// max_i ln(max_j P_ij / min_j P_ij): the range of the scores in a row; infinite where attention underflows.
    pub ln_ratio: f64,
    /// The bound `local_blocks` with all heads, without the normaliser's factor; `None` for runs of equal tokens, and
    /// where its matrices would be too large.
    pub blocks: Option<f64>,
}

/// Accumulates the bound of one head over the rows of its attention matrix.
#[derive(Clone, Debug)]
pub(crate) struct LocalHead {
    kernel: Kernel,
    r: usize,
    k: usize,
    d: usize,
    /// Values stacked over keys, (r + k) x columns.
    stacked: Vec<f64>,
    /// d x columns, or their coordinates in the span of fewer columns.
    tokens: DMatrix<f64>,
    /// Where everything is computed in the span of the tokens: orthonormal columns, d x columns.
    frame: Option<DMatrix<f64>>,
    blocks: Option<Blocks>,
    /// V V^T, V K^T, K K^T.
    vv: DMatrix<f64>,
    vk: DMatrix<f64>,
    kk: DMatrix<f64>,
    /// L with Q = L Z, where Z has orthonormal rows.
    query_factor: DMatrix<f64>,
    parts: LocalParts,
    sums: Vec<f64>,
    weighted_sums: Vec<f64>,
    centred: Vec<f64>,
    weighted: Vec<f64>,
    covariance: Vec<f64>,
    last: Last,
    /// ||V||^2.
    value_square: f64,
    top: TopEigenvalue,
}

/// What `local_blocks` needs of the row that was added last.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    gradient_square: f64,
    /// An upper bound on ||V O_i||.
    own: f64,
}

/// Own parts up to this size are decomposed in every row where `local_blocks` is computed.
const SMALL_OWN: usize = 8;

impl LocalHead {
    /// For a head with an attention matrix over the given columns (tokens, d x columns).
    pub(crate) fn new(kernel: Kernel, outer: &DMatrix<f64>, head: &HeadWeights, tokens: &DMatrix<f64>) -> Self {
        if let Some(OnSpan { frame, tokens, head }) = OnSpan::of(outer, head, tokens) {
            return LocalHead { frame: Some(frame), ..LocalHead::of_values(kernel, head.v.clone(), &head, &tokens) };
        }
        LocalHead::of_values(kernel, reduced_value(outer, &head.v), head, tokens)
    }

    /// With `value` in place of the head's V.
    fn of_values(kernel: Kernel, value: DMatrix<f64>, head: &HeadWeights, tokens: &DMatrix<f64>) -> Self {
        let (r, k, columns) = (value.nrows(), head.k.nrows(), tokens.ncols());
        let mut stacked = DMatrix::zeros(r + k, columns);
        stacked.rows_mut(0, r).copy_from(&(&value * tokens));
        stacked.rows_mut(r, k).copy_from(&(&head.k * tokens));
        let query_factor = if head.q.ncols() > k { head.q.transpose().qr().r().transpose() } else { head.q.clone() };
        let vv = &value * value.transpose();
        LocalHead {
            kernel,
            r,
            k,
            d: tokens.nrows().min(columns),
            stacked: stacked.as_slice().to_vec(),
            frame: None,
            tokens: if tokens.nrows() > columns { tokens.clone().qr().r() } else { tokens.clone() },
            blocks: None,
            value_square: largest_symmetric(&vv),
            top: TopEigenvalue::default(),
            vv,
            vk: &value * head.k.transpose(),
            kk: &head.k * head.k.transpose(),
            query_factor,
            parts: LocalParts::default(),
            sums: vec![0.0; columns],
            weighted_sums: vec![0.0; columns],
            centred: vec![0.0; (r + k) * columns],
            weighted: vec![0.0; r * columns],
            covariance: vec![0.0; r * (r + k)],
            last: Last::default(),
        }
    }

    /// The same with the matrix of `local_blocks` for one of so many heads, where it is not too large.
    pub(crate) fn with_blocks(self, dimension: usize, heads: usize) -> Self {
        let blocks = Blocks::new(self.tokens.ncols(), dimension, heads, self.value_square.sqrt());
        LocalHead { blocks, ..self }
    }

    /// Adds a row of attention. `masses` is its attention to each column (they sum to one); `shares` the attention that
    /// one token of each column receives from all rows that this one stands for; `query` is q_i; `slack` a factor by
    /// which the norms of those rows may exceed this row's (1 for a row that stands for itself).
    pub(crate) fn row(&mut self, masses: &[f64], shares: impl Fn(usize) -> f64, query: &[f64], slack: f64) {
        let query = &*self.on_frame(query);
        let gradient_square = self.take_covariance(masses, query);
        let w = slack * self.w(masses, query, gradient_square);
        self.parts.w = self.parts.w.max(w);
        let own = self.own();
        self.parts.own = self.parts.own.max(slack * own);
        self.parts.gradient_square = self.parts.gradient_square.max(gradient_square);
        self.parts.spread = self.parts.spread.max(gradient_square * self.trace(masses));
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for j in 0..masses.len() {
            let share = shares(j);
            (least, most) = (least.min(share), most.max(share));
            self.sums[j] += share;
            self.weighted_sums[j] += share * w;
        }
        self.last = Last { gradient_square, own };
        // A row that only bounds others has no shares.
        if most > 0.0 {
            self.parts.ln_ratio = self.parts.ln_ratio.max((most / least).ln());
        }
    }

    /// Adds the row that was added last to the matrix of `local_blocks`; `weights` of the blocks are P_ij for tokens.
    pub(crate) fn block_row(&mut self, masses: &[f64], weights: impl Fn(usize) -> f64, query: &[f64]) {
        let Some(mut blocks) = self.blocks.take() else { return };
        let query = &*self.on_frame(query);
        let (r, height, d) = (self.r, self.r + self.k, self.d);
        let mut mean = vec![0.0; d];
        for (token, mass) in self.tokens.as_slice().chunks_exact(d).zip(masses) {
            mean.iter_mut().zip(token).for_each(|(mean, x)| *mean += mass * x);
        }
        let columns = self.tokens.as_slice().chunks_exact(d).zip(self.stacked.chunks_exact(height));
        let pairs = columns.zip(self.centred.chunks_exact(height)).zip(0..masses.len());
        let pairs = pairs.map(|(((token, column), centred), j)| {
            let gradient = |(q, k): (&f64, &f64)| self.kernel.key_gradient(*q, *k);
            let gradients = || query.iter().zip(&column[r..]).map(gradient);
            let y = match self.kernel.key_square {
                0.0 => self.last.gradient_square,
                _ => quadratic(&self.kk, &gradients().collect::<Vec<f64>>()),
            };
            let pair = Pair {
                t: token.iter().zip(&mean).map(|(x, mean)| (x - mean) * (x - mean)).sum(),
                y,
                product: centred[r..].iter().zip(gradients()).map(|(k, gradient)| k * gradient).sum(),
                value: centred[..r].iter().map(|x| x * x).sum(),
            };
            (weights(j), pair)
        });
        blocks.row(pairs, self.last.own);
        self.blocks = Some(blocks);
    }

    /// A query in the coordinates in which everything is computed.
    fn on_frame<'a>(&self, query: &'a [f64]) -> Cow<'a, [f64]> {
        match &self.frame {
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
        let value = self.parts.own + mixed;
        LocalParts { value, head_idx, mixed, column_sum: largest(&self.sums), ..self.parts }
    }

    /// Computes the covariances of values, and of values with keys, r x (r + k). Returns |b_i|^2 where b_ij does not
    /// depend on j, otherwise its mean over the row.
    fn take_covariance(&mut self, masses: &[f64], query: &[f64]) -> f64 {
        let (r, height) = (self.r, self.r + self.k);
        let mut mean = vec![0.0; height];
        for (column, mass) in self.stacked.chunks_exact(height).zip(masses) {
            mean.iter_mut().zip(column).for_each(|(mean, x)| *mean += mass * x);
        }
        let columns = masses.len();
        let places = self.centred.chunks_exact_mut(height).zip(self.weighted.chunks_exact_mut(r));
        for ((centred, weighted), (column, mass)) in places.zip(self.stacked.chunks_exact(height).zip(masses)) {
            for ((c, x), mean) in centred.iter_mut().zip(column).zip(&mean) {
                *c = x - mean;
            }
            weighted.iter_mut().zip(centred.iter()).for_each(|(w, c)| *w = mass * c);
        }
        multiply(
            ViewMut::new(&mut self.covariance, r, height),
            Accumulate::Replace,
            View::new(&self.weighted[..r * columns], r, columns),
            View::new(&self.centred[..height * columns], height, columns).transpose(),
            1.0,
        );
        let keys = &mean[r..];
        let gradient: Vec<f64> = query.iter().zip(keys).map(|(q, k)| self.kernel.key_gradient(*q, *k)).collect();
        quadratic(&self.kk, &gradient)
    }

    fn own(&self) -> f64 {
        let (r, k) = (self.r, self.k);
        let covariance = DMatrix::from_column_slice(r, k, &self.covariance[r * r..]);
        let own = covariance * &self.query_factor * self.kernel.cross;
        let frobenius = own.norm();
        // The spectral norm is at most the Frobenius norm, so the decomposition is skipped where it cannot change the
        // maximum; small ones only where `local_blocks` does not need every row.
        let is_needed = self.blocks.is_some() && own.nrows().min(own.ncols()) <= SMALL_OWN;
        if (frobenius <= self.parts.own && !is_needed) || own.nrows() == 1 || own.ncols() == 1 {
            return frobenius;
        }
        if own.nrows().min(own.ncols()) > SMALL_OWN && is_norm_at_most(&own, self.parts.own) {
            return self.parts.own;
        }
        crate::spectral::largest_singular_value(&own)
    }

    fn w(&mut self, masses: &[f64], query: &[f64], gradient_square: f64) -> f64 {
        let (r, height) = (self.r, self.r + self.k);
        let covariance = DMatrix::from_column_slice(r, r, &self.covariance[..r * r]);
        if self.kernel.key_square == 0.0 {
            let matrix = &self.vv + covariance * gradient_square;
            if r <= SMALL_OWN {
                return largest_symmetric(&matrix);
            }
            // ||V||^2 (1 + |b|^2 tr C) is not smaller either; with it `local` is never above `unified`.
            return self.top.bound(&matrix).min(self.value_square * (1.0 + gradient_square * self.trace(masses)));
        }
        // b_ij = K^T (c q_i - 2 w k_j) depends on j, so terms linear in it do not vanish, and |b_ij|^2 weights the
        // quadratic ones.
        let with_keys = DMatrix::from_column_slice(r, self.k, &self.covariance[r * r..]);
        let cross = with_keys * self.vk.transpose() * (-2.0 * self.kernel.key_square);
        let mut sum = &self.vv + &cross + cross.transpose();
        for ((column, centred), mass) in
            self.stacked.chunks_exact(height).zip(self.centred.chunks_exact(height)).zip(masses)
        {
            let gradient: Vec<f64> =
                query.iter().zip(&column[r..]).map(|(q, k)| self.kernel.key_gradient(*q, *k)).collect();
            let weight = mass * quadratic(&self.kk, &gradient);
            for (col, x) in centred[..r].iter().enumerate() {
                for (row, y) in centred[..r].iter().enumerate() {
                    sum[(row, col)] += weight * x * y;
                }
            }
        }
        largest_symmetric(&sum)
    }

    /// tr C_i of a row of attention.
    fn trace(&self, masses: &[f64]) -> f64 {
        let mut mean = vec![0.0; self.d];
        let mut square = 0.0;
        for (token, mass) in self.tokens.as_slice().chunks_exact(self.d).zip(masses) {
            for (mean, x) in mean.iter_mut().zip(token) {
                *mean += mass * x;
                square += mass * x * x;
            }
        }
        (square - mean.iter().map(|x| x * x).sum::<f64>()).max(0.0)
    }
}

/// Computes `local` at a forward pass in short steps, so that a worker can handle messages between them.
#[derive(Clone, Debug)]
pub struct LocalBound {
    heads: Vec<LocalHead>,
    next: (usize, usize),
}

impl LocalBound {
    /// Prepares the bound at a forward pass.
    #[must_use]
    pub fn new(forward: &Forward<f64>, weights: &Weights) -> Self {
        let tokens = forward.normalizer().outputs();
        let heads = weights
            .heads
            .iter()
            .zip(weights.values_through_output())
            .zip(&forward.heads)
            .map(|((head, (outer, _)), layout)| {
                LocalHead::new(layout.kernel, &outer, head, tokens).with_blocks(tokens.nrows(), weights.heads.len())
            })
            .collect();
        LocalBound { heads, next: (0, 0) }
    }

    /// Adds some rows; true when all rows are done.
    pub fn step(&mut self, forward: &Forward<f64>) -> bool {
        let (head_idx, row) = self.next;
        let Some(head) = self.heads.get_mut(head_idx) else { return true };
        // About ten million operations per step.
        let cost = forward.n() * head.r * (head.r + head.k) + head.r.pow(3) * 8;
        let end = forward.n().min(row + (10_000_000 / cost.max(1)).max(1));
        let layout = &forward.heads[head_idx];
        let mut buffer = forward.row_buffer();
        for i in row..end {
            let reach = forward.reach(&(i..i + 1));
            let block = forward.rows_of_p(head_idx, i..i + 1, &mut buffer);
            let masses = &block.weights[..reach];
            let column = forward.projections.column(i);
            let query = &column.as_slice()[layout.q_rows.clone()];
            head.row(masses, |j| masses[j], query, 1.0);
            head.block_row(masses, |j| masses[j], query);
        }
        self.next = if end == forward.n() { (head_idx + 1, 0) } else { (head_idx, end) };
        self.next.0 == self.heads.len()
    }

    /// The bound, after all rows are done.
    #[must_use]
    pub fn finish(self, combination: Combination) -> LocalParts {
        combine(self.heads, combination)
    }
}

/// The bounds over all heads, with the terms of the largest head.
pub(crate) fn combine(heads: Vec<LocalHead>, combination: Combination) -> LocalParts {
    let parts: Vec<LocalParts> = heads.iter().enumerate().map(|(head_idx, head)| head.parts(head_idx)).collect();
    let most_own: Vec<f64> = parts.iter().map(|parts| parts.own).collect();
    let blocks: Option<Vec<Blocks>> = heads.into_iter().map(|head| head.blocks).collect();
    let blocks = blocks.map(|blocks| local_blocks::norm(&blocks, combination, &most_own));
    let ln: Vec<f64> = parts.iter().map(|head| head.value.ln()).collect();
    let largest = parts.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or_default();
    LocalParts { value: combination.ln_combine(&ln).exp(), blocks, ..largest }
}

/// R_h V_h with the thin QR O_h = Z R_h, or a triangular factor of V if V has more rows than columns.
pub(super) fn reduced_value(outer: &DMatrix<f64>, value: &DMatrix<f64>) -> DMatrix<f64> {
    // `outer` is O_h^T, d_v x d_out.
    let through = if outer.ncols() > outer.nrows() { outer.transpose().qr().r() * value } else { outer.tr_mul(value) };
    if through.nrows() > through.ncols() { through.qr().r() } else { through }
}

/// x^T M x for a Gram matrix M, clamped to 0 against rounding.
fn quadratic(matrix: &DMatrix<f64>, x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (col, x_col) in x.iter().enumerate() {
        for (row, x_row) in x.iter().enumerate() {
            sum += x_row * matrix[(row, col)] * x_col;
        }
    }
    sum.max(0.0)
}

/// The largest eigenvalue of a positive semidefinite matrix, in closed form for sizes 1 and 2.
fn largest_symmetric(matrix: &DMatrix<f64>) -> f64 {
    match matrix.nrows() {
        0 => 0.0,
        1 => matrix[(0, 0)].max(0.0),
        2 => {
            let (a, b, c) = (matrix[(0, 0)], matrix[(0, 1)], matrix[(1, 1)]);
            (0.5 * (a + c) + (0.5 * (a - c)).hypot(b)).max(0.0)
        }
        _ => crate::spectral::largest_eigenvalue(matrix),
    }
}
