//! `local`, `local_token` and `local_blocks` (ours, docs/theory.md, "Attention as it is run today") where steps have
//! derivatives of their own, from the blocks J_ij = B_ij + delta_ij O_i of a head:
//!
//! w_i = ||sum_j B_ij B_ij^T/U_ij||, with U = P, or P_1 + |lambda| P_2 for the two maps of a differential head.
//!
//! B_ij = p_ij W_j + sum_m t_mj b_mj^T over the maps m, with t_mj = D_mij (w_j - mu_mi) times the map's factor. So the sum
//! takes only products of values, keys and gradients, O(n^2 (k^2 + k r + r^2)) for a head: no block is formed.
//!
//! At a token measure a column stands for the N_b tokens of a cluster: p, D and U of all of them together give the same
//! w_a and O_a, a token of cluster b receives (N_a/N_b) U_ab from those of cluster a, and the block on fields that are
//! constant on each cluster is sqrt(N_a/N_b) B_ab (docs/theory.md section 3).

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use super::super::heads::Combination;
use super::blocks::{self, Blocks};
use super::head::LocalParts;
use crate::attention::{Forward, MapLayout};
use crate::parallel::{self, Schedule, Scratch};
use crate::spectral::{largest_eigenvalue, largest_singular_value};

/// What rounding may take from a bound, relative to it, for each term of its sums.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// The most entries in the matrices of blocks of all heads together.
const MOST_ENTRIES: usize = 1 << 22;
/// The norms of blocks are exact where all of them together take at most this many operations.
const MOST_EXACT: usize = 40_000_000;
/// The most rows of a matrix of blocks whose norm is computed by a decomposition.
const MOST_DECOMPOSED: usize = 128;
/// The most rows of a step on each thread.
const MOST_ROWS: usize = 64;
/// Operations of a step.
const STEP_OPERATIONS: usize = if cfg!(target_arch = "wasm32") { 10_000_000 } else { 200_000_000 };

/// The bounds under way, some rows a step.
#[derive(Clone, Debug)]
pub struct StepsLocal {
    heads: Vec<Head>,
    sizes: Multiplicities,
    next_row: usize,
    norms: Norms,
    buffers: Scratch<Vec<f64>>,
}

/// How many tokens a column stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Multiplicities {
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
            Multiplicities::Ln(ln) => ln.iter().fold(0.0, |most, ln| most.max(ln.abs())),
        }
    }
}

/// How the norms of blocks are found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Norms {
    Exact,
    /// By the triangle inequality.
    Bounded,
    /// There are too many.
    Skipped,
}

/// One head, and the bound accumulated over its rows.
#[derive(Clone, Debug)]
struct Head {
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
    sums: Vec<f64>,
    weighted_sums: Vec<f64>,
    mixed: Vec<f64>,
    owns: Vec<f64>,
    parts: LocalParts,
    /// The largest |a_ij|, and the largest sum of a row of U.
    query_gradient: f64,
    row_sum: f64,
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
struct Row {
    w: f64,
    own: f64,
    /// U_ij for the tokens up to the reach.
    shares: Vec<f64>,
    gradient_square: f64,
    /// The largest length of the gradient of a score in the query's projection, before Q.
    query_gradient: f64,
    ln_ratio: f64,
    norms: Vec<f64>,
}

impl StepsLocal {
    /// Prepares the bounds at a forward pass, whose columns stand for that many tokens.
    #[must_use]
    pub fn new(forward: &Forward<f64>, sizes: Multiplicities) -> Self {
        let heads: Vec<Head> = (0..forward.n_heads()).map(|head_idx| Head::of(forward, head_idx)).collect();
        let pairs = forward.n().saturating_mul(forward.n());
        let a_block = |head: &Head| {
            let (rows, d) = (head.outer.as_ref().map_or(head.values.nrows(), DMatrix::nrows), forward.d());
            8 * rows * d * rows.min(d)
        };
        let exact: usize = heads.iter().map(|head| pairs.saturating_mul(a_block(head))).sum();
        StepsLocal {
            sizes,
            next_row: 0,
            norms: match (pairs.saturating_mul(heads.len()), exact) {
                (_, ..=MOST_EXACT) => Norms::Exact,
                (..=MOST_ENTRIES, _) => Norms::Bounded,
                _ => Norms::Skipped,
            },
            buffers: Scratch::new(forward.row_buffer()),
            heads,
        }
    }

