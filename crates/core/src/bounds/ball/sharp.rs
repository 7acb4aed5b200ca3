//! The sharpest of our upper bounds on the ball (docs/theory.md section 2), for dot-product attention and every n. With
//! a = ||A||_2 R^2, v = ||V||_2, and G and F of `row_mass`:
//!
//! - `sharp`, no mask: v (a + sqrt(min(n G, F, (1 + a^2) n / (1 + (n-1) e^(-2a))))).
//! - `sharp_masked`, causal: v (a + min(sqrt(sum_i min(G, F/i)), sqrt((1 + a^2) sum_i 1/(1 + (i-1) e^(-2a))),
//!   2 (1 + 2a) e^(2a))).
//!
//! Both are computed as natural logarithms with v = 1, so that they do not overflow. They are never above `unified` and
//! `unified_masked`: the minima here include the terms of those bounds.

use super::super::Hypotheses;
use super::super::logarithms::ln_add;
use super::row_mass::{ln_any_length, ln_long};
use super::unified::{HEAD, ln_column_sum, ln_masked_column_sum};
use crate::experiment::{Attention, MaskKind};

/// ln of `sharp` with v = 1.
pub(in crate::bounds) fn ln_sharp(hypotheses: &Hypotheses, a: f64) -> Option<f64> {
    ln_of_mask(hypotheses, MaskKind::None, a)
}

/// ln of `sharp_masked` with v = 1.
pub(in crate::bounds) fn ln_sharp_masked(hypotheses: &Hypotheses, a: f64) -> Option<f64> {
    ln_of_mask(hypotheses, MaskKind::Causal, a)
}

fn ln_of_mask(hypotheses: &Hypotheses, mask: MaskKind, a: f64) -> Option<f64> {
    if hypotheses.attention != Attention::Dot || hypotheses.mask != mask {
        return None;
    }
    Some(ln_add(a.ln(), MixedTerms::new(mask, hypotheses.ln_n, a, 2.0 * a).ln_smallest()))
}

/// ln of the terms whose minimum bounds the mixed part, with v = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bounds) struct MixedTerms {
    /// From bounds on single rows: sqrt(n G) without a mask, the root of sum_i min(G, F/i) under the causal mask.
    pub(in crate::bounds) ln_rows: f64,
    /// From bounds on long rows: sqrt F; infinite under the causal mask, where `ln_rows` already includes F.
    pub(in crate::bounds) ln_long: f64,
    /// From the largest column sum, as in `unified`.
    pub(in crate::bounds) ln_columns: f64,
    /// From Hardy's inequality; infinite without a mask.
    pub(in crate::bounds) ln_hardy: f64,
}

impl MixedTerms {
    /// The terms where |A x_i| R <= a, and the attention weights of each row are within a factor e^ln_ratio <= e^(2a)
    /// of each other.
    pub(in crate::bounds) fn new(mask: MaskKind, ln_n: f64, a: f64, ln_ratio: f64) -> Self {
        let (short, long) = (ln_any_length(a), ln_long(a, ln_ratio));
        let slope = 1f64.hypot(a).ln();
        match mask {
            MaskKind::None => MixedTerms {
                ln_rows: 0.5 * (ln_n + short),
                ln_long: 0.5 * long,
                ln_columns: slope + 0.5 * ln_column_sum(ln_n, 0.5 * ln_ratio),
                ln_hardy: f64::INFINITY,
            },
            MaskKind::Causal => MixedTerms {
                ln_rows: 0.5 * ln_sum_of_rows(ln_n, short, long),
                ln_long: f64::INFINITY,
                ln_columns: slope + 0.5 * ln_masked_column_sum(ln_n, 0.5 * ln_ratio),
                // |M_ij| <= 1 + 2a and P_ij <= H/i.
                ln_hardy: 2f64.ln() + (2.0 * a).ln_1p() + ln_ratio,
            },
            // No term is known for other masks; `general` reads their column sums from the mask.
            MaskKind::Other => MixedTerms {
                ln_rows: f64::INFINITY,
                ln_long: f64::INFINITY,
                ln_columns: f64::INFINITY,
                ln_hardy: f64::INFINITY,
            },
        }
    }

    /// The smallest of the terms.
    pub(in crate::bounds) fn ln_smallest(&self) -> f64 {
        self.ln_rows.min(self.ln_long).min(self.ln_columns).min(self.ln_hardy)
    }
}

