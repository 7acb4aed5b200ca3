//! The terms whose minimum bounds the mixed part of the Jacobian on the ball: those of `sharp`, `sharp_masked` and
//! `general` (ours, docs/theory.md sections 2 and 6).

use super::super::exponents::Exponents;
use super::exponent_sums;
use super::row_lengths::{RowRun, ln_column_sum_of, ln_rows_of};
use super::row_mass::KeySlopes;
use crate::experiment::MaskKind;

/// ln of the terms, with v = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MixedTerms {
    /// From bounds on single rows: the root of max_j sum_(i: j in N_i) min(G, F/|N_i|).
    pub(crate) ln_rows: f64,
    /// From the largest column sum: sqrt(omega S).
    pub(crate) ln_columns: f64,
    /// From Hardy's inequality; infinite except under the causal mask.
    pub(crate) ln_hardy: f64,
    /// From the kernel of the scores and its slopes; infinite except without a mask.
    pub(crate) ln_kernel: f64,
}

impl MixedTerms {
    /// The terms of dot-product attention where |A x_i| R <= a, and the attention weights of each row are within a
    /// factor e^ln_ratio <= e^(2a) of each other. `exponents` are those on the ball.
    pub(crate) fn of_dot(mask: MaskKind, ln_n: f64, a: f64, ln_ratio: f64, exponents: &Exponents) -> Self {
        let runs = match mask {
            MaskKind::None => [RowRun::Same { ln_count: ln_n, ln_length: ln_n }],
            MaskKind::Causal => [RowRun::up_to(ln_n)],
            // `general` reads the column sums of other masks from the mask.
            MaskKind::Other => return MixedTerms::NONE,
        };
        let half_omega = 1f64.hypot(a).ln();
        let ln_rows = 0.5 * ln_rows_of(&runs, KeySlopes::Constant, a, ln_ratio);
        let ln_columns = half_omega + 0.5 * ln_column_sum_of(&runs, ln_ratio, f64::NEG_INFINITY);
        let (is_causal, terms) = (mask == MaskKind::Causal, MixedTerms { ln_rows, ln_columns, ..MixedTerms::NONE });
        let terms = terms.with_exponents(mask, ln_n, half_omega, ln_ratio, exponents);
        MixedTerms { ln_hardy: if is_causal { ln_hardy(half_omega, a, ln_ratio) } else { f64::INFINITY }, ..terms }
    }

    /// No term is known.
    pub(crate) const NONE: MixedTerms = MixedTerms {
        ln_rows: f64::INFINITY,
        ln_columns: f64::INFINITY,
        ln_hardy: f64::INFINITY,
        ln_kernel: f64::INFINITY,
    };

    /// The same terms, or smaller ones from the exponents of the scores on the ball, where scores are c x_j.A x_i.
    /// `half_omega` is ln sqrt(omega), and scores of a row are within `range` of each other.
    pub(crate) fn with_exponents(
        self,
        mask: MaskKind,
        ln_n: f64,
        half_omega: f64,
        range: f64,
        exponents: &Exponents,
    ) -> Self {
        let (ln_sum, ln_kernel) = match mask {
            MaskKind::None => {
                (exponent_sums::ln_column_sum(ln_n, range, exponents), exponent_sums::ln_mixed(ln_n, range, exponents))
            }
            MaskKind::Causal => (exponent_sums::ln_causal_column_sum(ln_n, exponents), f64::INFINITY),
            MaskKind::Other => return self,
        };
        MixedTerms { ln_columns: self.ln_columns.min(half_omega + 0.5 * ln_sum), ln_kernel, ..self }
    }

    /// The smallest of the terms.
    pub(crate) fn ln_smallest(&self) -> f64 {
        self.ln_rows.min(self.ln_columns).min(self.ln_hardy).min(self.ln_kernel)
    }
}

/// ln of 2 sqrt(H (1 + 2a) sqrt(omega)): under the causal mask |M_ij| <= 1 + 2a, P_ij <= H/i, the numbers P_ij |M_ij^T u|
/// of a row sum to at most sqrt(omega), and the Cesaro operator has norm 2.
pub(crate) fn ln_hardy(half_omega: f64, a: f64, ln_ratio: f64) -> f64 {
    2f64.ln() + 0.5 * (ln_ratio + (2.0 * a).ln_1p() + half_omega)
}