    /// Adds some rows; true when all rows are done.
    pub fn step(&mut self, forward: &Forward<f64>) -> bool {
        let n = forward.n();
        let a_row: usize = self.heads.iter().map(|head| head.operations_a_row(n)).sum();
        let at_once = (STEP_OPERATIONS / a_row.max(1)).clamp(1, MOST_ROWS) * parallel::threads();
        let rows = self.next_row..n.min(self.next_row + at_once);
        let schedule = Schedule::of((a_row * rows.len()) as u64);
        let (heads, buffers, sizes) = (&self.heads, &self.buffers, &self.sizes);
        let norms = self.norms;
        let found = parallel::map(schedule, rows.len() * heads.len(), &|task| {
            let (row, head) = (rows.start + task / heads.len(), &heads[task % heads.len()]);
            buffers.with(
                || forward.row_buffer(),
                |buffer| {
                    let terms = head.row(forward, sizes, row, buffer);
                    let norms = match norms {
                        Norms::Skipped => Vec::new(),
                        Norms::Exact => terms.exact_norms(forward, head, n),
                        Norms::Bounded => terms.norm_bounds(head, n),
                    };
                    Row { norms, ..terms.row }
                },
            )
        });
        for (task, row) in found.into_iter().enumerate() {
            let (at, row_idx) = (task % self.heads.len(), rows.start + task / self.heads.len());
            self.heads[at].add(&self.sizes, row_idx, row);
        }
        self.next_row = rows.end;
        self.next_row == n
    }

    /// The bounds, after all rows are done.
    #[must_use]
    pub fn finish(self, combination: Combination) -> LocalParts {
        let n = self.next_row;
        let together = |numbers: &mut dyn Iterator<Item = f64>| match combination {
            Combination::Sum => numbers.sum::<f64>(),
            Combination::RootOfSquares => numbers.map(|x| x * x).sum::<f64>().sqrt(),
        };
        let terms = self.heads.iter().map(|head| head.values.nrows() + head.value.ncols()).max().unwrap_or(0) + n;
        let factor = 1.0 + ROUNDING * (terms as f64 + self.sizes.most_ln());
        let parts: Vec<LocalParts> =
            self.heads.iter().enumerate().map(|(head_idx, head)| head.finished(head_idx)).collect();
        let value = factor * together(&mut parts.iter().map(|parts| parts.value));
        let token = factor * together(&mut parts.iter().map(|parts| parts.token));
        let largest_column_sum = parts.iter().map(|parts| parts.column_sum).fold(0.0, f64::max);
        let blocks = (self.norms != Norms::Skipped).then(|| factor * self.norm_of_blocks(combination));
        let largest = parts.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or_default();
        LocalParts { value, token, blocks, largest_column_sum, ..largest }
    }

    /// The same bounds with what the rounding of w_j - mu_i may add to a computed norm. Where all values have a large
    /// common part, as that of a bias, it is not small beside the differences, to which the other roundings are relative.
    ///
    /// The error of w_j - mu_i is at most gamma 2 max |w|: in the own parts that is at most gamma 2 max |w| max |a_ij|
    /// times the largest sum of a row of U, in the blocks (i, j) at most U_ij gamma 2 max |w| max |b_ij|.
    #[must_use]
    pub fn finish_with_values(self, combination: Combination) -> LocalParts {
        let terms: Vec<(f64, f64)> = self.heads.iter().map(|head| head.rounding(self.next_row)).collect();
        let together = |of: fn(&(f64, f64)) -> f64| match combination {
            Combination::Sum => terms.iter().map(of).sum::<f64>(),
            Combination::RootOfSquares => terms.iter().map(of).map(|x| x * x).sum::<f64>().sqrt(),
        };
        let (spectral, token) = (together(|terms| terms.0), together(|terms| terms.1));
        let parts = self.finish(combination);
        LocalParts {
            value: parts.value + spectral,
            token: parts.token + token,
            blocks: parts.blocks.map(|blocks| blocks + spectral),
            ..parts
        }
    }

