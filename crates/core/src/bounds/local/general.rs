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

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use super::blocks::Blocks;
use super::errors::{HeadErrors, MapRow, PairSizes, RowErrors, Unit, of_token};
use super::rows::{HeadSums, Rounded, RowSums, RowTerms};
use crate::attention::{Forward, MapLayout, Squash};
use crate::extremum::largest;
use crate::parallel::{self, Schedule, Scratch};
use crate::spectral::{largest_eigenvalue, largest_singular_value, length};

/// What rounding may take from a bound, relative to it, for each term of its sums.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// The most entries in the matrices of blocks of all heads together.
const MOST_ENTRIES: usize = 1 << 22;
/// The norms of blocks are exact where all of them together take at most this many operations.
const MOST_EXACT: usize = 40_000_000;
/// The most rows of a step on each thread, those of all heads counted.
const MOST_ROWS: usize = 64;
/// Where the terms of w_i are smaller, their squares may underflow: w_i is then bounded by the squares of their sizes.
const LEAST_SIZE: f64 = 1e-120;
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

/// How many tokens a column stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Multiplicities {
    /// One.
    One,
    /// The tokens of a cluster; natural logarithms of their numbers.
    Ln(Vec<f64>),
}

impl Multiplicities {
    /// N_a/N_b.
    fn ratio(&self, a: usize, b: usize) -> f64 {
        match self {
            Multiplicities::One => 1.0,
            Multiplicities::Ln(ln) => (ln[a] - ln[b]).exp(),
        }
    }

    /// N_b.
    fn count(&self, b: usize) -> f64 {
        match self {
            Multiplicities::One => 1.0,
            Multiplicities::Ln(ln) => ln[b].exp(),
        }
    }

    /// ln N_b.
    fn ln(&self, b: usize) -> f64 {
        match self {
            Multiplicities::One => 0.0,
            Multiplicities::Ln(ln) => ln[b],
        }
    }

    /// The largest |ln N_b|.
    fn most_ln(&self) -> f64 {
        match self {
            Multiplicities::One => 0.0,
            Multiplicities::Ln(ln) => largest(ln.iter().map(|ln| ln.abs())),
        }
    }
}

/// How the norms of blocks are found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Norms {
    Exact,
    /// By the norm of a rank-one update of a multiple of a matrix.
    Bounded,
    /// There are too many.
    Skipped,
}

