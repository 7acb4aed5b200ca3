//! Sums over a mask or a bias that is a table, in O(n^2) (ours, docs/theory.md, "Sums over the mask").

use super::super::variant::Variant;
use super::row_mass::{KeySlopes, ln_any_length, ln_long};
use crate::bounds::logarithms::{ln_add, ln_sum, softplus};
use crate::extremum::{largest, maximum};

/// The tokens of each row and their bias, for one head.
pub(crate) struct Table<'a> {
    pub(crate) variant: &'a Variant,
    /// h of ALiBi.
    pub(crate) slope: f64,
    /// The number of tokens.
    pub(crate) n: usize,
}

/// ln of the sums over a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TableSums {
    /// ln S.
    pub(crate) ln_columns: f64,
    /// ln of max_j sum_(i: j in N_i) min(G, F(a, H_i)/|N_i|).
    pub(crate) ln_rows: f64,
    /// ln rho: the largest part of a row's attention that the sink leaves to the tokens.
    pub(crate) ln_rho: f64,
}

impl Table<'_> {
    /// The tokens that token i may attend to, with their bias.
    pub(crate) fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let Variant { mask, bias, .. } = self.variant;
        (0..self.n).filter(move |j| mask.allows(i, *j)).map(move |j| {
            let given = bias.as_ref().map_or(0.0, |rows| rows.entries()[i * rows.n_columns() + j]);
            (j, given - self.slope * i.abs_diff(j) as f64)
        })
    }

    /// The sums for scores with the constants of `general`: b_ij, a_m, 2 kappa and c0 - s+.
    pub(crate) fn sums(&self, slopes: KeySlopes, a: f64, range: f64, ln_sink: f64) -> TableSums {
        let (mut columns, mut rows) = (vec![0.0f64; self.n], vec![0.0f64; self.n]);
        let ln_short = ln_any_length(slopes, a);
        // e^-range and 1 - e^-range: 1/pi_ij = 1 - e^-range + e^-range Z_i e^-B_ij + e^(ln_sink - B_ij).
        let ln_rest = (-(-range).exp_m1()).ln();
        let mut ln_rho = f64::NEG_INFINITY;
        let mut known: Option<((usize, f64), f64)> = None;
        for i in 0..self.n {
            let row = self.row(i);
            let length = row.clone().count();
            if length == 0 {
                continue;
            }
            let (low, high) = row
                .clone()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, bias)| (bias.min(low), bias.max(high)));
            // Over the largest bias of the row: one of 10^9 in common would take the digits of the sum.
            let ln_z = ln_sum(row.clone().map(|(_, bias)| bias - high));
            ln_rho = maximum(ln_rho, ln_left_by_sink(ln_sink - high, ln_z));
            let ln_ratio = range + (high - low);
            // Rows of the same length and range have the same F, which takes a search.
            let ln_long = match known {
                Some((key, value)) if key == (length, ln_ratio) => value,
                _ => ln_long(slopes, a, ln_ratio),
            };
            known = Some(((length, ln_ratio), ln_long));
            let of_row = ln_short.min(ln_long - (length as f64).ln()).exp();
            for (j, bias) in row {
                let ln_inverse = ln_add(ln_add(ln_rest, ln_z + (high - bias) - range), ln_sink - bias);
                // Without rounding it is at least 1; a number that overflowed to NaN leaves the weight its limit, 1.
                columns[j] += (-ln_inverse.max(0.0)).exp();
                rows[j] += of_row;
            }
        }
        let ln_most = |sums: &[f64]| largest(sums.iter().copied()).ln();
        TableSums { ln_columns: ln_most(&columns), ln_rows: ln_most(&rows), ln_rho }
    }
}

/// ln rho from c0 - s+ and ln of max_i sum_(l in N_i) e^(B_il): the largest part of a row's attention that the sink
/// leaves to the tokens.
pub(crate) fn ln_left_by_sink(ln_sink: f64, ln_largest_row: f64) -> f64 {
    -softplus(ln_sink - ln_largest_row)
}