    fn norm_of_blocks(&self, combination: Combination) -> f64 {
        let n = self.next_row;
        let count = self.heads.len();
        if n <= MOST_DECOMPOSED {
            let of_head = |head: &Head| {
                let mut matrix = DMatrix::from_row_slice(n, n, &head.mixed);
                head.owns.iter().enumerate().for_each(|(i, own)| matrix[(i, i)] += own);
                matrix
            };
            let matrices: Vec<DMatrix<f64>> = self.heads.iter().map(of_head).collect();
            let together = match combination {
                Combination::Sum => matrices.into_iter().fold(DMatrix::zeros(n, n), |sum, matrix| sum + matrix),
                Combination::RootOfSquares => {
                    DMatrix::from_fn(n * count, n, |row, col| matrices[row / n][(row % n, col)])
                }
            };
            return largest_singular_value(&together);
        }
        let most: Vec<f64> = self.heads.iter().map(|head| head.owns.iter().copied().fold(0.0, f64::max)).collect();
        let of_head = |head: &Head| Blocks::of_norms(n, head.mixed.clone(), head.owns.clone());
        let heads: Vec<Blocks> = self.heads.iter().map(of_head).collect();
        blocks::norm(&heads, combination, &most)
    }
}

impl Head {
    fn of(forward: &Forward<f64>, head_idx: usize) -> Self {
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
        Head {
            value_grams: slopes.iter().map(|slope| slope * slope.transpose()).collect(),
            value_norms: slopes.iter().map(|slope| largest_singular_value(&through(slope))).collect(),
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
            sums: vec![0.0; n],
            weighted_sums: vec![0.0; n],
            mixed: Vec::new(),
            owns: Vec::with_capacity(n),
            parts: LocalParts::default(),
            query_gradient: 0.0,
            row_sum: 0.0,
        }
    }

    fn operations_a_row(&self, n: usize) -> usize {
        let (d_v, k) = (self.values.nrows(), self.maps[0].key.nrows());
        let a_pair = 2 * (k * k + 2 * d_v * k + 3 * d_v * d_v);
        self.maps.len() * (n * a_pair + 20 * d_v.pow(3))
    }

