//! Takes many rows of a head at a time, for [`super::dot`], and decides when that is accurate enough.

use std::sync::Arc;

use super::dot_head::{BLOCK, DotHead, Terms};
use super::moments::{Moments, OfRow};
use super::shared::LocalBuffers;
use super::token_pairs::Pairs;
use crate::attention::View;

/// The fewest rows whose covariances are computed together.
const LEAST_AT_ONCE: usize = 16;
/// Multiplications for the covariances that are computed together. They take a few milliseconds in a browser's worker,
/// which handles messages afterwards.
const MOST_PRODUCTS: usize = 100_000_000;
/// The most that the rounding of covariances may add to the bound, relative to it: as much as `TopEigenvalue` adds.
const MOST_LOST: f64 = 5e-4;

/// What the rounding of moments may take from w_i and ||V O_i||.
struct Lost {
    w: f64,
    own: f64,
}

impl Lost {
    /// Whether the loss is little beside the row's w_i. The loss is compared with w_i and not with ||V||^2, because it
    /// grows with w_i.
    fn is_little(&self, w: f64) -> bool {
        self.w <= MOST_LOST * w && self.own <= MOST_LOST * w.sqrt()
    }
}

impl DotHead {
    /// The same head with rows taken many at a time, where that is faster.
    pub(crate) fn with_moments(mut self) -> Self {
        let shared = Arc::make_mut(&mut self.shared);
        shared.make_moments();
        if let (Some(_), Some(_), Some((value, key))) = (&shared.moments, &self.blocks, shared.value_and_key()) {
            self.pairs = Some(Arc::new(Pairs::new(value, key * shared.scale, &shared.tokens)));
        }
        self
    }

    /// Whether rows may be taken together.
    #[cfg(test)]
    pub(crate) fn has_moments(&self) -> bool {
        self.shared.moments.is_some()
    }

    /// Takes every row by itself.
    #[cfg(test)]
    pub(crate) fn row_by_row(&mut self) {
        Arc::make_mut(&mut self.shared).moments = None;
        self.pairs = None;
    }

    /// How many rows to take at a time, a part of a block. `None` where the next row is taken by itself: the first of a
    /// block, and each row after one that needed to be taken by itself.
    pub(crate) fn rows_at_once(&self) -> Option<usize> {
        let moments = self.shared.moments.as_ref().filter(|_| self.is_together)?;
        let row = moments.products_a_row(self.shared.tokens.ncols());
        Some((MOST_PRODUCTS / row.max(1)).clamp(LEAST_AT_ONCE, BLOCK))
    }

    /// Whether the rounding of a row's moments would be little beside its bounds.
    pub(crate) fn could_be_together(&self, mean: &[f64], masses: &[f64], gradient_square: f64, w: f64) -> bool {
        let Some(moments) = &self.shared.moments else { return false };
        let (_, error) = moments.square_and_error(&moments.placed(mean), masses);
        self.lost(moments, error, gradient_square).is_little(w)
    }

    /// What an error of this norm in the covariance may take from a row's bounds.
    fn lost(&self, moments: &Moments, error: f64, gradient_square: f64) -> Lost {
        let value_square = self.shared.value_square;
        Lost { w: gradient_square * error * value_square, own: error * value_square.sqrt() * moments.own_norm() }
    }

    /// Computes for consecutive rows together what [`DotHead::row`] and [`DotHead::block_row`] need. `masses` are
    /// the rows' attention weights, rows `stride` apart, for the first `reach` tokens; `queries` is k x rows.
    pub(crate) fn take_moments(
        &self,
        buffers: &mut LocalBuffers,
        (masses, stride, reach): (&[f64], usize, usize),
        queries: View<'_, f64>,
    ) {
        let LocalBuffers { moments: taken, pairs: taken_pairs, .. } = buffers;
        if let Some(moments) = &self.shared.moments {
            moments.take(&self.shared.tokens, (masses, stride, reach), taken);
        }
        if let Some(pairs) = &self.pairs {
            pairs.take(taken.means(), queries, reach, taken_pairs);
        }
    }

    /// The terms of row number `at` of the last [`DotHead::take_moments`]; `None` where the rounding of its moments
    /// is too large.
    pub(crate) fn of_moments(
        &mut self,
        buffers: &LocalBuffers,
        at: usize,
        masses: &[f64],
        gradient_square: f64,
    ) -> Option<Terms> {
        let shared = Arc::clone(&self.shared);
        let moments = shared.moments.as_ref()?;
        let OfRow { mixed, own, error, trace } = moments.row(&buffers.moments, at, masses, gradient_square);
        let lost = self.lost(moments, error, gradient_square);
        let w = self.top_of_moments.bound(&mixed);
        self.is_together = lost.is_little(w);
        if !self.is_together {
            return None;
        }
        let value_square = shared.value_square;
        let w = (w + lost.w).min(value_square * (1.0 + gradient_square * trace));
        let own = self.norm_of_own(&own, lost.own).min(value_square.sqrt() * moments.own_norm() * trace);
        Some(Terms { w, own, trace })
    }
}
