//! The terms of a row of a head, the pieces that its blocks are made of, and the norms of its blocks.

use nalgebra::{DMatrix, DVector};

use super::errors::{MapRow, PairSizes, RowErrors, Unit};
use super::head_matrices::{HeadMatrices, Map, in_units};
use super::row_weights::{RowWeights, centred_values};
use super::rows::RowTerms;
use crate::attention::{Forward, Squash};
use crate::extremum::largest;
use crate::spectral::{largest_eigenvalue, largest_singular_value, length};

/// Where the terms of w_i are smaller, their squares may underflow: w_i is then bounded by the squares of their sizes.
const LEAST_SIZE: f64 = 1e-120;

/// How the norms of blocks are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Norms {
    Exact,
    /// By the norm of a rank-one update of a multiple of a matrix.
    Bounded,
    /// There are too many.
    Skipped,
}

/// The terms of a row of a head.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) terms: RowTerms,
    /// U_ij for the tokens up to the reach.
    pub(super) shares: Vec<f64>,
    pub(super) norms: Vec<f64>,
    pub(super) rounding: RowErrors,
    pub(super) input: RowErrors,
}

impl Row {
    /// The terms of row i of P, given its weights in each map.
    pub(super) fn new(
        head: &HeadMatrices,
        norms: Norms,
        forward: &Forward<f64>,
        (i, weights): (usize, &[RowWeights]),
    ) -> Self {
        let reach = weights[0].weights.len();
        let coefficient = |at: usize| head.maps[at].layout.coefficient;
        let share =
            |j: usize| weights.iter().enumerate().map(|(at, row)| coefficient(at).abs() * row.weights[j]).sum::<f64>();
        let shares: Vec<f64> = (0..reach).map(share).collect();
        let ratio = |j: usize| {
            weights.iter().enumerate().map(|(at, row)| coefficient(at) * over(row.weights[j], shares[j])).sum::<f64>()
        };
        let ratios: Vec<f64> = (0..reach).map(ratio).collect();
        let mut own = DMatrix::zeros(head.values.nrows(), head.query_factor.nrows());
        let mut maps = Vec::with_capacity(head.maps.len());
        let mut pairs: Vec<MapRow<'_>> = Vec::with_capacity(head.maps.len());
        for (map, row) in head.maps.iter().zip(weights) {
            let of_map = MapOfRow::new(head, map, forward, (i, row, &shares));
            let k = map.layout.q_rows.len();
            own.columns_mut(pairs.len() * k, k).copy_from(&of_map.through_query);
            let MapOfRow { terms, sizes, pivot, .. } = of_map;
            pairs.push(MapRow { weights: &row.weights, slopes: &row.slopes, sink_share: row.sink_share, sizes, pivot });
            maps.push(terms);
        }
        let own = largest_singular_value(&head.through(own * &head.query_factor));
        let mut pieces = RowPieces { shares, ratios, maps };
        let (root_w, gradient_square) = pieces.take_w(forward, head);
        let norms = match norms {
            Norms::Skipped => Vec::new(),
            Norms::Exact => pieces.exact_norms(forward, head),
            Norms::Bounded => pieces.norm_bounds(head),
        };
        let rounding = head.errors.row(forward, i, &pairs, &head.value_norms, Unit::Arithmetic);
        let input = head.errors.row(forward, i, &pairs, &head.value_norms, Unit::Input);
        let RowPieces { shares, .. } = pieces;
        let seen =
            || (0..reach).filter(|j| forward.mask.allows(i, *j)).flat_map(|j| weights.iter().map(move |row| (row, j)));
        let (ln_least, ln_most) = seen().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), (row, j)| {
            (least.min(row.ln_weights[j]), most.max(row.ln_weights[j]))
        });
        // A slope without a weight: the row has no bound of this form.
        let is_lost = seen().any(|(row, j)| !row.slopes[j].is_finite());
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
}

/// A share of zero belongs to a block of zeros, unless a slope without a weight says otherwise.
fn over(x: f64, share: f64) -> f64 {
    if share > 0.0 { x / share } else { 0.0 }
}

/// What one map adds to a row.
struct MapOfRow {
    terms: MapTerms,
    /// sum_j U_ij t_j (the gradient of the weight's logarithm in Q x_i)^T, d_v x k.
    through_query: DMatrix<f64>,
    sizes: Vec<PairSizes>,
    pivot: Option<usize>,
}