/// ln of sum_{i=1..n} min(G, F/i) from ln G and ln F.
fn ln_sum_of_rows(ln_n: f64, short: f64, long: f64) -> f64 {
    // The minimum is G in rows up to i = F/G, and F/i in later rows.
    let turn = long - short;
    if ln_n <= turn || turn > LARGE {
        let beyond = (ln_n - turn).max(0.0);
        // The sum over F/i is replaced by an integral, which is the same in f64 above 2^53.
        return ln_n.min(turn) + short + beyond.ln_1p();
    }
    let (n, first) = (ln_n.exp(), turn.exp().floor());
    let sum_of_inverses = if ln_n <= LARGE { harmonic(n) } else { ln_n + EULER } - harmonic(first);
    short + (first + turn.exp() * sum_of_inverses.max(0.0)).ln()
}

/// ln 2^53: above 2^53 f64 cannot tell neighbouring integers apart.
const LARGE: f64 = 36.736_800_569_677_1;
/// The constant of Euler and Mascheroni.
const EULER: f64 = 0.577_215_664_901_532_9;

/// 1 + 1/2 + .. + 1/n for an integer n >= 0.
fn harmonic(n: f64) -> f64 {
    if n <= HEAD {
        return (1..=n.round() as u64).map(|i| 1.0 / i as f64).sum();
    }
    n.ln() + EULER + 0.5 / n - 1.0 / (12.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::{BoundId, HeadNorms};

    fn at(radius: f64, n: f64, mask: MaskKind) -> Hypotheses {
        Hypotheses::of_norms(Attention::Dot, mask, HeadNorms { a_norm: 1.0, v_norm: 1.0 }, radius, n)
    }

    #[test]
    fn sharp_is_at_most_unified_at_every_length_and_radius_and_does_not_fall() {
        for radius in [0.0, 1e-3, 0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 6.0, 30.0, 1e3, 1e50] {
            for (mask, ids) in [
                (MaskKind::None, [BoundId::Sharp, BoundId::Unified]),
                (MaskKind::Causal, [BoundId::SharpMasked, BoundId::UnifiedMasked]),
            ] {
                let mut before = f64::NEG_INFINITY;
                for ln_n in (0..300).map(|step| f64::from(step) * 2.31) {
                    let hypotheses = Hypotheses { ln_n: ln_n.exp().round().ln(), ..at(radius, 2.0, mask) };
                    let [sharp, unified] = ids.map(|id| id.at(&hypotheses).expect("it applies").log10);
                    assert!(sharp <= unified, "{mask:?} R={radius} ln n={ln_n}: {sharp} above {unified}");
                    assert!(
                        sharp >= before - 1e-11 * before.abs().max(1.0),
                        "{mask:?} R={radius} ln n={ln_n}: it falls"
                    );
                    before = sharp;
                }
            }
        }
    }

    #[test]
    fn the_sum_over_rows_equals_the_sum_of_its_terms() {
        for (short, long) in [(0.0f64, 3.0f64), (1.0, 1.0), (0.5, 8.0), (2.0, 40.0), (0.0, 0.7)] {
            for n in [1.0f64, 2.0, 17.0, 2000.0, 40_000.0] {
                let terms = (1..=n as u64).map(|i| short.exp().min(long.exp() / i as f64));
                let (found, expected) = (ln_sum_of_rows(n.ln(), short, long), terms.sum::<f64>().ln());
                assert!((found - expected).abs() < 1e-11, "{short} {long} n={n}: {found} for {expected}");
            }
        }
        // The two ways to compute the sum agree where the code changes from one to the other.
        let (below, above) = (ln_sum_of_rows(80.0, 0.0, LARGE - 1e-9), ln_sum_of_rows(80.0, 0.0, LARGE + 1e-9));
        assert!((below - above).abs() < 1e-7, "{below} and {above}");
    }

    #[test]
    fn sharp_is_absent_under_the_other_mask_and_for_l2() {
        let l2 = Hypotheses { attention: Attention::L2, ..at(1.0, 10.0, MaskKind::None) };
        assert_eq!(BoundId::Sharp.at(&l2), None);
        assert_eq!(BoundId::Sharp.at(&at(1.0, 10.0, MaskKind::Causal)), None);
        assert_eq!(BoundId::SharpMasked.at(&at(1.0, 10.0, MaskKind::None)), None);
    }
}
