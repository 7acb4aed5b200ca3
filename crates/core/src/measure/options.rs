//! Which method is used at which size, and which results a measurement computes.

use serde::{Deserialize, Serialize};

use crate::bounds::Norm;
use crate::experiment::{InputError, Memory};
use crate::spectral::{Assurance, LanczosOptions};

/// Matrices over clusters with more rows or columns than this are iterated instead of decomposed.
pub(super) const CLUSTER_SVD_LIMIT: usize = 384;
/// Jacobians with at most this many rows and columns are decomposed in less time than an iteration over them takes, or in
/// so little more that nobody sees it (benches/README.md, "Choices that were measured").
pub(super) const QUICK_SVD_LIMIT: usize = 64;
/// From vectors of this many numbers on, an iteration keeps a small basis.
const LARGE_FIELD: u64 = 200_000;

/// The largest basis of an iteration over vectors of this length.
pub(super) fn basis(n_inputs: u64, max_basis: usize) -> usize {
    if n_inputs < LARGE_FIELD { max_basis } else { 20 }
}

/// Which method is used at which size, and which results are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureOptions {
    /// Options of the iteration for Jacobians above `svd_limit`.
    pub lanczos: LanczosOptions,
    /// Dense SVD for Jacobians with at most this many rows and columns. Measured (benches/README.md): up to this size
    /// the whole spectrum takes less than the time of one frame.
    pub svd_limit: usize,
    /// Frobenius, l_inf and l_1 norms for Jacobians with at most this many rows and columns.
    pub dense_limit: usize,
    /// Whether equal tokens are grouped, if there are many and the Jacobian is above `svd_limit`.
    pub grouping: Grouping,
    /// Which results are computed.
    pub detail: Detail,
    /// Whether the norm of every block is computed for the max-token bound: n^2 small SVDs.
    pub block_norms: BlockNorms,
    /// Whether an iteration finds the norm before a dense SVD that takes longer.
    pub first_norm: FirstNormBy,
    /// Whether an upper bound on the norm at the tokens is found, by a few further steps of the iteration.
    pub upper: UpperNumber,
    /// R of the ball that the bounds are about, where it is larger than that of the tokens.
    pub radius: Option<f64>,
    /// The memory that the measurement may hold at a time; a larger one is refused before it begins.
    pub memory: Memory,
}

/// Whether the norm of every block of the Jacobian is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockNorms {
    /// Computed, up to 20,000 blocks.
    Included,
    /// Not computed.
    Skipped,
}

impl BlockNorms {
    /// `Included` if `norm` needs the norms of blocks.
    #[must_use]
    #[doc(hidden)]
    pub fn for_norm(norm: Norm) -> Self {
        if norm == Norm::MaxToken { BlockNorms::Included } else { BlockNorms::Skipped }
    }
}

/// Whether the smallest upper bound on the norm at the tokens is found ([`Measurement::upper`](super::Measurement::upper)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpperNumber {
    /// Found, where there is memory for it: the products are in f64 even where the tolerance allows f32, and at most ten steps
    /// follow those of the norm.
    Included,
    /// Not found.
    #[default]
    Skipped,
}

/// What finds the first norm of a measurement in steps, where the spectrum comes from a dense SVD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstNormBy {
    /// The dense SVD itself: there is no norm before it.
    DenseSvd,
    /// An iteration before it, where the dense SVD takes noticeably longer: for a page that waits for its number. The
    /// result of the measurement is the same.
    Iteration,
}

/// Whether equal tokens are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Grouped where that is cheaper.
    Auto,
    /// Never grouped: every token is a row of its own.
    Never,
}

/// Which results of a measurement are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detail {
    /// All norms and bounds.
    Full,
    /// All norms, no bounds.
    Norms,
    /// The spectral norm only, for the points of a sweep.
    NormOnly,
}

impl Default for MeasureOptions {
    fn default() -> Self {
        MeasureOptions {
            lanczos: LanczosOptions::default(),
            svd_limit: 128,
            dense_limit: 1024,
            grouping: Grouping::Auto,
            detail: Detail::Full,
            block_norms: BlockNorms::Skipped,
            first_norm: FirstNormBy::DenseSvd,
            upper: UpperNumber::Skipped,
            radius: None,
            memory: Memory::default(),
        }
    }
}

impl MeasureOptions {
    /// The options that compute `norm` with the least work.
    #[must_use]
    #[doc(hidden)]
    pub fn for_norm(norm: Norm) -> Self {
        if norm == Norm::Spectral {
            return MeasureOptions::for_sweep();
        }
        let MeasureOptions { dense_limit, .. } = MeasureOptions::default();
        MeasureOptions {
            dense_limit,
            detail: Detail::Norms,
            block_norms: BlockNorms::for_norm(norm),
            ..MeasureOptions::for_sweep()
        }
    }

    /// These options, without the upper number where with it a check of the cost refuses.
    ///
    /// # Errors
    /// That of the check where it refuses without the upper number too.
    #[doc(hidden)]
    pub fn within(self, check: impl Fn(&MeasureOptions) -> Result<(), InputError>) -> Result<Self, InputError> {
        match check(&self) {
            Err(_) if self.upper == UpperNumber::Included => {
                let without = MeasureOptions { upper: UpperNumber::Skipped, ..self };
                check(&without).map(|()| without)
            }
            checked => checked.map(|()| self),
        }
    }

    /// How the iteration goes on after its value, where an upper bound is asked for.
    pub(crate) fn assurance(&self) -> Option<Assurance> {
        (self.upper == UpperNumber::Included).then(Assurance::default)
    }

    /// Whether equal tokens may be grouped. They may not where the norms of blocks are asked for and a dense Jacobian can
    /// give them: groups have no blocks of single tokens.
    pub(crate) fn may_group(&self, side: u64) -> bool {
        let needs_blocks = self.block_norms == BlockNorms::Included && side <= self.dense_limit as u64;
        self.grouping == Grouping::Auto && !needs_blocks
    }

    /// For the points of a sweep: one norm each, and Lanczos from the size at which it is faster than a dense SVD
    /// (benches/README.md).
    #[must_use]
    pub fn for_sweep() -> Self {
        MeasureOptions { svd_limit: 48, dense_limit: 0, detail: Detail::NormOnly, ..MeasureOptions::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, Mask, TokenSource, WeightSource};
    use crate::measure::measure_with;

    #[test]
    fn equal_tokens_have_block_norms_too_up_to_the_limit_of_a_dense_jacobian() -> Result<(), InputError> {
        let tokens = TokenSource::Adversarial { n: 256, radius: 2.0 };
        let plain = Experiment::of(tokens, WeightSource::Identity { sign: -1.0 });
        for mask in [Mask::None, Mask::Causal] {
            let experiment = Experiment { mask, ..plain.clone() };
            let options = MeasureOptions { block_norms: BlockNorms::Included, ..MeasureOptions::default() };
            let found = measure_with(&experiment, options)?;
            let largest = found.dense.and_then(|dense| dense.max_token).expect("256 rows and columns");
            // In one dimension the norm of a block is its absolute value, to which its rounding is added.
            let linf = found.dense.expect("the same").linf;
            assert!((linf..=linf * (1.0 + 1e-9)).contains(&largest), "{largest} {linf}");
            // Grouped, the spectral norm is the same.
            let grouped = measure_with(&experiment, MeasureOptions::default())?;
            assert!((found.spectral - grouped.spectral).abs() <= 1e-9 * grouped.spectral);
        }
        Ok(())
    }
}