impl MapOfRow {
    fn new(
        head: &HeadMatrices,
        Map { layout, key_unit, .. }: &Map,
        forward: &Forward<f64>,
        (i, row, shares): (usize, &RowWeights, &[f64]),
    ) -> Self {
        let (reach, d_v) = (shares.len(), head.values.nrows());
        let is_elementwise = forward.steps.weigh.is_elementwise();
        let values = head.values.columns(0, reach);
        let centred = centred_values(&values, row, is_elementwise);
        let query = forward.projections.view((layout.q_rows.start, i), (layout.q_rows.len(), 1));
        let mut difference = DMatrix::zeros(d_v, reach);
        let mut gradients = DMatrix::zeros(layout.k_rows.len(), reach);
        let mut of_query = DMatrix::zeros(layout.q_rows.len(), reach);
        let mut sizes = vec![PairSizes::default(); reach];
        let mut pulled = DVector::zeros(layout.q_rows.len());
        // What the gradients in the query have in common counts only through sum_l P_il (w_l - mu_i), which is the share
        // of the sink times mu_i.
        let has_common = !is_elementwise && forward.steps.squash == Squash::Absent;
        let pivot = if has_common { row.pivot() } else { None };
        let pivot_key = pivot
            .map(|top| forward.projections.view((layout.k_rows.start, top), (layout.k_rows.len(), 1)).clone_owned());
        for j in (0..reach).filter(|j| forward.mask.allows(i, *j)) {
            // A slope without a weight: the row has no bound, as `Row::new` says.
            let slope = if row.slopes[j].is_finite() { row.slopes[j] } else { 0.0 };
            let factor = layout.coefficient * over(row.weights[j], shares[j]);
            difference.column_mut(j).zip_apply(&centred.column(j), |x, z| *x = factor * z);
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
            if let Some(vector_maps) = &forward.vector_maps {
                vector_maps.pull_back_at(&layout.k_rows, j, gradient.as_mut_slice());
                vector_maps.pull_back_at(&layout.q_rows, i, pulled.as_mut_slice());
            }
            sizes[j] = PairSizes {
                difference: length(centred.column(j).as_slice()),
                key_gradient: of_key,
                key_pulled: length(gradient.as_slice()),
                query_gradient: length(of_query.as_slice()),
                query_pulled: length(pulled.as_slice()),
            };
        }
        let mut through_query = &difference * scaled(&of_query, |j| shares[j]).transpose();
        if let Some(key) = pivot_key.as_ref().filter(|_| row.sink_share != 0.0) {
            let mut mean = DVector::zeros(d_v);
            values.column_iter().zip(&row.weights).for_each(|(value, p)| mean.axpy(*p, &value, 1.0));
            let gradient = query.zip_map(key, |q, k| layout.kernel.query_gradient(q, k));
            through_query.ger(layout.coefficient * row.sink_share, &mean, &gradient.column(0), 1.0);
        }
        if let Some(vector_maps) = &forward.vector_maps {
            let mut transposed = through_query.transpose();
            for mut row in transposed.column_iter_mut() {
                vector_maps.pull_back_at(&layout.q_rows, i, row.as_mut_slice());
            }
            through_query = transposed.transpose();
        }
        let (unit, gradients) = in_units(gradients);
        let unit = unit * key_unit;
        let terms = MapTerms { unit, difference: difference * unit, gradients, through: DMatrix::zeros(0, 0) };
        MapOfRow { terms, through_query, sizes, pivot }
    }
}

/// The columns times these factors.
fn scaled(matrix: &DMatrix<f64>, factor: impl Fn(usize) -> f64) -> DMatrix<f64> {
    let mut scaled = matrix.clone();
    scaled.column_iter_mut().enumerate().for_each(|(j, mut column)| column *= factor(j));
    scaled
}

/// The terms of a row from which its blocks are made: B_ij = U_ij (r_ij W_j + sum_m t_mj b_mj^T).
struct RowPieces {
    /// U_ij.
    shares: Vec<f64>,
    /// r_ij.
    ratios: Vec<f64>,
    maps: Vec<MapTerms>,
}

/// The terms of a map. b_j is divided by a power of two and t_j multiplied by it, so that the squares of both stay in the
/// range of f64.
struct MapTerms {
    /// That power: the product of [`Map::key_unit`] and of the unit of the gradients.
    unit: f64,
    /// t_j, d_v x reach.
    difference: DMatrix<f64>,
    /// The gradients of the weights' logarithms in K x_j: b_j = K^T of them; k x reach.
    gradients: DMatrix<f64>,
    /// W_j b_j, d_v x reach.
    through: DMatrix<f64>,
}

