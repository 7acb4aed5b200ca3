//! A forward pass in f32: for products that take half the time and keep about seven digits.
//!
//! Attention weights and projections are rounded from those in f64, so large scores cost no digits: only the products
//! themselves are in f32.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::forward::{Forward, Storage};
use super::stacked::Stacked;
use super::steps::VectorMaps;
use crate::extremum::largest;

/// The most attention weights (n^2 times maps, with their slopes) that are copied: 64 MiB of f32 beside 128 MiB of f64, so that the page
/// stays under 400 MB.
pub(crate) const MOST_COPIED: u64 = 16 << 20;

/// The largest entry of each matrix must lie between this and 1/this. Then products of three entries, summed over all
/// tokens, stay in the range of f32, and products that underflow are too small to matter.
const LEAST: f64 = 1e-12;

impl Forward<f64> {
    /// The same forward pass in f32; `None` where its attention weights are not stored or too many, or where numbers do
    /// not fit f32.
    #[must_use]
    pub fn single(&self) -> Option<Forward<f32>> {
        let matrices = (self.kept.len() + self.kept_slopes.len()) as u64;
        let count = (self.n as u64).saturating_mul(self.n as u64).saturating_mul(matrices);
        let stacked = match &self.stacked {
            Stacked::Dense(matrix) => matrix.as_slice(),
            Stacked::Multiples { factors, .. } => factors,
        };
        let output = self.output.as_deref().map_or(&[][..], DMatrix::as_slice);
        let scale = [self.normalizer.jacobian_norm_bound()];
        let is_fit = [self.projections.as_slice(), stacked, output, &scale].into_iter().all(fits);
        if self.storage == Storage::Recomputed || count > MOST_COPIED || !is_fit {
            return None;
        }
        Some(Forward {
            n: self.n,
            d: self.d,
            mask: self.mask.clone(),
            scope: self.scope,
            maps: self.maps.clone(),
            steps: self.steps.clone(),
            vector_maps: self.vector_maps.as_ref().map(VectorMaps::cast),
            normalizer: self.normalizer.cast(),
            stacked: match &self.stacked {
                Stacked::Dense(matrix) => Stacked::Dense(Arc::new(matrix.map(|x| x as f32))),
                Stacked::Multiples { d, factors } => {
                    Stacked::Multiples { d: *d, factors: factors.iter().map(|x| *x as f32).collect() }
                }
            },
            biases: self.biases.as_ref().map(|biases| biases.iter().map(|x| *x as f32).collect()),
            projections: self.projections.map(|x| x as f32),
            centre: self.centre.iter().map(|x| *x as f32).collect(),
            output: self.output.as_ref().map(|matrix| Arc::new(matrix.map(|x| x as f32))),
            // Needed only to recompute attention weights; here they are stored.
            row_scales: Vec::new(),
            tops: self.tops.clone(),
            sink_shares: self.sink_shares.iter().map(|shares| shares.iter().map(|x| *x as f32).collect()).collect(),
            key_squares: Vec::new(),
            is_separate: Vec::new(),
            kept: narrowed(&self.kept),
            kept_slopes: narrowed(&self.kept_slopes),
            storage: Storage::Kept,
        })
    }
}

fn narrowed(matrices: &[Vec<f64>]) -> Vec<Vec<f32>> {
    matrices.iter().map(|entries| entries.iter().map(|x| flushed(*x)).collect()).collect()
}

/// Whether products of the entries of a matrix stay in the range of f32; not if an entry is NaN.
fn fits(entries: &[f64]) -> bool {
    let most = largest(entries.iter().map(|x| x.abs()));
    most == 0.0 || (LEAST..=1.0 / LEAST).contains(&most)
}

/// Rounds to f32 and sets numbers below its normal range to zero: they do not count beside the other weights of the row
/// or the other tokens, and processors are slow with them.
pub(crate) fn flushed(x: f64) -> f32 {
    let rounded = x as f32;
    if rounded.abs() < f32::MIN_POSITIVE { 0.0 } else { rounded }
}
