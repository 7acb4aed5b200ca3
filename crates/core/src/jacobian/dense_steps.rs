//! The blocks of the Jacobian where steps have derivatives of their own, from the closed formulas of docs/theory.md,
//! "Attention as it is run today":
//!
//! J_ij = B_ij + delta_ij O_i,  B_ij = P_ij W_j + D_ij (w_j - mu_i) b_ij^T,  O_i = sum_l D_il (w_l - mu_i) a_il^T.
//!
//! D = P and mu_i = sum_j P_ij w_j for softmax with any sink; D = dP/ds and mu_i = 0 for elementwise weights. a and b are
//! the gradients of the score in the tokens, with the slope of the cap. The sum over l cannot be replaced by a covariance
//! times A: with most steps A depends on the pair.

use std::ops::Range;

use nalgebra::{DMatrix, DVector, DVectorView};

use crate::attention::{Forward, MapLayout, Normed, Squash, Steps, TurningPair, all_rows};

/// The rows of blocks at a forward pass.
#[derive(Clone, Debug)]
pub(crate) struct StepsRows {
    maps: Vec<MapRows>,
}

/// One attention map.
#[derive(Clone, Debug)]
struct MapRows {
    coefficient: f64,
    /// As in `Kernel`: c, and the weight of the squares (0 for all but the L2 kernel).
    cross: f64,
    square: f64,
    queries: Vectors,
    keys: Vectors,
    /// w_j through the output matrix, rows x n.
    values: DMatrix<f64>,
    /// W_j through the output matrix, rows x d: one for all tokens, or one for each.
    slopes: Vec<DMatrix<f64>>,
    out_start: usize,
}

/// Queries or keys with what their derivatives need.
#[derive(Clone, Debug)]
struct Vectors {
    /// Q or K, k x d; those of all heads where a normaliser takes them together.
    matrix: DMatrix<f64>,
    /// The first row of these queries or keys in `matrix`.
    first: usize,
    /// After all steps, k x n.
    turned: DMatrix<f64>,
    /// The normaliser at all tokens, where there is one.
    normed: Option<Normed<f64>>,
    /// The pairs that turn with their angles per position, and the factor of what has turned.
    turning: (Vec<TurningPair>, f64),
    /// phi'(z), k x n, for linear attention.
    feature: Option<DMatrix<f64>>,
}

impl StepsRows {
    /// The rows where the plain formulas do not hold.
    pub(crate) fn of_steps(forward: &Forward<f64>) -> Option<Self> {
        (!forward.steps.have_plain_jacobian()).then(|| StepsRows::new(forward))
    }

    /// Prepares the rows at a forward pass.
    pub(crate) fn new(forward: &Forward<f64>) -> Self {
        let tokens = forward.normalizer().outputs();
        let of_map = |layout: &MapLayout| {
            let (_, rotary) = forward.steps.norm_and_rotary();
            let wide = forward.steps.wide_norm();
            let vectors = |rows: &Range<usize>, of_all: Vec<Range<usize>>| {
                // All rows that a normaliser takes together, and the place of these among them.
                let together = if wide.is_some() { of_all } else { vec![rows.clone()] };
                let before = together.iter().take_while(|other| *other != rows);
                let first = before.map(|rows| rows.len()).sum();
                let matrix = stacked(together.iter().map(|rows| forward.stacked.rows(rows)).collect());
                let normed = forward.vector_maps.as_ref().and_then(|vector_maps| vector_maps.normed(rows)).cloned();
                let turned = forward.projections.rows(rows.start, rows.len()).into_owned();
                let turning = rotary.map_or((Vec::new(), 1.0), |rotary| (rotary.pairs(rows.len()), rotary.factor()));
                let has_feature = forward.steps.squash == Squash::Log;
                // phi' is phi below zero, with the factor that keeps a small phi from underflowing.
                let phi_slope = |z: f64, phi: f64| if z < 0.0 { phi } else { 1.0 };
                let feature = has_feature.then(|| {
                    let mut plain = &matrix * tokens;
                    if let Some(biases) = &forward.biases {
                        let at = together.into_iter().flatten();
                        let biases = DVector::from_iterator(matrix.nrows(), at.map(|row| biases[row]));
                        plain.column_iter_mut().for_each(|mut vector| vector += &biases);
                    }
                    plain.zip_map(&turned, phi_slope)
                });
                Vectors { normed, matrix, first, turned, turning, feature }
            };
            let [q_rows, k_rows] = all_rows(&forward.maps);
            let queries = vectors(&layout.q_rows, q_rows);
            let keys = vectors(&layout.k_rows, k_rows);
            let value = forward.stacked.rows(&layout.v_rows);
            let values = forward.projections.rows(layout.v_rows.start, layout.v_rows.len()).into_owned();
            let slopes = match forward.steps.value_eps() {
                None => vec![value],
                Some(eps) => (&value * tokens).column_iter().map(|z| slope_of_length(z, eps, &value)).collect(),
            };
            let output = forward.output.as_ref();
            let outer = output.map(|output| output.columns(layout.out_rows.start, layout.out_rows.len()).into_owned());
            let through = |matrix: DMatrix<f64>| outer.as_ref().map_or_else(|| matrix.clone(), |outer| outer * &matrix);
            MapRows {
                coefficient: layout.coefficient,
                cross: layout.kernel.cross,
                square: layout.kernel.key_square,
                queries,
                keys,
                values: through(values),
                slopes: slopes.into_iter().map(through).collect(),
                out_start: if outer.is_some() { 0 } else { layout.out_rows.start },
            }
        };
        StepsRows { maps: forward.maps.iter().map(of_map).collect() }
    }

