//! The terms of the bounds at given tokens for attention of every kind (ours, docs/theory.md, "Local bounds of every
//! variant"), from the blocks J_ij = B_ij + delta_ij O_i of a head:
//!
//! w_i = ||sum_j B_ij B_ij^T/U_ij||, with U = P, or P_1 + |lambda| P_2 for the two maps of a differential head.
//!
//! The program works with B_ij = U_ij (r_ij W_j + sum_m t_mj b_mj^T) over the maps m, with t_mj = (P_mij/U_ij) (w_j - mu_mi)
//! times the map's factor, r_ij the share of the maps' weights in U and b_mj the gradient of the weight's logarithm in the
//! key token. So nothing is divided by a weight that may have underflowed, and only products of values, keys and gradients
//! are formed, O(n^2 (k^2 + k r + r^2)) for a head.
//!
//! At a token measure a column stands for the N_b tokens of a cluster: p, D and U of all of them together give the same
//! w_a and O_a, a token of cluster b receives (N_a/N_b) U_ab from those of cluster a, and the block on fields that are
//! constant on each cluster is sqrt(N_a/N_b) B_ab (docs/theory.md section 3).

use nalgebra::DMatrix;

use super::blocks::Blocks;
use super::errors::RowErrors;
use super::head_matrices::HeadMatrices;
use super::row_pieces::{Norms, Row};
use super::row_weights::{Multiplicities, RowWeights};
use super::rows::{HeadSums, Rounded, RowSums};
use crate::attention::Forward;
use crate::extremum::largest;
use crate::parallel::{self, Schedule, Scratch};

/// What rounding may take from a bound, relative to it, for each term of its sums.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// The most entries in the matrices of blocks of all heads together.
const MOST_ENTRIES: usize = 1 << 22;
/// The norms of blocks are exact where all of them together take at most this many operations.
const MOST_EXACT: usize = 40_000_000;
/// The most rows of a step on each thread, those of all heads counted.
const MOST_ROWS: usize = 64;
/// Operations of a step.
const STEP_OPERATIONS: usize = if cfg!(target_arch = "wasm32") { 10_000_000 } else { 200_000_000 };

/// The rows of all heads at a forward pass, some a step.
#[derive(Clone, Debug)]
pub(crate) struct GeneralRows {
    heads: Vec<GeneralHead>,
    sizes: Multiplicities,
    next_row: usize,
    buffers: Scratch<Vec<f64>>,
}

/// Errors of blocks, summed along rows and columns.
#[derive(Clone, Debug)]
struct SummedErrors {
    columns: Vec<f64>,
    row: f64,
    own: f64,
    token: f64,
}

impl SummedErrors {
    fn new(n: usize) -> Self {
        SummedErrors { columns: vec![0.0; n], row: 0.0, own: 0.0, token: 0.0 }
    }

    fn add(&mut self, errors: &RowErrors, ratio: impl Fn(usize) -> f64) {
        let row_sum: f64 = errors.blocks.iter().sum();
        for (j, error) in errors.blocks.iter().enumerate().filter(|(_, error)| **error != 0.0) {
            self.columns[j] += ratio(j) * error;
        }
        self.row = largest([self.row, row_sum]);
        self.own = largest([self.own, errors.own]);
        self.token = largest([self.token, errors.own + row_sum]);
    }

    /// Schur's test: a matrix of sizes has at most the root of its largest row sum times its largest column sum.
    fn spectral(&self) -> f64 {
        self.own + self.row.sqrt() * largest(self.columns.iter().copied()).sqrt()
    }
}

/// One head, and the terms accumulated over its rows.
#[derive(Clone, Debug)]
pub(crate) struct GeneralHead {
    matrices: HeadMatrices,
    norms: Norms,
    sums: RowSums,
    /// Upper bounds on ||B_ij|| row by row, n x n, and on ||O_i||.
    mixed: Vec<f64>,
    owns: Vec<f64>,
    rounding: SummedErrors,
    input: SummedErrors,
}

impl GeneralRows {
    /// Prepares the rows at a forward pass, whose columns stand for that many tokens.
    pub(crate) fn new(forward: &Forward<f64>, sizes: Multiplicities) -> Self {
        let mut heads: Vec<GeneralHead> =
            (0..forward.n_heads()).map(|head_idx| GeneralHead::new(forward, head_idx, forward.n() as f64)).collect();
        let pairs = forward.n().saturating_mul(forward.n());
        let a_block = |head: &GeneralHead| {
            let (rows, d) =
                (head.matrices.outer.as_ref().map_or(head.matrices.values.nrows(), DMatrix::nrows), forward.d());
            8 * rows * d * rows.min(d)
        };
        let exact: usize = heads.iter().map(|head| pairs.saturating_mul(a_block(head))).sum();
        let norms = match (pairs.saturating_mul(heads.len()), exact) {
            (_, ..=MOST_EXACT) => Norms::Exact,
            (..=MOST_ENTRIES, _) => Norms::Bounded,
            _ => Norms::Skipped,
        };
        heads.iter_mut().for_each(|head| head.norms = norms);
        GeneralRows { sizes, next_row: 0, buffers: Scratch::new(forward.row_buffer()), heads }
    }