impl RowPieces {
    /// The root of w_i, and the largest |b_ij|^2; keeps W_j b_ij of each map.
    fn take_w(&mut self, forward: &Forward<f64>, head: &HeadMatrices) -> (f64, f64) {
        let RowPieces { shares, ratios, maps } = self;
        let (d_v, reach) = (head.values.nrows(), shares.len());
        let mut sum = DMatrix::zeros(d_v, d_v);
        if let [gram] = &head.value_grams[..] {
            sum += gram * (0..reach).map(|j| shares[j] * ratios[j] * ratios[j]).sum::<f64>();
        } else {
            for (j, gram) in head.value_grams.iter().enumerate().take(reach) {
                sum += gram * (shares[j] * ratios[j] * ratios[j]);
            }
        }
        let mut most = 0.0f64;
        let outer = head.errors.outer();
        // Upper bounds on the lengths whose products are added, for their rounding.
        let mut lengths: Vec<f64> =
            ratios.iter().enumerate().map(|(j, r)| r.abs() * outer * head.errors.value_norm(j)).collect();
        for (map, of_map) in head.maps.iter().zip(maps.iter_mut()) {
            let mut through = &map.value_key * &of_map.gradients;
            if let Some(vector_maps) = &forward.vector_maps {
                for (j, mut column) in through.column_iter_mut().enumerate() {
                    vector_maps.differentiate_at(&head.v_rows, j, column.as_mut_slice());
                }
            }
            let cross = scaled(&through, |j| shares[j] * ratios[j]) * of_map.difference.transpose();
            sum += &cross + cross.transpose();
            of_map.through = through;
        }
        for (at, (map, of_map)) in head.maps.iter().zip(maps.iter()).enumerate() {
            for ((other, gram), is_own) in
                maps.iter().zip(&map.grams).zip((0..head.maps.len()).map(|other| other == at))
            {
                let across = gram * &other.gradients;
                let along: Vec<f64> =
                    of_map.gradients.column_iter().zip(across.column_iter()).map(|(a, b)| a.dot(&b)).collect();
                if is_own {
                    let square = largest(along.iter().map(|along| along.max(0.0)));
                    most = largest([most, square * of_map.unit * of_map.unit]);
                }
                sum += scaled(&of_map.difference, |j| shares[j] * along[j]) * other.difference.transpose();
            }
            let key_norm = head.errors.key_norm(at) / map.key_unit;
            for (j, along) in lengths.iter_mut().enumerate() {
                let (t, b) = (of_map.difference.column(j), of_map.gradients.column(j));
                *along += outer * length(t.as_slice()) * key_norm * length(b.as_slice());
            }
        }
        let symmetric = match &head.outer {
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
        ((w + head.errors.gamma() * size * size).sqrt(), most)
    }

    /// ||B_ij||, by decompositions.
    fn exact_norms(&self, forward: &Forward<f64>, head: &HeadMatrices) -> Vec<f64> {
        let norm = |(j, share): (usize, &f64)| {
            if *share == 0.0 {
                return 0.0;
            }
            let mut block = head.slope(forward, j) * self.ratios[j];
            for (map, terms) in head.maps.iter().zip(&self.maps) {
                let gradient = map.key.tr_mul(&terms.gradients.column(j));
                block.ger(1.0, &terms.difference.column(j), &gradient, 1.0);
            }
            share * largest_singular_value(&head.through(block))
        };
        self.shares.iter().enumerate().map(norm).collect()
    }

    /// Upper bounds on ||B_ij||. For one map, B B^T = r^2 W W^T + g t^T + t g^T with g = r W b + |b|^2 t/2, and the largest
    /// eigenvalue of the last two terms is g.t + |g| |t|. What a second map adds is at most |t| |b|.
    fn norm_bounds(&self, head: &HeadMatrices) -> Vec<f64> {
        let lengths: Vec<Lengths> = head
            .maps
            .iter()
            .enumerate()
            .zip(&self.maps)
            .map(|((at, map), terms)| {
                let across = &map.grams[at] * &terms.gradients;
                let squares = terms.gradients.column_iter().zip(across.column_iter()).map(|(a, b)| a.dot(&b).max(0.0));
                Lengths {
                    difference: head.through(terms.difference.clone()),
                    through: head.through(terms.through.clone()),
                    squares: squares.collect(),
                }
            })
            .collect();
        let norm = |(j, share): (usize, &f64)| {
            let value_norm = self.ratios[j].abs() * head.value_norm(j);
            let of_map = |(at, Lengths { difference, through, squares }): (usize, &Lengths)| {
                let t = difference.column(j);
                if at > 0 {
                    return length(t.as_slice()) * squares[j].sqrt();
                }
                let g = through.column(j) * self.ratios[j] + t * (0.5 * squares[j]);
                // Squares of lengths below 1e-154 would underflow.
                let [g_length, t_length] = [length(g.as_slice()), length(t.as_slice())];
                let cosine = if g_length > 0.0 && t_length > 0.0 { (g / g_length).dot(&(t / t_length)) } else { 0.0 };
                value_norm
                    .hypot((g_length.sqrt() * t_length.sqrt()) * (1.0 + cosine + head.errors.gamma()).max(0.0).sqrt())
            };
            if *share == 0.0 { 0.0 } else { share * lengths.iter().enumerate().map(of_map).sum::<f64>() }
        };
        self.shares.iter().enumerate().map(norm).collect()
    }
}

/// What bounds on the blocks of a map are made of.
struct Lengths {
    /// t_j and W_j b_j through the outer factor.
    difference: DMatrix<f64>,
    through: DMatrix<f64>,
    /// |b_j|^2.
    squares: Vec<f64>,
}