    /// The blocks of row i side by side, d_out x (n d), at the normalised tokens.
    pub(crate) fn row(&self, forward: &Forward<f64>, i: usize, buffer: &mut [f64]) -> DMatrix<f64> {
        let SplitRow { mut mixed, own, .. } = self.split_row(forward, i, buffer, |_| 1.0);
        let mut place = mixed.columns_mut(i * forward.d(), forward.d());
        place += own;
        mixed
    }

    /// The terms of row i, where token j stands for `sizes(j)` tokens whose weights the forward pass does not hold
    /// together.
    pub(super) fn split_row(
        &self,
        forward: &Forward<f64>,
        i: usize,
        buffer: &mut [f64],
        sizes: impl Fn(usize) -> f64,
    ) -> SplitRow {
        let (n, d, d_out) = (forward.n(), forward.d(), forward.d_out());
        let mut row = SplitRow {
            mixed: DMatrix::zeros(d_out, n * d),
            own: DMatrix::zeros(d_out, d),
            output: DVector::zeros(d_out),
        };
        for (map_idx, map) in self.maps.iter().enumerate() {
            let reach = forward.reach(&(i..i + 1));
            let block = forward.rows_of_p(map_idx, i..i + 1, buffer);
            let pairs = (0..reach).filter(|j| forward.mask.allows(i, *j));
            let is_elementwise = forward.steps.weigh.is_elementwise();
            let slope = |j: usize| match (is_elementwise, block.slopes.get(j)) {
                (true, Some(slope)) => *slope,
                (false, Some(slope)) => block.weights[j] * slope,
                (_, None) => block.weights[j],
            };
            let pairs: Vec<Pair> =
                pairs.map(|j| Pair { j, weight: block.weights[j], slope: slope(j), size: sizes(j) }).collect();
            let sink_share = forward.sink_shares.get(map_idx).map_or(0.0, |shares| shares[i]);
            map.add_row(&forward.steps, i, (&pairs, sink_share), &mut row);
        }
        row
    }
}

/// A row of blocks, in its two parts, and the output of the row.
pub(super) struct SplitRow {
    /// B_i1, B_i2, .. side by side, d_out x (n d).
    pub(super) mixed: DMatrix<f64>,
    /// O_i, d_out x d.
    pub(super) own: DMatrix<f64>,
    /// y_i.
    pub(super) output: DVector<f64>,
}

/// A token that a row attends to.
struct Pair {
    j: usize,
    /// P_ij.
    weight: f64,
    /// D_ij, with the slope of the cap.
    slope: f64,
    /// The number of tokens like it.
    size: f64,
}

impl MapRows {
    /// Adds the terms of row i.
    fn add_row(&self, steps: &Steps, i: usize, (pairs, sink_share): (&[Pair], f64), row: &mut SplitRow) {
        let (rows, d) = (self.values.nrows(), row.own.ncols());
        let mut output = row.output.rows_mut(self.out_start, rows);
        for Pair { j, weight, size, .. } in pairs {
            output.axpy(self.coefficient * weight * size, &self.values.column(*j), 1.0);
        }
        let about = (!steps.weigh.is_elementwise()).then(|| self.about_mean(pairs, sink_share));
        let pivot = about.as_ref().and_then(|(pivot, _)| *pivot);
        let query = self.queries.turned.column(i);
        // sum_l D_il (w_l - mu_i) z_il^T with z the gradient of the score in the turned query, rows x k.
        let mut own = DMatrix::zeros(rows, query.len());
        // What the gradients have in common with that at the top token counts only through sum_l P_il (w_l - mu_i), which is
        // the share of the sink times mu_i: so a large query costs no digits.
        let common = match pivot {
            Some(top) if steps.squash == Squash::Absent => {
                let gradient = self.query_gradient(query, self.keys.turned.column(top));
                let mut mean = DVector::zeros(rows);
                for Pair { j, weight, size, .. } in pairs {
                    mean.axpy(weight * size, &self.values.column(*j), 1.0);
                }
                own.ger(self.coefficient * sink_share, &mean, &gradient, 1.0);
                Some(top)
            }
            _ => None,
        };
        for Pair { j, weight, slope, size } in pairs {
            let key = self.keys.turned.column(*j);
            let slope = size * slope;
            let of_query = match common {
                Some(top) => (key - self.keys.turned.column(top)) * (self.cross * slope),
                None => self.query_gradient(query, key) * slope,
            };
            let of_key: DVector<f64> = (query * self.cross - key * (2.0 * self.square)) * slope;
            let difference = match &about {
                Some((Some(top), mean)) => self.values.column(*j) - self.values.column(*top) - mean,
                Some((None, mean)) => self.values.column(*j) - mean,
                None => self.values.column(*j).into_owned(),
            };
            own.ger(self.coefficient, &difference, &of_query, 1.0);
            let gradient = self.keys.pulled_back(*j, of_key);
            let mut block = row.mixed.view_mut((self.out_start, j * d), (rows, d));
            let value = if self.slopes.len() > 1 { &self.slopes[*j] } else { &self.slopes[0] };
            block += value * (self.coefficient * weight * size);
            block.ger(self.coefficient, &difference, &gradient, 1.0);
        }
        // Row by row through the query's own steps.
        for (at, of_query) in own.row_iter().enumerate() {
            let mut target = row.own.row_mut(self.out_start + at);
            target += self.queries.pulled_back(i, of_query.transpose()).transpose();
        }
    }
}

