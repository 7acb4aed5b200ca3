//! The lengths |N_i| of the rows that meet the longest column of a mask, and sums over them (ours, docs/theory.md, "Sums
//! over the mask"). They are closed, so that n may be as large as f64 allows.

use super::column_sums::{HEAD, ln_column_sum, ln_masked_column_sum};
use super::row_mass::{KeySlopes, ln_any_length, ln_long};
use crate::bounds::logarithms::{ln_subtract, ln_sum};
use crate::experiment::{Mask, Order};

/// Rows that meet a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowRun {
    /// e^ln_count rows of length e^ln_length.
    Same {
        /// ln of their number.
        ln_count: f64,
        /// ln of their length.
        ln_length: f64,
    },
    /// One row of each length above e^ln_below, up to e^ln_last.
    Each {
        /// ln of the length below the first.
        ln_below: f64,
        /// ln of the last length.
        ln_last: f64,
    },
}

impl RowRun {
    /// Rows of the lengths 1 to e^ln_last.
    pub(crate) fn up_to(ln_last: f64) -> Self {
        RowRun::Each { ln_below: f64::NEG_INFINITY, ln_last }
    }
}

/// The rows that meet the longest column of a mask over e^ln_n tokens, for a mask that is no table: no other column has a
/// larger sum of any function of the lengths that does not grow with them. Empty for tables.
pub(crate) fn longest_column(mask: &Mask, ln_n: f64) -> Vec<RowRun> {
    let n = whole(ln_n);
    let shorter = |size: f64| if size < n { size.ln() } else { ln_n };
    match mask {
        Mask::None => vec![RowRun::Same { ln_count: ln_n, ln_length: ln_n }],
        Mask::Causal => vec![RowRun::up_to(ln_n)],
        // Rows 1 to min(n, W) meet column 1. Other columns meet as many rows at most, and longer ones.
        Mask::Window { width, order: Order::Causal } => vec![RowRun::up_to(shorter(*width as f64))],
        Mask::Window { width, order: Order::Free } => free_window(ln_n, *width as f64),
        // Every row sees the first columns; row i has max(i, length) entries.
        Mask::Prefix { length } => {
            let ln_length = shorter((*length as f64).max(1.0));
            let mut runs = vec![RowRun::Same { ln_count: ln_length, ln_length }];
            if ln_length < ln_n {
                runs.push(RowRun::Each { ln_below: ln_length, ln_last: ln_n });
            }
            runs
        }
        Mask::Padding { .. } | Mask::Allowed(_) => Vec::new(),
    }
}

/// ln of the longest row of a mask that is no table.
pub(crate) fn ln_longest_row(mask: &Mask, ln_n: f64) -> f64 {
    match mask {
        Mask::Window { width, order: Order::Causal } => (*width as f64).ln().min(ln_n),
        Mask::Window { width, order: Order::Free } => (2.0 * *width as f64 - 1.0).ln().min(ln_n),
        _ => ln_n,
    }
}

/// The longest column of the window |i - j| < W is column W, or the last one where n < W: it meets the rows 1 to
/// min(n, 2W - 1). Row i has min(n, i + W - 1) - max(0, i - W) entries, so that rows near the ends are shorter, and of
/// all columns that meet 2W - 1 rows the first has the shortest ones.
fn free_window(ln_n: f64, width: f64) -> Vec<RowRun> {
    let n = whole(ln_n);
    if n <= width {
        return vec![RowRun::Same { ln_count: ln_n, ln_length: ln_n }];
    }
    let last = n.min(2.0 * width - 1.0);
    // Rows up to `grown` grow, one entry a row. The rows up to `level` that follow them have one length, and later rows
    // shrink.
    let (grown, shrinking) = (width.min(n - width + 1.0), width.max(n - width + 1.0).min(last));
    let mut runs = vec![RowRun::Each { ln_below: (width - 1.0).ln(), ln_last: (grown + width - 1.0).ln() }];
    if shrinking > grown {
        let level = if width <= n - width + 1.0 { 2.0 * width - 1.0 } else { n };
        runs.push(RowRun::Same { ln_count: (shrinking - grown).ln(), ln_length: level.ln() });
    }
    if last > shrinking {
        // Row i has n - i + W entries.
        let (longest, shortest) = (n - shrinking - 1.0 + width, n - last + width);
        runs.push(RowRun::Each { ln_below: (shortest - 1.0).ln(), ln_last: longest.ln() });
    }
    runs
}

fn whole(ln_n: f64) -> f64 {
    if ln_n < 34.0 { ln_n.exp().round() } else { ln_n.exp() }
}

/// ln of the sum over the rows of 1/(1 + (length - 1) e^-range + e^ln_sink): with the largest range of scores no weight
/// in the column is larger, and so no column sum. `ln_sink` is c0 - s+, minus infinity without a sink.
pub(crate) fn ln_column_sum_of(runs: &[RowRun], range: f64, ln_sink: f64) -> f64 {
    // With D = 1 + e^ln_sink the term is 1/D times 1/(1 + (length - 1) e^-range/D).
    let ln_d = crate::bounds::logarithms::softplus(ln_sink);
    let half = 0.5 * (range + ln_d);
    let sums = runs.iter().map(|run| match *run {
        RowRun::Same { ln_count, ln_length } => ln_column_sum(ln_length, half) + ln_ratio(ln_count, ln_length),
        RowRun::Each { ln_below, ln_last } => {
            let below = if ln_below < 0.0 { f64::NEG_INFINITY } else { ln_masked_column_sum(ln_below, half) };
            ln_subtract(ln_masked_column_sum(ln_last, half), below)
        }
    });
    ln_of_sums(sums) - ln_d
}

/// ln of the sum over the rows of min(G, F/length), where the weights of a row are within a factor e^range of each other.
pub(crate) fn ln_rows_of(runs: &[RowRun], slopes: KeySlopes, a: f64, range: f64) -> f64 {
    let (short, long) = (ln_any_length(slopes, a), ln_long(slopes, a, range));
    ln_of_sums(runs.iter().map(|run| match *run {
        RowRun::Same { ln_count, ln_length } => (ln_count + short).min(long + ln_ratio(ln_count, ln_length)),
        RowRun::Each { ln_below, ln_last } => {
            let below = if ln_below < 0.0 { f64::NEG_INFINITY } else { ln_sum_of_rows(ln_below, short, long) };
            ln_subtract(ln_sum_of_rows(ln_last, short, long), below)
        }
    }))
}

/// ln(count/length), also where both are infinite.
fn ln_ratio(ln_count: f64, ln_length: f64) -> f64 {
    if ln_count == ln_length { 0.0 } else { ln_count - ln_length }
}

/// ln of a sum; a single term keeps its digits.
fn ln_of_sums(sums: impl Iterator<Item = f64> + Clone) -> f64 {
    let mut terms = sums.clone();
    match (terms.next(), terms.next()) {
        (Some(only), None) => only,
        _ => ln_sum(sums),
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
}
