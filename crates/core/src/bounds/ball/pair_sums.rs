//! The sums of `elementwise` and `elementwise_token` (ours, docs/theory.md section 6), upper bounds on the ball where each
//! weight depends on its own score alone (sigmoid, ReLU, softplus). With p_ij >= P_ij the weight at score s+ and d_ij the largest
//! slope of the weight between the lowest and the highest score, bias included, and T = [p_ij + d_ij a_m]:
//!
//! - `elementwise`: v (a_o max_i sum_j d_ij + (max row sum of T, times max column sum of T)^(1/2));
//! - `elementwise_token`: v max_i sum_j (p_ij + d_ij (a_m + a_o)).
//!
//! With normalised values v p_ij becomes p_ij v/sqrt(eps), and v d_ij becomes d_ij B/R, B = min(1, v R/sqrt(eps)).

use super::super::Hypotheses;
use super::super::logarithms::{ln_add, sigmoid, softplus};
use super::super::variant::{HeadVariant, MapNorms, Variant};
use super::row_lengths::ln_longest_row;
use super::score_constants::ScoreConstants;
use super::table_sums::Table;
use super::variant_heads::single_map;
use crate::experiment::{Mask, Order, Weighting};
use crate::extremum::{largest, maximum, minimum};

/// Own and mixed part of `elementwise`, then `elementwise_token`, of a head with one map, v = 1.
pub(crate) fn parts(hypotheses: &Hypotheses, head_idx: usize) -> Option<[f64; 3]> {
    let (variant, head, map) = single_map(hypotheses, head_idx)?;
    let sums = Sums::of(variant, head, map, hypotheses.radius, hypotheses.ln_n)?;
    Some([sums.ln_own, 0.5 * (sums.ln_row + sums.ln_column), sums.ln_token].map(f64::exp))
}

/// The largest weight and the largest slope of one pair of tokens.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) weight: f64,
    pub(crate) slope: f64,
}

/// A weight as a function of its score.
#[derive(Clone, Copy)]
pub(crate) enum Curve {
    /// 1/(1 + e^-(s + bias)).
    Sigmoid { bias: f64 },
    /// max(s, 0)/divisor.
    Relu { divisor: f64 },
    /// ln(1 + e^s)/divisor.
    Softplus { divisor: f64 },
}

impl Curve {
    /// The function at e^ln_n tokens, on which its defaults depend; `None` for softmax.
    pub(crate) fn of(weighting: &Weighting, ln_n: f64) -> Option<Self> {
        let divided = |divisor: &Option<f64>| divisor.unwrap_or(ln_n.exp());
        Some(match weighting {
            Weighting::Softmax { .. } => return None,
            Weighting::Sigmoid { bias } => Curve::Sigmoid { bias: bias.unwrap_or(-ln_n) },
            Weighting::Relu { divisor } => Curve::Relu { divisor: divided(divisor) },
            Weighting::Softplus { divisor } => Curve::Softplus { divisor: divided(divisor) },
        })
    }

    /// The largest weight and slope where the score, bias included, is between `low` and `high`.
    pub(crate) fn largest(self, low: f64, high: f64) -> Pair {
        match self {
            Curve::Sigmoid { bias } => {
                // The slope is sigma(s) sigma(-s), largest at 0.
                let nearest = minimum(maximum(0.0, low + bias), high + bias);
                Pair { weight: sigmoid(high + bias), slope: sigmoid(nearest) * sigmoid(-nearest) }
            }
            Curve::Relu { divisor } => {
                Pair { weight: maximum(high, 0.0) / divisor, slope: if high <= 0.0 { 0.0 } else { 1.0 / divisor } }
            }
            Curve::Softplus { divisor } => Pair { weight: softplus(high) / divisor, slope: sigmoid(high) / divisor },
        }
    }
}

/// ln of the sums over rows and columns.
pub(crate) struct Sums {
    /// a_o max_i sum_j d_ij.
    pub(crate) ln_own: f64,
    /// The largest row sum and column sum of T.
    pub(crate) ln_row: f64,
    pub(crate) ln_column: f64,
    /// max_i sum_j (p_ij + d_ij (a_m + a_o)).
    pub(crate) ln_token: f64,
}

