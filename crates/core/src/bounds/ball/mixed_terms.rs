//! The terms whose minimum bounds the mixed part of the Jacobian on the ball: those of `sharp`, `sharp_masked` and
//! `general` (ours, docs/theory.md sections 2 and 6).

use super::row_lengths::{RowRun, ln_column_sum_of, ln_rows_of};
use super::row_mass::KeySlopes;
use crate::experiment::MaskKind;

/// ln of the terms, with v = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bounds) struct MixedTerms {
    /// From bounds on single rows: the root of max_j sum_(i: j in N_i) min(G, F/|N_i|).
    pub(in crate::bounds) ln_rows: f64,
    /// From the largest column sum: sqrt(omega S).
    pub(in crate::bounds) ln_columns: f64,
    /// From Hardy's inequality; infinite except under the causal mask.
    pub(in crate::bounds) ln_hardy: f64,
}

impl MixedTerms {
    /// The terms of dot-product attention where |A x_i| R <= a, and the attention weights of each row are within a
    /// factor e^ln_ratio <= e^(2a) of each other.
    pub(in crate::bounds) fn of_dot(mask: MaskKind, ln_n: f64, a: f64, ln_ratio: f64) -> Self {
        let runs = match mask {
            MaskKind::None => [RowRun::Same { ln_count: ln_n, ln_length: ln_n }],
            MaskKind::Causal => [RowRun::up_to(ln_n)],
            // `general` reads the column sums of other masks from the mask.
            MaskKind::Other => return MixedTerms::NONE,
        };
        MixedTerms {
            ln_rows: 0.5 * ln_rows_of(&runs, KeySlopes::Constant, a, ln_ratio),
            ln_columns: 1f64.hypot(a).ln() + 0.5 * ln_column_sum_of(&runs, ln_ratio, f64::NEG_INFINITY),
            ln_hardy: if mask == MaskKind::Causal { ln_hardy(a, ln_ratio) } else { f64::INFINITY },
        }
    }

    /// No term is known.
    pub(in crate::bounds) const NONE: MixedTerms =
        MixedTerms { ln_rows: f64::INFINITY, ln_columns: f64::INFINITY, ln_hardy: f64::INFINITY };

    /// The smallest of the terms.
    pub(in crate::bounds) fn ln_smallest(&self) -> f64 {
        self.ln_rows.min(self.ln_columns).min(self.ln_hardy)
    }
}

/// ln of 2 (1 + 2a) H: under the causal mask |M_ij| <= 1 + 2a and P_ij <= H/i, and the Cesaro operator has norm 2.
pub(in crate::bounds) fn ln_hardy(a: f64, ln_ratio: f64) -> f64 {
    2f64.ln() + (2.0 * a).ln_1p() + ln_ratio
}
