//! Data for the page's pictures of one experiment: the attention matrix of a head, the token plane with edits of tokens
//! on it, the leading singular pair, and the norms of the Jacobian's blocks. All are small enough to send between
//! threads, whatever n.

mod attention;
mod blocks;
mod moves;
mod pair;
mod tokens;

use serde::{Deserialize, Serialize};

pub use attention::{AttentionPicture, Unit, attention_picture};
pub use blocks::{BlockNorming, BlockPicture, BlockPlan, MOST_BLOCKS_A_SIDE};
pub use moves::{FEWEST_TOKENS, MOST_MOVABLE, MOST_MOVABLE_ENTRIES, Snap, TokenEdit};
pub use pair::{PairOutputs, PairRequest, TopPair, check_with_pair, top_pair};
pub use tokens::{TokenPicture, token_picture};

/// A plane through the mean of the tokens, spanned by two orthonormal axes. For d <= 2: the plane of the tokens' own
/// coordinates, through 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneFrame {
    /// The origin of the plane, a point of d numbers.
    pub mean: Vec<f64>,
    /// Unit vectors of d numbers; for d = 1 the second is zero.
    pub axes: [Vec<f64>; 2],
}

impl PlaneFrame {
    /// The frame of the tokens' own coordinates, for d <= 2.
    #[must_use]
    pub fn own(d: usize) -> Self {
        let axis = |at: usize| (0..d).map(|entry| if entry == at { 1.0 } else { 0.0 }).collect();
        PlaneFrame { mean: vec![0.0; d], axes: [axis(0), axis(1)] }
    }

    /// The coordinates of a token on the plane.
    #[must_use]
    pub fn place(&self, token: &[f64]) -> (f64, f64) {
        let along = |axis: &[f64]| {
            axis.iter().zip(token).zip(&self.mean).map(|((axis, entry), mean)| axis * (entry - mean)).sum()
        };
        (along(&self.axes[0]), along(&self.axes[1]))
    }

    /// The projection of a change of a token onto the plane.
    #[must_use]
    pub fn direction(&self, change: &[f64]) -> (f64, f64) {
        let along = |axis: &[f64]| axis.iter().zip(change).map(|(axis, entry)| axis * entry).sum();
        (along(&self.axes[0]), along(&self.axes[1]))
    }

    /// The token at the given coordinates on the plane.
    #[must_use]
    pub fn token_at(&self, (x, y): (f64, f64)) -> Vec<f64> {
        let at = |((first, second), mean): ((&f64, &f64), &f64)| mean + x * first + y * second;
        self.axes[0].iter().zip(&self.axes[1]).zip(&self.mean).map(at).collect()
    }

    /// A token moved to other coordinates on the plane; its component off the plane is kept.
    #[must_use]
    pub fn moved(&self, token: &[f64], to: (f64, f64)) -> Vec<f64> {
        if token.len() <= 2 {
            return [to.0, to.1][..token.len()].to_vec();
        }
        let from = self.place(token);
        let by = (to.0 - from.0, to.1 - from.1);
        let step = |((entry, first), second): ((&f64, &f64), &f64)| entry + by.0 * first + by.1 * second;
        token.iter().zip(&self.axes[0]).zip(&self.axes[1]).map(step).collect()
    }

    /// Flips each axis that points away from the same axis of an earlier frame; returns the signs applied.
    fn align_with(&mut self, earlier: &PlaneFrame) -> (f64, f64) {
        let mut align = |at: usize| {
            let along: f64 = self.axes[at].iter().zip(&earlier.axes[at]).map(|(new, old)| new * old).sum();
            let sign = if along < 0.0 { -1.0 } else { 1.0 };
            self.axes[at].iter_mut().for_each(|entry| *entry *= sign);
            sign
        };
        (align(0), align(1))
    }
}