    /// The terms of row i of P.
    fn row(&self, forward: &Forward<f64>, sizes: &Multiplicities, i: usize, buffer: &mut [f64]) -> RowTerms {
        let reach = forward.reach(&(i..i + 1));
        let (d_v, is_elementwise) = (self.values.nrows(), forward.steps.weigh.is_elementwise());
        let values = self.values.columns(0, reach);
        let (mut p, mut shares) = (DVector::zeros(reach), vec![0.0; reach]);
        let mut maps = Vec::with_capacity(self.maps.len());
        let mut own = DMatrix::zeros(d_v, self.query_factor.nrows());
        let (mut ln_least, mut ln_most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut query_gradient = 0.0f64;
        for (at, map) in self.maps.iter().enumerate() {
            let layout = &map.layout;
            let block = forward.rows_of_p(map.map_idx, i..i + 1, buffer);
            let weights = &block.weights[..reach];
            let mut mean = DVector::zeros(d_v);
            if !is_elementwise {
                values.column_iter().zip(weights).for_each(|(value, p)| mean.axpy(*p, &value, 1.0));
            }
            let query = forward.projections.view((layout.q_rows.start, i), (layout.q_rows.len(), 1));
            let mut apart = DMatrix::zeros(d_v, reach);
            let mut gradients = DMatrix::zeros(layout.k_rows.len(), reach);
            let mut of_query = DMatrix::zeros(layout.q_rows.len(), reach);
            let mut pulled = DVector::zeros(layout.q_rows.len());
            for j in (0..reach).filter(|j| forward.mask.allows(i, *j)) {
                // Of all the tokens of a column together. The weights of softmax are so already.
                let (size, ln_size) = if is_elementwise { (sizes.count(j), 0.0) } else { (1.0, sizes.ln(j)) };
                let weight = size * weights[j];
                let slope = match (is_elementwise, block.slopes.get(j)) {
                    (true, Some(slope)) => size * slope,
                    (_, slope) => weight * slope.copied().unwrap_or(1.0),
                };
                p[j] += layout.coefficient * weight;
                shares[j] += (layout.coefficient * weight).abs();
                let ln_weight = weights[j].ln() - ln_size;
                (ln_least, ln_most) = (ln_least.min(ln_weight), ln_most.max(ln_weight));
                let factor = layout.coefficient * slope;
                apart.column_mut(j).zip_zip_apply(&values.column(j), &mean, |x, w, mu| *x = factor * (w - mu));
                let key = forward.projections.view((layout.k_rows.start, j), (layout.k_rows.len(), 1));
                let kernel = layout.kernel;
                let mut gradient = gradients.column_mut(j);
                gradient.zip_zip_apply(&query, &key, |x, q, k| *x = kernel.key_gradient(q, k));
                if let Some(turn) = &forward.turn {
                    turn.pull_back_at(&layout.k_rows, j, gradient.as_mut_slice());
                }
                let of_query = &mut of_query.column_mut(j);
                of_query.zip_zip_apply(&query, &key, |x, q, k| *x = kernel.query_gradient(q, k));
                pulled.copy_from(of_query);
                if let Some(turn) = &forward.turn {
                    turn.pull_back_at(&layout.q_rows, i, pulled.as_mut_slice());
                }
                query_gradient = query_gradient.max(pulled.norm());
            }
            let mut through_query = &apart * of_query.transpose();
            if let Some(turn) = &forward.turn {
                let mut transposed = through_query.transpose();
                for mut row in transposed.column_iter_mut() {
                    turn.pull_back_at(&layout.q_rows, i, row.as_mut_slice());
                }
                through_query = transposed.transpose();
            }
            let k = layout.q_rows.len();
            own.columns_mut(at * k, k).copy_from(&through_query);
            maps.push(MapTerms { apart, gradients });
        }
        let own = largest_singular_value(&self.through(own * &self.query_factor));
        let mut terms = RowTerms {
            reach,
            p,
            maps,
            row: Row {
                w: 0.0,
                own,
                shares,
                gradient_square: 0.0,
                query_gradient,
                ln_ratio: ln_most - ln_least,
                norms: Vec::new(),
            },
        };
        self.take_w(forward, &mut terms);
        terms
    }

    /// w_i, and the largest |b_ij|^2.
    fn take_w(&self, forward: &Forward<f64>, terms: &mut RowTerms) {
        let (d_v, reach) = (self.values.nrows(), terms.reach);
        // Terms with U = 0 are left out: B is zero there.
        let over = |x: f64, share: f64| if share > 0.0 { x / share } else { 0.0 };
        let shares = &terms.row.shares;
        let mut sum = DMatrix::zeros(d_v, d_v);
        if let [gram] = &self.value_grams[..] {
            sum += gram * (0..reach).map(|j| over(terms.p[j] * terms.p[j], shares[j])).sum::<f64>();
        } else {
            for (j, gram) in self.value_grams.iter().enumerate().take(reach) {
                sum += gram * over(terms.p[j] * terms.p[j], shares[j]);
            }
        }
        let scaled = |matrix: &DMatrix<f64>, factor: &dyn Fn(usize) -> f64| {
            let mut scaled = matrix.clone();
            scaled.column_iter_mut().enumerate().for_each(|(j, mut column)| column *= factor(j));
            scaled
        };
        let mut most = 0.0f64;
        for (map, of_map) in self.maps.iter().zip(&terms.maps) {
            let mut through = &map.value_key * &of_map.gradients;
            if let Some(turn) = &forward.turn {
                for (j, mut column) in through.column_iter_mut().enumerate() {
                    turn.differentiate_at(&self.v_rows, j, column.as_mut_slice());
                }
            }
            let cross = scaled(&through, &|j| over(terms.p[j], shares[j])) * of_map.apart.transpose();
            sum += &cross + cross.transpose();
            for ((other, gram), is_own) in
                terms.maps.iter().zip(&map.grams).zip(self.maps.iter().map(|other| other.map_idx == map.map_idx))
            {
                let across = gram * &other.gradients;
                let along: Vec<f64> =
                    of_map.gradients.column_iter().zip(across.column_iter()).map(|(a, b)| a.dot(&b)).collect();
                if is_own {
                    most = along.iter().copied().fold(most, f64::max);
                }
                sum += scaled(&of_map.apart, &|j| over(along[j], shares[j])) * other.apart.transpose();
            }
        }
        let symmetric = match &self.outer {
            Some(outer) => outer * sum * outer.transpose(),
            None => sum,
        };
        terms.row.w = largest_eigenvalue(&((&symmetric + symmetric.transpose()) * 0.5));
        terms.row.gradient_square = most;
    }

    fn through(&self, matrix: DMatrix<f64>) -> DMatrix<f64> {
        match &self.outer {
            Some(outer) => outer * matrix,
            None => matrix,
        }
    }

    /// W_j.
    fn slope(&self, forward: &Forward<f64>, j: usize) -> DMatrix<f64> {
        if forward.steps.value_eps().is_some() {
            slope_of_values(forward, &self.v_rows, &self.value, j)
        } else {
            self.value.clone()
        }
    }

    fn add(&mut self, sizes: &Multiplicities, row_idx: usize, row: Row) {
        let total: f64 = row.shares.iter().sum();
        // A weight that underflowed is zero, however many tokens there are.
        let times = |ratio: f64, x: f64| if x == 0.0 { 0.0 } else { ratio * x };
        for (j, share) in row.shares.iter().enumerate() {
            let share = times(sizes.ratio(row_idx, j), *share);
            self.sums[j] += share;
            self.weighted_sums[j] += share * row.w;
        }
        self.owns.push(row.own);
        let norms = row.norms.iter().enumerate();
        self.mixed.extend(norms.map(|(j, norm)| times(sizes.ratio(row_idx, j).sqrt(), *norm)));
        self.query_gradient = self.query_gradient.max(row.query_gradient);
        self.row_sum = self.row_sum.max(total);
        let parts = &mut self.parts;
        parts.token = parts.token.max(row.own + (row.w * total).sqrt());
        parts.own = parts.own.max(row.own);
        parts.w = parts.w.max(row.w);
        parts.gradient_square = parts.gradient_square.max(row.gradient_square);
        parts.ln_ratio = parts.ln_ratio.max(row.ln_ratio);
    }

    /// What the rounding of w_j - mu_i may add at n tokens to the spectral norm, and to the norm over the largest token.
    fn rounding(&self, n: usize) -> (f64, f64) {
        let gamma = ROUNDING * (self.values.nrows() + self.value.ncols() + n) as f64;
        let value = self.values.column_iter().map(|value| value.norm()).fold(0.0, f64::max);
        let outer = self.outer.as_ref().map_or(1.0, largest_singular_value);
        let error = 2.0 * gamma * value * outer;
        let query = self.query_gradient * self.query_factor.norm();
        let key = self.parts.gradient_square.sqrt();
        let column_sum = self.sums.iter().copied().fold(0.0, f64::max);
        let spectral = error * (query * self.row_sum + key * (self.row_sum * column_sum).sqrt());
        (spectral, error * self.row_sum * (query + key))
    }

    fn finished(&self, head_idx: usize) -> LocalParts {
        let mixed = self.weighted_sums.iter().copied().fold(0.0, f64::max).sqrt();
        let column_sum = self.sums.iter().copied().fold(0.0, f64::max);
        LocalParts { head_idx, mixed, column_sum, value: self.parts.own + mixed, ..self.parts }
    }
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

/// The terms of a row from which its blocks are made.
struct RowTerms {
    reach: usize,
    /// p_ij.
    p: DVector<f64>,
    maps: Vec<MapTerms>,
    row: Row,
}

/// The terms of a map.
struct MapTerms {
    /// t_j, d_v x reach.
    apart: DMatrix<f64>,
    /// The gradients of the scores in K x_j: b_j = K^T of them; k x reach.
    gradients: DMatrix<f64>,
}

impl RowTerms {
    /// ||B_ij|| for all n tokens, by decompositions.
    fn exact_norms(&self, forward: &Forward<f64>, head: &Head, n: usize) -> Vec<f64> {
        let mut norms = vec![0.0; n];
        for (j, norm) in norms.iter_mut().enumerate().take(self.reach).filter(|(j, _)| self.row.shares[*j] > 0.0) {
            let mut block = head.slope(forward, j) * self.p[j];
            for (map, terms) in head.maps.iter().zip(&self.maps) {
                let gradient = map.key.tr_mul(&terms.gradients.column(j));
                block.ger(1.0, &terms.apart.column(j), &gradient, 1.0);
            }
            *norm = largest_singular_value(&head.through(block));
        }
        norms
    }

    /// Upper bounds on ||B_ij||: |p| ||W_j|| + sum_m |t_m| |b_m|.
    fn norm_bounds(&self, head: &Head, n: usize) -> Vec<f64> {
        let mut norms = vec![0.0; n];
        let lengths: Vec<(DMatrix<f64>, Vec<f64>)> = head
            .maps
            .iter()
            .enumerate()
            .zip(&self.maps)
            .map(|((at, map), terms)| {
                let across = &map.grams[at] * &terms.gradients;
                let squares = terms.gradients.column_iter().zip(across.column_iter()).map(|(a, b)| a.dot(&b).max(0.0));
                (head.through(terms.apart.clone()), squares.map(f64::sqrt).collect())
            })
            .collect();
        for (j, norm) in norms.iter_mut().enumerate().take(self.reach) {
            let value_norm =
                head.value_norms.get(j).filter(|_| head.value_norms.len() > 1).unwrap_or(&head.value_norms[0]);
            let of_maps: f64 = lengths.iter().map(|(apart, lengths)| apart.column(j).norm() * lengths[j]).sum();
            *norm = self.p[j].abs() * value_norm + of_maps;
        }
        norms
    }
}
