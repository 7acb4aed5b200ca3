//! The matrices of a head that the terms of its rows are made of.

use std::ops::Range;

use nalgebra::DMatrix;

use super::errors::{HeadErrors, of_token};
use crate::attention::{Forward, MapLayout};
use crate::qr::{power_of_two, triangle, without_more_rows};
use crate::spectral::largest_singular_value;

/// The matrices of one head.
#[derive(Clone, Debug)]
pub(super) struct HeadMatrices {
    pub(super) maps: Vec<Map>,
    /// The triangular factor of the head's block of the output matrix; `None` without one.
    pub(super) outer: Option<DMatrix<f64>>,
    /// V V^T, or W_j W_j^T of each token where values are normalised.
    pub(super) value_grams: Vec<DMatrix<f64>>,
    /// w_j, d_v x n.
    pub(super) values: DMatrix<f64>,
    pub(super) v_rows: Range<usize>,
    /// V.
    pub(super) value: DMatrix<f64>,
    /// ||W_j|| through the outer factor, one for all or one for each.
    pub(super) value_norms: Vec<f64>,
    /// A factor R^T of the queries of all maps, one below the other: ||A Q|| = ||A R^T||.
    pub(super) query_factor: DMatrix<f64>,
    pub(super) errors: HeadErrors,
}

/// One attention map of a head.
#[derive(Clone, Debug)]
pub(super) struct Map {
    pub(super) map_idx: usize,
    pub(super) layout: MapLayout,
    /// The power of two by which K is divided here, and what is multiplied with it is multiplied: squares of its entries
    /// stay in the range of f64. 1 for entries of ordinary size.
    pub(super) key_unit: f64,
    /// K, k x d, divided by its unit; as in all that follows.
    pub(super) key: DMatrix<f64>,
    /// V K^T, d_v x k.
    pub(super) value_key: DMatrix<f64>,
    /// K K_m^T for each map m of the head.
    pub(super) grams: Vec<DMatrix<f64>>,
}

impl HeadMatrices {
    /// Those of a head; `summed` is the number of terms of the longest sum over tokens.
    pub(super) fn new(forward: &Forward<f64>, head_idx: usize, summed: f64) -> Self {
        let n = forward.n();
        let layouts: Vec<(usize, MapLayout)> =
            forward.maps_of(head_idx).map(|(map_idx, _)| (map_idx, forward.maps[map_idx].clone())).collect();
        let first = &layouts[0].1;
        let (v_rows, out_rows) = (first.v_rows.clone(), first.out_rows.clone());
        let value = forward.stacked.rows(&v_rows);
        let keys = layouts.iter().map(|(_, layout)| forward.stacked.rows(&layout.k_rows));
        let keys: Vec<(f64, DMatrix<f64>)> = keys.map(in_units).collect();
        let queries: Vec<DMatrix<f64>> =
            layouts.iter().map(|(_, layout)| forward.stacked.rows(&layout.q_rows)).collect();
        // The maps of a head have the same key dimension.
        let stacked = DMatrix::from_fn(queries.iter().map(DMatrix::nrows).sum(), forward.d(), |row, col| {
            let k = queries[0].nrows();
            queries[row / k][(row % k, col)]
        });
        let outer = forward.output.as_ref().map(|output| {
            let block = output.columns(out_rows.start, out_rows.len()).into_owned();
            without_more_rows(block)
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
        HeadMatrices {
            value_grams: slopes.iter().map(|slope| slope * slope.transpose()).collect(),
            errors: HeadErrors::new(forward, head_idx, summed, outer.as_ref()),
            value_norms,
            maps: layouts
                .iter()
                .zip(&keys)
                .map(|((map_idx, layout), (key_unit, key))| Map {
                    map_idx: *map_idx,
                    layout: layout.clone(),
                    key_unit: *key_unit,
                    key: key.clone(),
                    value_key: &value * key.transpose(),
                    grams: keys.iter().map(|(_, other)| key * other.transpose()).collect(),
                })
                .collect(),
            outer,
            values,
            v_rows,
            value,
            query_factor: triangle(stacked.transpose()).transpose(),
        }
    }

    pub(super) fn operations_a_row(&self, n: usize) -> usize {
        let (d_v, k) = (self.values.nrows(), self.maps[0].key.nrows());
        let a_pair = 2 * (k * k + 2 * d_v * k + 3 * d_v * d_v);
        self.maps.len() * (n * a_pair + 20 * d_v.pow(3))
    }

    pub(super) fn through(&self, matrix: DMatrix<f64>) -> DMatrix<f64> {
        match &self.outer {
            Some(outer) => outer * matrix,
            None => matrix,
        }
    }

    /// ||W_j|| through the outer factor.
    pub(super) fn value_norm(&self, j: usize) -> f64 {
        of_token(&self.value_norms, j)
    }

    /// W_j.
    pub(super) fn slope(&self, forward: &Forward<f64>, j: usize) -> DMatrix<f64> {
        if forward.steps.value_eps().is_some() {
            slope_of_values(forward, &self.v_rows, &self.value, j)
        } else {
            self.value.clone()
        }
    }
}

/// Entries between these have squares far inside the range of f64.
const ORDINARY: std::ops::RangeInclusive<f64> = 1e-70..=1e70;

/// A matrix divided by a power of two, and that power: 1 where its largest entry is of ordinary size.
pub(super) fn in_units(matrix: DMatrix<f64>) -> (f64, DMatrix<f64>) {
    let largest = matrix.amax();
    let unit = if ORDINARY.contains(&largest) { 1.0 } else { power_of_two(largest) };
    (unit, matrix / unit)
}

/// W_j = N'(V x_j) V.
fn slope_of_values(
    forward: &Forward<f64>,
    v_rows: &Range<usize>,
    value: &DMatrix<f64>,
    token_idx: usize,
) -> DMatrix<f64> {
    let mut slope = value.clone();
    if let Some(vector_maps) = &forward.vector_maps {
        for mut column in slope.column_iter_mut() {
            vector_maps.differentiate_at(v_rows, token_idx, column.as_mut_slice());
        }
    }
    slope
}