    /// Adds some rows; true when all rows are done.
    pub(crate) fn step(&mut self, forward: &Forward<f64>) -> bool {
        let n = forward.n();
        let a_row: usize = self.heads.iter().map(|head| head.matrices.operations_a_row(n)).sum();
        let most = (MOST_ROWS / self.heads.len().max(1)).max(1);
        let at_once = (STEP_OPERATIONS / a_row.max(1)).clamp(1, most) * parallel::threads();
        let rows = self.next_row..n.min(self.next_row + at_once);
        let schedule = Schedule::of((a_row * rows.len()) as u64);
        let (heads, buffers, sizes) = (&self.heads, &self.buffers, &self.sizes);
        let found = parallel::map(schedule, rows.len() * heads.len(), &|task| {
            let (i, head) = (rows.start + task / heads.len(), &heads[task % heads.len()]);
            buffers.with(
                || forward.row_buffer(),
                |buffer| {
                    let weights = head.matrices.maps.iter();
                    let weights: Vec<RowWeights> =
                        weights.map(|map| RowWeights::from_forward(forward, sizes, (map.map_idx, i), buffer)).collect();
                    head.row(forward, i, &weights)
                },
            )
        });
        for (task, row) in found.into_iter().enumerate() {
            let (at, i) = (task % self.heads.len(), rows.start + task / self.heads.len());
            self.heads[at].add(row, |j| self.sizes.ratio(i, j));
        }
        self.next_row = rows.end;
        self.next_row == n
    }

    /// The heads, after all rows are done.
    pub(crate) fn finish(self) -> Vec<HeadSums> {
        let ln = self.sizes.most_ln();
        self.heads.into_iter().map(|head| head.finish(ln)).collect()
    }
}

impl GeneralHead {
    /// A head without rows; `summed` is the number of terms of the longest sum over tokens. Norms of blocks are skipped.
    pub(crate) fn new(forward: &Forward<f64>, head_idx: usize, summed: f64) -> Self {
        let n = forward.n();
        GeneralHead {
            matrices: HeadMatrices::new(forward, head_idx, summed),
            norms: Norms::Skipped,
            sums: RowSums::new(n),
            mixed: Vec::new(),
            owns: Vec::with_capacity(n),
            rounding: SummedErrors::new(n),
            input: SummedErrors::new(n),
        }
    }

    /// The number of tokens of this row's columns is the caller's: adds the row of query i with these weights. `ratio` is
    /// the attention that one token of a column receives over the row's weight of that column.
    pub(crate) fn add_softmax_row(
        &mut self,
        forward: &Forward<f64>,
        i: usize,
        weights: RowWeights,
        ratio: impl Fn(usize) -> f64,
    ) {
        let row = self.row(forward, i, &[weights]);
        self.add(row, ratio);
    }

    fn row(&self, forward: &Forward<f64>, i: usize, weights: &[RowWeights]) -> Row {
        Row::new(&self.matrices, self.norms, forward, (i, weights))
    }

    fn add(&mut self, row: Row, ratio: impl Fn(usize) -> f64) {
        let Row { terms, shares, norms, rounding, input } = row;
        // A weight that underflowed is zero, however many tokens there are.
        let times = |ratio: f64, x: f64| if x == 0.0 { 0.0 } else { ratio * x };
        self.sums.add(terms, shares.len(), |j| times(ratio(j), shares[j]));
        self.owns.push(terms.own);
        if self.norms != Norms::Skipped {
            let n = self.matrices.values.ncols();
            let end = self.mixed.len() + n;
            self.mixed.extend(norms.iter().enumerate().map(|(j, norm)| times(ratio(j).sqrt(), *norm)));
            self.mixed.resize(end, 0.0);
        }
        self.rounding.add(&rounding, &ratio);
        self.input.add(&input, &ratio);
    }

    /// The sums over all rows; `ln` is the largest logarithm of a number of tokens.
    pub(crate) fn finish(self, ln: f64) -> HeadSums {
        let n = self.matrices.values.ncols();
        let terms = (self.matrices.values.nrows() + self.matrices.value.ncols() + n) as f64;
        HeadSums {
            rounded: Rounded {
                spectral: self.rounding.spectral(),
                token: self.rounding.token,
                of_input: self.input.spectral(),
            },
            blocks: (self.norms != Norms::Skipped).then(|| Blocks::of_norms(n, self.mixed, self.owns)),
            evaluation: ROUNDING * (terms + ln),
            sums: self.sums,
        }
    }
}