impl Sums {
    pub(crate) fn of(variant: &Variant, head: &HeadVariant, map: &MapNorms, r: f64, ln_n: f64) -> Option<Self> {
        let curve = Curve::of(&variant.weighting, ln_n)?;
        let scores = ScoreConstants::of(variant, head, map, r, ln_n);
        // Without a normaliser of values v stands outside. With one, a value has a slope of at most v/sqrt(eps), and a
        // length of at most B = min(1, v R/sqrt(eps)), here over R.
        let (slope, length) = variant.value_norm.map_or((1.0, 1.0), |eps| {
            let slope = head.value / eps.sqrt();
            (slope, slope.min(1.0 / r))
        });
        let (own, mixed) = (length * scores.whole_own, length * scores.mixed);
        let largest = |low: f64, high: f64| {
            let pair = curve.largest(low, high);
            Pair { weight: slope * pair.weight, ..pair }
        };
        let pair = |bias: f64| largest(scores.bottom + bias, scores.top + bias);
        let n = ln_n.exp().round();
        let size = variant.table_size();
        if size.is_some_and(|size| size as f64 != n) {
            return None;
        }
        if size.is_some() || (head.slope != 0.0 && n <= FEW) {
            let table = Table { variant, slope: head.slope, n: n as usize };
            return Some(of_table(&table, pair, own, mixed));
        }
        let logs = |pair: Pair| [pair.weight.ln(), pair.slope.ln()];
        let (of_row, of_column) = if head.slope == 0.0 {
            let (each, ln_count) = (logs(pair(0.0)), ln_longest_row(&variant.mask, ln_n));
            // A mask that is no table has columns as long as its rows.
            let of_line = each.map(|ln| ln + ln_count);
            (of_line, of_line)
        } else {
            // The slope is replaced by the largest at this distance and further away, so that it falls with the distance.
            let falling = |distance: f64| largest(f64::NEG_INFINITY, scores.top - head.slope * distance);
            let (row, column) = longest_row_and_column(&variant.mask, ln_n);
            let sums = |sides: [f64; 2]| {
                // The own token, at distance 0, is on both sides.
                let ([one, other], own) = (sides.map(|count| sum_over_distances(count, falling)), falling(0.0));
                logs(Pair {
                    weight: one.weight + other.weight - own.weight,
                    slope: one.slope + other.slope - own.slope,
                })
            };
            (sums(row), sums(column))
        };
        let total = |[weight, slope]: [f64; 2], factor: f64| ln_add(weight, slope + factor.ln());
        Some(Sums {
            ln_own: own.ln() + of_row[1],
            ln_row: total(of_row, mixed),
            ln_column: total(of_column, mixed),
            ln_token: total(of_row, mixed + own),
        })
    }
}

fn of_table(table: &Table, pair: impl Fn(f64) -> Pair, own: f64, mixed: f64) -> Sums {
    let mut columns = vec![0.0f64; table.n];
    let (mut slopes, mut rows, mut token) = (0.0f64, 0.0f64, 0.0f64);
    for i in 0..table.n {
        let (mut weight, mut slope) = (0.0, 0.0);
        for (j, bias) in table.row(i) {
            let pair = pair(bias);
            weight += pair.weight;
            slope += pair.slope;
            columns[j] += pair.weight + pair.slope * mixed;
        }
        slopes = maximum(slopes, slope);
        rows = maximum(rows, weight + slope * mixed);
        token = maximum(token, weight + slope * (mixed + own));
    }
    let column = largest(columns);
    Sums { ln_own: (own * slopes).ln(), ln_row: rows.ln(), ln_column: column.ln(), ln_token: token.ln() }
}

/// For a mask that is no table: the numbers of tokens on the two sides, itself included, of the row that sees most and of
/// the column that most see. Where a row sees as many on both sides as there are tokens, the numbers are those of both
/// halves: with a bias that falls with the distance no other row has a larger sum.
fn longest_row_and_column(mask: &Mask, ln_n: f64) -> ([f64; 2], [f64; 2]) {
    let n = ln_n.exp();
    let halves = |most: f64| {
        let back = (0.5 * (most + 1.0)).ceil();
        [back, most + 1.0 - back]
    };
    match mask {
        Mask::None | Mask::Padding { .. } | Mask::Allowed(_) => (halves(n), halves(n)),
        Mask::Causal => ([n, 1.0], [n, 1.0]),
        Mask::Window { width, order: Order::Causal } => {
            let width = n.min(*width as f64);
            ([width, 1.0], [width, 1.0])
        }
        Mask::Window { width, order: Order::Free } => {
            let most = n.min(2.0 * *width as f64 - 1.0);
            (halves(most), halves(most))
        }
        // A row in the prefix sees both sides, and so does a column; no row or column sees more than these.
        Mask::Prefix { length } => {
            let length = n.min(*length as f64).max(1.0);
            ([n, length], [n, length])
        }
    }
}

/// The sum of the pairs at the distances 0 .. count - 1, or an upper bound on it: distances up to [`EXACT`] one by one,
/// later ones many at a time, with the pair at the nearest of them. Pairs fall with the distance, in the end like
/// e^(-h distance).
fn sum_over_distances(count: f64, pair: impl Fn(f64) -> Pair) -> Pair {
    let mut sum = Pair { weight: 0.0, slope: 0.0 };
    let mut from = 0.0;
    while from < count {
        let block = if from < EXACT { 1.0 } else { (from / PARTS).floor().min(count - from) };
        let Pair { weight, slope } = pair(from);
        sum.weight += block * weight;
        sum.slope += block * slope;
        if block * (weight + slope) <= NOTHING * (sum.weight + sum.slope) {
            break;
        }
        from += block;
    }
    sum
}

/// Up to this number of tokens sums over ALiBi's bias are taken pair by pair.
const FEW: f64 = 256.0;
/// Distances that are taken one by one, and the number of blocks in which a number of distances is taken after them.
const EXACT: f64 = 4096.0;
const PARTS: f64 = 64.0;
/// Distances from which on all others add less than rounding.
const NOTHING: f64 = 1e-20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_are_nan_have_no_largest_weight_and_slope() {
        let curves = [Curve::Sigmoid { bias: 0.0 }, Curve::Relu { divisor: 4.0 }, Curve::Softplus { divisor: 4.0 }];
        for curve in curves {
            let Pair { weight, slope } = curve.largest(-1.0, 1.0);
            assert!(weight > 0.0 && slope > 0.0);
            assert!(curve.largest(-1.0, f64::NAN).weight.is_nan());
        }
    }
}