impl MapRows {
    /// The token with the largest weight, and mu_i less its value: mu_i - w_top = sum_l P_il (w_l - w_top) - (share of the
    /// sink) w_top. So w_j - mu_i comes from differences, and what all values have in common costs no digits. A sink with
    /// the largest weight takes the place of that token, with the value 0.
    fn about_mean(&self, pairs: &[Pair], sink_share: f64) -> (Option<usize>, DVector<f64>) {
        let total = |pair: &Pair| pair.weight * pair.size;
        let largest = pairs.iter().max_by(|a, b| total(a).total_cmp(&total(b)));
        let top = largest.filter(|pair| total(pair) >= sink_share).map(|pair| pair.j);
        let mut mean =
            top.map_or_else(|| DVector::zeros(self.values.nrows()), |top| self.values.column(top) * -sink_share);
        for pair in pairs {
            let value = self.values.column(pair.j);
            match top {
                Some(top) => mean.axpy(total(pair), &(value - self.values.column(top)), 1.0),
                None => mean.axpy(total(pair), &value, 1.0),
            }
        }
        (top, mean)
    }
}

impl MapRows {
    /// The gradient of a score in the turned query.
    fn query_gradient(&self, query: DVectorView<'_, f64>, key: DVectorView<'_, f64>) -> DVector<f64> {
        key * self.cross - query * (2.0 * self.square)
    }
}

impl Vectors {
    /// G_i^T u, d numbers, with G_i = diag(phi') T(i) diag(g) N' Q.
    fn pulled_back(&self, position: usize, mut u: DVector<f64>) -> DVector<f64> {
        if let Some(feature) = &self.feature {
            u.component_mul_assign(&feature.column(position));
        }
        let (pairs, factor) = &self.turning;
        for TurningPair { entries: (x, y), angle } in pairs {
            let (sin, cos) = (position as f64 * angle).sin_cos();
            (u[*x], u[*y]) = (factor * (cos * u[*x] + sin * u[*y]), factor * (cos * u[*y] - sin * u[*x]));
        }
        if u.len() < self.matrix.nrows() {
            let mut together = DVector::zeros(self.matrix.nrows());
            together.rows_mut(self.first, u.len()).copy_from(&u);
            u = together;
        }
        if let Some(normed) = &self.normed {
            normed.pull_back(position, u.as_mut_slice());
        }
        self.matrix.tr_mul(&u)
    }
}

/// Matrices one below the other.
fn stacked(matrices: Vec<DMatrix<f64>>) -> DMatrix<f64> {
    let columns = matrices.first().map_or(0, DMatrix::ncols);
    let mut all = DMatrix::zeros(matrices.iter().map(DMatrix::nrows).sum(), columns);
    let mut row = 0;
    for matrix in matrices {
        all.rows_mut(row, matrix.nrows()).copy_from(&matrix);
        row += matrix.nrows();
    }
    all
}

/// The derivative of z/s, s^2 = |z|^2 + eps, at z = V x, times V: (V - u u^T V)/s + (eps/s^3) u u^T V with
/// the unit vector u of z. The first term comes from u_l v_i - u_i v_l, which are zero where a column v of V has the direction
/// of z.
fn slope_of_length(z: DVectorView<'_, f64>, eps: f64, value: &DMatrix<f64>) -> DMatrix<f64> {
    // Products of a short z with itself would underflow.
    let largest = z.amax();
    if largest == 0.0 {
        return value / eps.sqrt();
    }
    let unit = z / largest;
    let length = unit.norm();
    let scale = libm::hypot(largest * length, eps.sqrt());
    let unit = unit / length;
    let along = eps / scale / scale / scale;
    let mut slope = DMatrix::zeros(value.nrows(), value.ncols());
    for (mut place, v) in slope.column_iter_mut().zip(value.column_iter()) {
        let product = unit.dot(&v);
        for i in 0..unit.len() {
            let across: f64 = (0..unit.len()).map(|l| unit[l] * (unit[l] * v[i] - unit[i] * v[l])).sum();
            place[i] = across / scale + along * product * unit[i];
        }
    }
    slope
}