/// One head, and the terms accumulated over its rows.
#[derive(Clone, Debug)]
pub(crate) struct GeneralHead {
    maps: Vec<Map>,
    /// The triangular factor of the head's block of the output matrix; `None` without one.
    outer: Option<DMatrix<f64>>,
    /// V V^T, or W_j W_j^T of each token where values are normalised.
    value_grams: Vec<DMatrix<f64>>,
    /// w_j, d_v x n.
    values: DMatrix<f64>,
    v_rows: Range<usize>,
    /// V.
    value: DMatrix<f64>,
    /// ||W_j|| through the outer factor, one for all or one for each.
    value_norms: Vec<f64>,
    /// A factor R^T of the queries of all maps, one below the other: ||A Q|| = ||A R^T||.
    query_factor: DMatrix<f64>,
    norms: Norms,
    sums: RowSums,
    /// Upper bounds on ||B_ij|| row by row, n x n, and on ||O_i||.
    mixed: Vec<f64>,
    owns: Vec<f64>,
    errors: HeadErrors,
    rounding: SummedErrors,
    input: SummedErrors,
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

/// One attention map of a head.
#[derive(Clone, Debug)]
struct Map {
    map_idx: usize,
    layout: MapLayout,
    /// K, k x d.
    key: DMatrix<f64>,
    /// V K^T, d_v x k.
    value_key: DMatrix<f64>,
    /// K K_m^T for each map m of the head.
    grams: Vec<DMatrix<f64>>,
}

/// The terms of a row of a head.
#[derive(Debug)]
struct Row {
    terms: RowTerms,
    /// U_ij for the tokens up to the reach.
    shares: Vec<f64>,
    norms: Vec<f64>,
    rounding: RowErrors,
    input: RowErrors,
}

/// The weights of a row of one map, each of all tokens that the column stands for together.
#[derive(Debug)]
pub(crate) struct RowWeights {
    /// P_ij.
    weights: Vec<f64>,
    /// What the gradient of the score is multiplied by to give that of the weight's logarithm, D_ij/P_ij.
    slopes: Vec<f64>,
    /// ln P_ij of one token of each column.
    ln_weights: Vec<f64>,
    /// The share of the sink.
    sink_share: f64,
}

impl RowWeights {
    /// Those of a forward pass whose columns stand for that many tokens.
    fn of_forward(
        forward: &Forward<f64>,
        sizes: &Multiplicities,
        (map_idx, i): (usize, usize),
        buffer: &mut [f64],
    ) -> Self {
        let reach = forward.reach(&(i..i + 1));
        let is_elementwise = forward.steps.weigh.is_elementwise();
        let block = forward.rows_of_p(map_idx, i..i + 1, buffer);
        let weights = &block.weights[..reach];
        let sink_share = forward.sink_shares.get(map_idx).map_or(0.0, |shares| shares[i]);
        let slope = |j: usize| match (is_elementwise, block.slopes.get(j)) {
            (_, None) => 1.0,
            // What an underflowed weight is multiplied by does not count.
            (false, Some(slope)) => {
                if weights[j] == 0.0 {
                    0.0
                } else {
                    *slope
                }
            }
            // A weight and a slope of zero belong to a token that the row does not see.
            (true, Some(slope)) => {
                if *slope == 0.0 {
                    0.0
                } else {
                    slope / weights[j]
                }
            }
        };
        // The weights of softmax at a token measure are those of all tokens at a position.
        let count = |j: usize| if is_elementwise { sizes.count(j) } else { 1.0 };
        let ln = |j: usize| weights[j].ln() - if is_elementwise { 0.0 } else { sizes.ln(j) };
        RowWeights {
            weights: (0..reach).map(|j| if weights[j] == 0.0 { 0.0 } else { count(j) * weights[j] }).collect(),
            slopes: (0..reach).map(slope).collect(),
            ln_weights: (0..reach).map(ln).collect(),
            sink_share,
        }
    }

    /// The token with the largest weight; `None` where the sink has a larger one.
    fn pivot(&self) -> Option<usize> {
        let top = (0..self.weights.len()).max_by(|a, b| self.weights[*a].total_cmp(&self.weights[*b]));
        top.filter(|top| self.weights[*top] >= self.sink_share)
    }

