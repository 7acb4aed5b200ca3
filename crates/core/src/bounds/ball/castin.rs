//! The upper bounds of Castin, Ablin, Peyré, "How Smooth Is Attention?", ICML 2024, for tokens in the ball of radius R.
//! With a = ||A||_2 R^2 and v = ||V||_2:
//!
//! - Theorem 3.3 and its masked twin, dot-product attention, every n: sqrt(3) v sqrt(a^2 (4n + 1) + n).
//! - Mean-field theorem, dot-product attention without a mask, every n: v (1 + 3a) e^(2a).
//!
//! Both are computed as natural logarithms with v = 1, so that they do not overflow.

use super::super::Hypotheses;
use crate::experiment::{Attention, MaskKind};

/// ln of sqrt(3) sqrt(a^2 (4n + 1) + n).
pub(in crate::bounds) fn ln_general(hypotheses: &Hypotheses, a: f64) -> Option<f64> {
    if hypotheses.attention != Attention::Dot {
        return None;
    }
    // With sqrt n factored out the rest is hypot(a sqrt(4 + 1/n), 1), which does not overflow.
    let inverse_n = (-hypotheses.ln_n).exp();
    Some(0.5 * (3f64.ln() + hypotheses.ln_n) + (a * (4.0 + inverse_n).sqrt()).hypot(1.0).ln())
}

/// ln of (1 + 3a) e^(2a).
pub(in crate::bounds) fn ln_mean_field(hypotheses: &Hypotheses, a: f64) -> Option<f64> {
    if hypotheses.attention != Attention::Dot || hypotheses.mask != MaskKind::None {
        return None;
    }
    Some((3.0 * a).ln_1p() + 2.0 * a)
}

#[cfg(test)]
mod tests {
    use crate::bounds::{BoundId, HeadNorms, Hypotheses};
    use crate::experiment::{Attention, MaskKind};

    fn hypotheses(radius: f64, n: f64) -> Hypotheses {
        Hypotheses::of_norms(Attention::Dot, MaskKind::None, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    }

    /// Values tabulated outside this crate, d = 1, A = -1, V = 1.
    #[test]
    fn the_published_bounds_equal_tabulated_values() {
        let table = [
            (2.0, 101.0, 140.51, 38752.5),
            (2.0, 4096.0, 893.738, 38752.5),
            (2.0, 10001.0, 1396.51, 38752.5),
            (2.0, 1e9, 441_588.0, 38752.5),
            (3.0, 1e8 + 1.0, 312_250.0, 1.83848e9),
            (3.0, 1e9, 987_421.0, 1.83848e9),
            (3.0, 1e20, 3.1225e11, 1.83848e9),
        ];
        for (radius, n, general, mean_field) in table {
            for (id, expected) in [(BoundId::CastinGeneral, general), (BoundId::CastinMeanField, mean_field)] {
                let found = id.at(&hypotheses(radius, n)).and_then(|bound| bound.value).expect("it applies");
                assert!((found / expected - 1.0).abs() < 5e-6, "{id:?} R={radius} n={n}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn a_bound_above_the_range_of_f64_keeps_its_logarithm() {
        let bound = BoundId::CastinMeanField.at(&hypotheses(100.0, 10.0)).expect("it applies");
        assert_eq!(bound.value, None);
        // ln((1 + 3e4) e^20000) / ln 10
        assert!((bound.log10 - (30001f64.ln() + 20000.0) / 10f64.ln()).abs() < 1e-9, "{}", bound.log10);
    }

    #[test]
    fn the_mean_field_bound_is_absent_under_a_mask_and_for_l2() {
        let causal = Hypotheses { mask: MaskKind::Causal, ..hypotheses(1.0, 10.0) };
        assert_eq!(BoundId::CastinMeanField.at(&causal), None);
        let l2 = Hypotheses { attention: Attention::L2, ..hypotheses(1.0, 10.0) };
        assert!(crate::bounds::all_bounds(&l2).is_empty());
    }
}
