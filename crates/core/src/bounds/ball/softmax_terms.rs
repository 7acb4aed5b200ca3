//! The terms of `general` and `general_token` (ours, docs/theory.md section 6), upper bounds on the ball for every variant
//! whose weights are a softmax, with or without a sink. With the constants of `score_constants`, v = ||V||_2 and the sums rho,
//! S, lambda over the mask:
//!
//! - `general`, spectral norm: v (rho a_o + min(sqrt(omega S), sqrt(max_j sum_(i: j in N_i) lambda_i), Hardy));
//! - `general_token`, max-token norm: v (rho a_o + sqrt(rho omega)), for every n and mask.
//!
//! omega = 1 + a_m^2, 1 + a_m + a_m^2 or (1 + a_m)^2 by [`KeySlopes`]; with a sink the smaller of that and
//! rho (1 + a_m)^2. Hardy is 2 e^kappa sqrt((1 + 2 a_m) sqrt(omega)), under the causal mask without bias. For dot-product
//! attention without sink and bias `general` is `sharp` and `sharp_masked`; with a sink or a cap their terms from the
//! exponents of A count too, under a cap with those of scores that it has moved.
//!
//! Both are computed as natural logarithms with v = 1, so that they do not overflow.

use super::super::Hypotheses;
use super::super::variant::{HeadVariant, MapNorms, Scores, Variant};
use super::distance_bias;
use super::mixed_terms::{MixedTerms, ln_hardy};
use super::row_lengths::{ln_column_sum_of, ln_longest_row, ln_rows_of, longest_column};
use super::row_mass::KeySlopes;
use super::score_constants::ScoreConstants;
use super::table_sums::{Table, TableSums, ln_left_by_sink};
use super::variant_heads::single_map;
use crate::experiment::{Mask, Order};
use crate::extremum::maximum;

/// Own and mixed part of `general`, then the mixed part of `general_token`, of a head with one map, v = 1.
pub(crate) fn parts(hypotheses: &Hypotheses, head_idx: usize) -> Option<[f64; 3]> {
    let (variant, head, map) = single_map(hypotheses, head_idx)?;
    let terms = Terms::of(variant, head, map, hypotheses.radius, hypotheses.ln_n)?;
    Some([terms.ln_own, terms.mixed.ln_smallest(), terms.ln_mixed_token].map(f64::exp))
}

/// The terms of one map with v = 1; with normalised values v is included.
pub(crate) struct Terms {
    /// ln of the bound on the own part.
    pub(crate) ln_own: f64,
    /// The bounds on the mixed part, in the spectral norm.
    pub(crate) mixed: MixedTerms,
    /// ln of the bound on the mixed part in the max-token norm.
    pub(crate) ln_mixed_token: f64,
}

impl Terms {
    /// The terms of a map of a head on the ball of radius `r` with e^ln_n tokens.
    pub(crate) fn of(variant: &Variant, head: &HeadVariant, map: &MapNorms, r: f64, ln_n: f64) -> Option<Self> {
        if variant.weighting.is_elementwise() {
            return None;
        }
        let scores = ScoreConstants::of(variant, head, map, r, ln_n);
        let half_omega = half_ln_omega(scores.slopes, scores.mixed);
        let sums = Sums::of(variant, head, &scores, ln_n, 2.0 * half_omega)?;
        let ln_rho = sums.ln_rho;
        // (1 + a_m)^2 of all attention, of which the sink leaves rho.
        let half_omega = match head.sink {
            None => half_omega,
            Some(_) => half_omega.min(0.5 * ln_rho + scores.mixed.ln_1p()),
        };
        if let Some(eps) = variant.value_norm {
            let slope = head.value / eps.sqrt();
            // The length of a value is at most B, and here B/R.
            let length = slope.min(1.0 / r);
            let half = 0.5 * ln_rho + (slope + length * scores.mixed).ln();
            let mixed = MixedTerms { ln_columns: half + 0.5 * sums.ln_columns, ..MixedTerms::NONE };
            return Some(Terms {
                ln_own: ln_rho + (length * scores.own).ln(),
                mixed,
                ln_mixed_token: 0.5 * ln_rho + half,
            });
        }
        let has_bias = variant.bias.is_some() || head.slope != 0.0;
        let mut mixed = MixedTerms {
            ln_rows: 0.5 * sums.ln_rows,
            ln_columns: half_omega + 0.5 * sums.ln_columns,
            ..MixedTerms::NONE
        };
        if variant.mask == Mask::Causal && !has_bias {
            mixed.ln_hardy = ln_hardy(half_omega, scores.mixed, scores.range);
        }
        // A sink takes from every weight, so that column sums without it are bounds. A cap moves scores by at most what
        // it takes from the largest one.
        if variant.scores == Scores::Dot && !has_bias {
            let exponents = map.exponents.on_ball(r).with_scores_moved(maximum(scores.mixed - scores.top, 0.0));
            mixed = mixed.with_exponents(variant.mask.kind(), ln_n, half_omega, scores.range, &exponents);
        }
        Some(Terms { ln_own: ln_rho + scores.own.ln(), mixed, ln_mixed_token: 0.5 * ln_rho + half_omega })
    }
}