    /// Those of softmax of plain scores: `shares` of one token of each column, `weights` of all of them.
    pub(crate) fn of_softmax(weights: &[f64], shares: &[f64]) -> Self {
        RowWeights {
            weights: weights.to_vec(),
            slopes: vec![1.0; weights.len()],
            ln_weights: shares.iter().map(|share| share.ln()).collect(),
            sink_share: 0.0,
        }
    }
}

impl GeneralRows {
    /// Prepares the rows at a forward pass, whose columns stand for that many tokens.
    pub(crate) fn new(forward: &Forward<f64>, sizes: Multiplicities) -> Self {
        let mut heads: Vec<GeneralHead> =
            (0..forward.n_heads()).map(|head_idx| GeneralHead::new(forward, head_idx, forward.n() as f64)).collect();
        let pairs = forward.n().saturating_mul(forward.n());
        let a_block = |head: &GeneralHead| {
            let (rows, d) = (head.outer.as_ref().map_or(head.values.nrows(), DMatrix::nrows), forward.d());
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
        let a_row: usize = self.heads.iter().map(|head| head.operations_a_row(n)).sum();
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
                    let weights = head.maps.iter();
                    let weights: Vec<RowWeights> =
                        weights.map(|map| RowWeights::of_forward(forward, sizes, (map.map_idx, i), buffer)).collect();
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
        let layouts: Vec<(usize, MapLayout)> =
            forward.maps_of(head_idx).map(|(map_idx, _)| (map_idx, forward.maps[map_idx].clone())).collect();
        let first = &layouts[0].1;
        let (v_rows, out_rows) = (first.v_rows.clone(), first.out_rows.clone());
        let value = forward.stacked.rows(&v_rows);
        let keys: Vec<DMatrix<f64>> = layouts.iter().map(|(_, layout)| forward.stacked.rows(&layout.k_rows)).collect();
        let queries: Vec<DMatrix<f64>> =
            layouts.iter().map(|(_, layout)| forward.stacked.rows(&layout.q_rows)).collect();
        // The maps of a head have the same key dimension.
        let stacked = DMatrix::from_fn(queries.iter().map(DMatrix::nrows).sum(), forward.d(), |row, col| {
            let k = queries[0].nrows();
            queries[row / k][(row % k, col)]
        });
        let outer = forward.output.as_ref().map(|output| {
            let block = output.columns(out_rows.start, out_rows.len()).into_owned();
            if block.nrows() > block.ncols() { block.qr().r() } else { block }
        });
        let values = forward.projections.rows(v_rows.start, v_rows.len()).into_owned();
        let is_normalized = forward.steps.value_eps().is_some();
        let slopes: Vec<DMatrix<f64>> = if is_normalized {
            (0..n).map(|token_idx| slope_of_values(forward, &v_rows, &value, token_idx)).collect()
        } else {
            vec![value.clone()]
        };
        let through = |matrix: &DMatrix<f64>| outer.as_ref().map_or_else(|| matrix.clone(), |outer| outer * matrix);
        let value_norms: Vec<f64> = slopes.iter().map(|slope| largest_singular_value(&through(slope))).collect();
        GeneralHead {
            value_grams: slopes.iter().map(|slope| slope * slope.transpose()).collect(),
            errors: HeadErrors::new(forward, head_idx, summed, outer.as_ref()),
            value_norms,
            maps: layouts
                .iter()
                .zip(&keys)
                .map(|((map_idx, layout), key)| Map {
                    map_idx: *map_idx,
                    layout: layout.clone(),
                    key: key.clone(),
                    value_key: &value * key.transpose(),
                    grams: keys.iter().map(|other| key * other.transpose()).collect(),
                })
                .collect(),
            outer,
            values,
            v_rows,
            value,
            query_factor: stacked.transpose().qr().r().transpose(),
            norms: Norms::Skipped,
            sums: RowSums::new(n),
            mixed: Vec::new(),
            owns: Vec::with_capacity(n),
            rounding: SummedErrors::new(n),
            input: SummedErrors::new(n),
        }
    }

    fn operations_a_row(&self, n: usize) -> usize {
        let (d_v, k) = (self.values.nrows(), self.maps[0].key.nrows());
        let a_pair = 2 * (k * k + 2 * d_v * k + 3 * d_v * d_v);
        self.maps.len() * (n * a_pair + 20 * d_v.pow(3))
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

    /// The terms of row i of P, given its weights in each map.
    fn row(&self, forward: &Forward<f64>, i: usize, weights: &[RowWeights]) -> Row {
        let reach = weights[0].weights.len();
        let d_v = self.values.nrows();
        let is_elementwise = forward.steps.weigh.is_elementwise();
        let values = self.values.columns(0, reach);
        let coefficient = |at: usize| self.maps[at].layout.coefficient;
        let share =
            |j: usize| weights.iter().enumerate().map(|(at, row)| coefficient(at).abs() * row.weights[j]).sum::<f64>();
        let shares: Vec<f64> = (0..reach).map(share).collect();
        // A share of zero belongs to a block of zeros, unless a slope without a weight says otherwise.
        let over = |x: f64, share: f64| if share > 0.0 { x / share } else { 0.0 };
        let mut is_lost = false;
        let ratio = |j: usize| {
            weights.iter().enumerate().map(|(at, row)| coefficient(at) * over(row.weights[j], shares[j])).sum::<f64>()
        };
        let ratios: Vec<f64> = (0..reach).map(ratio).collect();
        let mut maps = Vec::with_capacity(self.maps.len());
        let mut own = DMatrix::zeros(d_v, self.query_factor.nrows());
        let (mut ln_least, mut ln_most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut pairs: Vec<MapRow<'_>> = Vec::with_capacity(self.maps.len());
        for (at, (map, row)) in self.maps.iter().zip(weights).enumerate() {
            let layout = &map.layout;
            let centred = centred_values(&values, row, is_elementwise);
            let query = forward.projections.view((layout.q_rows.start, i), (layout.q_rows.len(), 1));
            let mut apart = DMatrix::zeros(d_v, reach);
            let mut gradients = DMatrix::zeros(layout.k_rows.len(), reach);
            let mut of_query = DMatrix::zeros(layout.q_rows.len(), reach);
            let mut sizes = vec![PairSizes::default(); reach];
            let mut pulled = DVector::zeros(layout.q_rows.len());
            // What the gradients in the query have in common counts only through sum_l P_il (w_l - mu_i), which is the share
            // of the sink times mu_i.
            let has_common = !is_elementwise && forward.steps.squash == Squash::Absent;
            let pivot = if has_common { row.pivot() } else { None };
            let pivot_key = pivot.map(|top| {
                forward.projections.view((layout.k_rows.start, top), (layout.k_rows.len(), 1)).clone_owned()
            });
            for j in (0..reach).filter(|j| forward.mask.allows(i, *j)) {
                (ln_least, ln_most) = (ln_least.min(row.ln_weights[j]), ln_most.max(row.ln_weights[j]));
                // A slope without a weight: the row has no bound of this form.
                is_lost |= !row.slopes[j].is_finite();
                let slope = if row.slopes[j].is_finite() { row.slopes[j] } else { 0.0 };
                let factor = layout.coefficient * over(row.weights[j], shares[j]);
                apart.column_mut(j).zip_apply(&centred.column(j), |x, z| *x = factor * z);
                let key = forward.projections.view((layout.k_rows.start, j), (layout.k_rows.len(), 1));
                let kernel = layout.kernel;
                let mut gradient = gradients.column_mut(j);
                gradient.zip_zip_apply(&query, &key, |x, q, k| *x = slope * kernel.key_gradient(q, k));
                let of_key = length(gradient.as_slice());
                let of_query = &mut of_query.column_mut(j);
                match &pivot_key {
                    Some(top) => of_query.zip_zip_apply(&key, top, |x, k, top| *x = slope * kernel.cross * (k - top)),
                    None => of_query.zip_zip_apply(&query, &key, |x, q, k| *x = slope * kernel.query_gradient(q, k)),
                }
                pulled.copy_from(of_query);
                if let Some(turn) = &forward.turn {
                    turn.pull_back_at(&layout.k_rows, j, gradient.as_mut_slice());
                    turn.pull_back_at(&layout.q_rows, i, pulled.as_mut_slice());
                }
                sizes[j] = PairSizes {
                    apart: length(centred.column(j).as_slice()),
                    key_gradient: of_key,
                    key_pulled: length(gradient.as_slice()),
                    query_gradient: length(of_query.as_slice()),
                    query_pulled: length(pulled.as_slice()),
                };
            }
            let mut through_query = &apart * scaled(&of_query, |j| shares[j]).transpose();
            if let Some(key) = pivot_key.as_ref().filter(|_| row.sink_share != 0.0) {
                let mut mean = DVector::zeros(d_v);
                values.column_iter().zip(&row.weights).for_each(|(value, p)| mean.axpy(*p, &value, 1.0));
                let gradient = query.zip_map(key, |q, k| layout.kernel.query_gradient(q, k));
                through_query.ger(layout.coefficient * row.sink_share, &mean, &gradient.column(0), 1.0);
            }
            if let Some(turn) = &forward.turn {
                let mut transposed = through_query.transpose();
                for mut row in transposed.column_iter_mut() {
                    turn.pull_back_at(&layout.q_rows, i, row.as_mut_slice());
                }
                through_query = transposed.transpose();
            }
            let k = layout.q_rows.len();
            own.columns_mut(at * k, k).copy_from(&through_query);
            pairs.push(MapRow { weights: &row.weights, slopes: &row.slopes, sink_share: row.sink_share, sizes, pivot });
            maps.push(MapTerms { apart, gradients, through: DMatrix::zeros(0, 0) });
        }
        let own = largest_singular_value(&self.through(own * &self.query_factor));
        let mut pieces = RowPieces { shares, ratios, maps };
        let (root_w, gradient_square) = self.take_w(forward, &mut pieces);
        let norms = match self.norms {
            Norms::Skipped => Vec::new(),
            Norms::Exact => pieces.exact_norms(forward, self),
            Norms::Bounded => pieces.norm_bounds(self),
        };
        let rounding = self.errors.row(forward, i, &pairs, &self.value_norms, Unit::Arithmetic);
        let input = self.errors.row(forward, i, &pairs, &self.value_norms, Unit::Input);
        let RowPieces { shares, .. } = pieces;
        let terms = RowTerms {
            root_w: if is_lost { f64::INFINITY } else { root_w },
            own,
            row_sum: shares.iter().sum(),
            gradient_square,
            spread: 0.0,
            ln_ratio: ln_most - ln_least,
        };
        Row { terms, shares, norms, rounding, input }
    }

    /// The root of w_i, and the largest |b_ij|^2; keeps W_j b_ij of each map.
    fn take_w(&self, forward: &Forward<f64>, pieces: &mut RowPieces) -> (f64, f64) {
        let RowPieces { shares, ratios, maps } = pieces;
        let (d_v, reach) = (self.values.nrows(), shares.len());
        let mut sum = DMatrix::zeros(d_v, d_v);
        if let [gram] = &self.value_grams[..] {
            sum += gram * (0..reach).map(|j| shares[j] * ratios[j] * ratios[j]).sum::<f64>();
        } else {
            for (j, gram) in self.value_grams.iter().enumerate().take(reach) {
                sum += gram * (shares[j] * ratios[j] * ratios[j]);
            }
        }
        let mut most = 0.0f64;
        // Upper bounds on the lengths whose products are added, for their rounding.
        let mut lengths: Vec<f64> = ratios.iter().enumerate().map(|(j, r)| r.abs() * self.value_norm(j)).collect();
        let outer = self.errors.outer();
        for (map, of_map) in self.maps.iter().zip(maps.iter_mut()) {
            let mut through = &map.value_key * &of_map.gradients;
            if let Some(turn) = &forward.turn {
                for (j, mut column) in through.column_iter_mut().enumerate() {
                    turn.differentiate_at(&self.v_rows, j, column.as_mut_slice());
                }
            }
            let cross = scaled(&through, |j| shares[j] * ratios[j]) * of_map.apart.transpose();
            sum += &cross + cross.transpose();
            of_map.through = through;
        }
        for (at, (map, of_map)) in self.maps.iter().zip(maps.iter()).enumerate() {
            for ((other, gram), is_own) in
                maps.iter().zip(&map.grams).zip((0..self.maps.len()).map(|other| other == at))
            {
                let across = gram * &other.gradients;
                let along: Vec<f64> =
                    of_map.gradients.column_iter().zip(across.column_iter()).map(|(a, b)| a.dot(&b)).collect();
                if is_own {
                    most = largest([most, largest(along.iter().map(|along| along.max(0.0)))]);
                }
                sum += scaled(&of_map.apart, |j| shares[j] * along[j]) * other.apart.transpose();
            }
            let key_norm = self.errors.key_norm(at);
            for (j, along) in lengths.iter_mut().enumerate() {
                let (t, b) = (of_map.apart.column(j), of_map.gradients.column(j));
                *along += outer * length(t.as_slice()) * key_norm * length(b.as_slice());
            }
        }
        let symmetric = match &self.outer {
            Some(outer) => outer * sum * outer.transpose(),
            None => sum,
        };
        // sum_j U_ij times the square of the j-th length, and its root, also where the squares underflow.
        let unit = largest(lengths.iter().copied());
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let sizes = lengths.iter().zip(shares.iter()).map(|(length, share)| share * (length / unit) * (length / unit));
        let size = unit * sizes.sum::<f64>().sqrt();
        if size < LEAST_SIZE {
            return (size, most);
        }
        let w = largest_eigenvalue(&((&symmetric + symmetric.transpose()) * 0.5));
        ((w + self.errors.gamma() * size * size).sqrt(), most)
    }

    fn through(&self, matrix: DMatrix<f64>) -> DMatrix<f64> {
        match &self.outer {
            Some(outer) => outer * matrix,
            None => matrix,
        }
    }

    /// ||W_j|| through the outer factor.
    fn value_norm(&self, j: usize) -> f64 {
        of_token(&self.value_norms, j)
    }

    /// W_j.
    fn slope(&self, forward: &Forward<f64>, j: usize) -> DMatrix<f64> {
        if forward.steps.value_eps().is_some() {
            slope_of_values(forward, &self.v_rows, &self.value, j)
        } else {
            self.value.clone()
        }
    }

    fn add(&mut self, row: Row, ratio: impl Fn(usize) -> f64) {
        let Row { terms, shares, norms, rounding, input } = row;
        // A weight that underflowed is zero, however many tokens there are.
        let times = |ratio: f64, x: f64| if x == 0.0 { 0.0 } else { ratio * x };
        self.sums.add(terms, shares.len(), |j| times(ratio(j), shares[j]));
        self.owns.push(terms.own);
        if self.norms != Norms::Skipped {
            let n = self.values.ncols();
            let end = self.mixed.len() + n;
            self.mixed.extend(norms.iter().enumerate().map(|(j, norm)| times(ratio(j).sqrt(), *norm)));
            self.mixed.resize(end, 0.0);
        }
        self.rounding.add(&rounding, &ratio);
        self.input.add(&input, &ratio);
    }

    /// The sums over all rows; `ln` is the largest logarithm of a number of tokens.
    pub(crate) fn finish(self, ln: f64) -> HeadSums {
        let n = self.values.ncols();
        let terms = (self.values.nrows() + self.value.ncols() + n) as f64;
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

/// The columns times these factors.
fn scaled(matrix: &DMatrix<f64>, factor: impl Fn(usize) -> f64) -> DMatrix<f64> {
    let mut scaled = matrix.clone();
    scaled.column_iter_mut().enumerate().for_each(|(j, mut column)| column *= factor(j));
    scaled
}

/// w_j - mu_i of the values, d_v x reach: from differences from the value of the largest weight, so that a common part of
/// the values costs no digits. Elementwise weights have mu_i = 0.
fn centred_values(values: &nalgebra::DMatrixView<'_, f64>, row: &RowWeights, is_elementwise: bool) -> DMatrix<f64> {
    let mut centred = values.clone_owned();
    if is_elementwise || row.weights.is_empty() {
        return centred;
    }
    // A sink with the largest weight has the value 0.
    let at_top = row.pivot().map_or_else(|| DVector::zeros(values.nrows()), |top| values.column(top).clone_owned());
    centred.column_iter_mut().for_each(|mut column| column -= &at_top);
    let mut mean = DVector::zeros(values.nrows());
    centred.column_iter().zip(&row.weights).for_each(|(column, p)| mean.axpy(*p, &column, 1.0));
    // mu_i = w_top + mean - (1 - sum of the weights) w_top.
    mean.axpy(-row.sink_share, &at_top, 1.0);
    centred.column_iter_mut().for_each(|mut column| column -= &mean);
    centred
}

/// W_j = N'(V x_j) V.
fn slope_of_values(
    forward: &Forward<f64>,
    v_rows: &Range<usize>,
    value: &DMatrix<f64>,
    token_idx: usize,
) -> DMatrix<f64> {
    let mut slope = value.clone();
    if let Some(turn) = &forward.turn {
        for mut column in slope.column_iter_mut() {
            turn.differentiate_at(v_rows, token_idx, column.as_mut_slice());
        }
    }
    slope
}

/// The terms of a row from which its blocks are made: B_ij = U_ij (r_ij W_j + sum_m t_mj b_mj^T).
struct RowPieces {
    /// U_ij.
    shares: Vec<f64>,
    /// r_ij.
    ratios: Vec<f64>,
    maps: Vec<MapTerms>,
}

/// The terms of a map.
struct MapTerms {
    /// t_j, d_v x reach.
    apart: DMatrix<f64>,
    /// The gradients of the weights' logarithms in K x_j: b_j = K^T of them; k x reach.
    gradients: DMatrix<f64>,
    /// W_j b_j, d_v x reach.
    through: DMatrix<f64>,
}

impl RowPieces {
    /// ||B_ij||, by decompositions.
    fn exact_norms(&self, forward: &Forward<f64>, head: &GeneralHead) -> Vec<f64> {
        let norm = |(j, share): (usize, &f64)| {
            if *share == 0.0 {
                return 0.0;
            }
            let mut block = head.slope(forward, j) * self.ratios[j];
            for (map, terms) in head.maps.iter().zip(&self.maps) {
                let gradient = map.key.tr_mul(&terms.gradients.column(j));
                block.ger(1.0, &terms.apart.column(j), &gradient, 1.0);
            }
            share * largest_singular_value(&head.through(block))
        };
        self.shares.iter().enumerate().map(norm).collect()
    }

    /// Upper bounds on ||B_ij||. For one map, B B^T = r^2 W W^T + g t^T + t g^T with g = r W b + |b|^2 t/2, and the largest
    /// eigenvalue of the last two terms is g.t + |g| |t|. What a second map adds is at most |t| |b|.
    fn norm_bounds(&self, head: &GeneralHead) -> Vec<f64> {
        let lengths: Vec<Lengths> = head
            .maps
            .iter()
            .enumerate()
            .zip(&self.maps)
            .map(|((at, map), terms)| {
                let across = &map.grams[at] * &terms.gradients;
                let squares = terms.gradients.column_iter().zip(across.column_iter()).map(|(a, b)| a.dot(&b).max(0.0));
                Lengths {
                    apart: head.through(terms.apart.clone()),
                    through: head.through(terms.through.clone()),
                    squares: squares.collect(),
                }
            })
            .collect();
        let norm = |(j, share): (usize, &f64)| {
            let value_norm = self.ratios[j].abs() * head.value_norm(j);
            let of_map = |(at, Lengths { apart, through, squares }): (usize, &Lengths)| {
                let t = apart.column(j);
                if at > 0 {
                    return t.norm() * squares[j].sqrt();
                }
                let g = through.column(j) * self.ratios[j] + t * (0.5 * squares[j]);
                let eigenvalue = (g.dot(&t) + g.norm() * t.norm()).max(0.0);
                (value_norm * value_norm + eigenvalue).sqrt()
            };
            if *share == 0.0 { 0.0 } else { share * lengths.iter().enumerate().map(of_map).sum::<f64>() }
        };
        self.shares.iter().enumerate().map(norm).collect()
    }
}

/// What bounds on the blocks of a map are made of.
struct Lengths {
    /// t_j and W_j b_j through the outer factor.
    apart: DMatrix<f64>,
    through: DMatrix<f64>,
    /// |b_j|^2.
    squares: Vec<f64>,
}