/// ln of sqrt(omega) without a sink.
fn half_ln_omega(slopes: KeySlopes, a: f64) -> f64 {
    match slopes {
        KeySlopes::Constant => 1f64.hypot(a).ln(),
        // 1 + a + a^2 = (a + 1/2)^2 + 3/4.
        KeySlopes::Scaled => (a + 0.5).hypot(0.75f64.sqrt()).ln(),
        KeySlopes::Any => a.ln_1p(),
    }
}

/// ln of the sums over the mask.
struct Sums {
    ln_columns: f64,
    ln_rows: f64,
    ln_rho: f64,
}

impl Sums {
    /// `None` at a number of tokens other than that of a table. `ln_omega` is ln of a factor of the column sum beside
    /// which the sum over rows counts only if it is smaller.
    fn of(variant: &Variant, head: &HeadVariant, scores: &ScoreConstants, ln_n: f64, ln_omega: f64) -> Option<Self> {
        let ScoreConstants { mixed: a, range, slopes, .. } = *scores;
        let ln_sink = head.sink.map_or(f64::NEG_INFINITY, |c0| c0 - scores.top);
        // Without a sink ln_sink is minus infinity, and a row keeps all of its attention.
        let ln_rho = |ln_largest_row: f64| ln_left_by_sink(ln_sink, ln_largest_row);
        let table_size = variant.table_size();
        let is_falling = head.slope != 0.0;
        // The bias of ALiBi has closed bounds where each token sees earlier ones. Elsewhere they are exact for few tokens.
        let sees_later =
            matches!(variant.mask, Mask::None | Mask::Prefix { .. } | Mask::Window { order: Order::Free, .. });
        let n = ln_n.exp().round();
        if table_size.is_some_and(|size| size as f64 != n) {
            return None;
        }
        if table_size.is_some() || (is_falling && sees_later && n <= FEW) {
            let TableSums { ln_columns, ln_rows, ln_rho } =
                Table { variant, slope: head.slope, n: n as usize }.sums(slopes, a, range, ln_sink);
            return Some(Sums { ln_columns, ln_rows, ln_rho });
        }
        if is_falling {
            let ln_columns = distance_bias::ln_column_sum(&variant.mask, ln_n, head.slope, (range, ln_sink));
            let row = (slopes, a, range);
            return Some(Sums {
                ln_columns,
                ln_rows: distance_bias::ln_rows(&variant.mask, ln_n, head.slope, row, ln_omega + ln_columns),
                ln_rho: ln_rho(distance_bias::ln_largest_row(&variant.mask, ln_n, head.slope)),
            });
        }
        let runs = longest_column(&variant.mask, ln_n);
        Some(Sums {
            ln_columns: ln_column_sum_of(&runs, range, ln_sink),
            ln_rows: ln_rows_of(&runs, slopes, a, range),
            ln_rho: ln_rho(ln_longest_row(&variant.mask, ln_n)),
        })
    }
}

/// Up to this number of tokens the sums over ALiBi's bias are taken pair by pair.
const FEW: f64 = 256.0;
