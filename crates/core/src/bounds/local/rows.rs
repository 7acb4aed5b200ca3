//! What the rows of a head add up to, and the bounds `local`, `local_token` and `local_blocks` of all heads together.
//!
//! Every formula for the terms of a row, the general one and that of the dot product, adds its rows here.

use super::super::heads::Combination;
use super::blocks::{self, Blocks};
use crate::extremum::{largest, or_infinity};

/// Below this, a term U_ij w_i may have lost digits to underflow.
const LEAST_WEIGHTED: f64 = 1e-250;
/// The unit of the roots of such terms.
const SMALL: f64 = 1e-240;

/// The terms of a row i, or of a row that stands for several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowTerms {
    /// The root of w_i = ||sum_j B_ij B_ij^T/U_ij||.
    pub(crate) root_w: f64,
    /// An upper bound on ||O_i||.
    pub(crate) own: f64,
    /// sum_j U_ij.
    pub(crate) row_sum: f64,
    /// The largest |b_ij|^2.
    pub(crate) gradient_square: f64,
    /// |b_i|^2 tr C_i, for the dot product; otherwise 0.
    pub(crate) spread: f64,
    /// ln(max_j P_ij / min_j P_ij).
    pub(crate) ln_ratio: f64,
}

/// Sums and maxima over the rows of a head.
#[derive(Clone, Debug)]
pub(crate) struct RowSums {
    /// sum_i U_ij and sum_i U_ij w_i of each column. Terms of the second sum that may underflow are added [`SMALL`]^-2 times
    /// as large apart from the others.
    columns: Vec<f64>,
    weighted_columns: Vec<f64>,
    small_columns: Vec<f64>,
    own: f64,
    w: f64,
    token: f64,
    gradient_square: f64,
    spread: f64,
    ln_ratio: f64,
}

impl RowSums {
    /// No rows, of this many columns.
    pub(crate) fn new(columns: usize) -> Self {
        RowSums {
            columns: vec![0.0; columns],
            weighted_columns: vec![0.0; columns],
            small_columns: vec![0.0; columns],
            own: 0.0,
            w: 0.0,
            token: 0.0,
            gradient_square: 0.0,
            spread: 0.0,
            ln_ratio: 0.0,
        }
    }

    /// Adds a row. `shares` gives, for the first `reach` columns, the attention U that one token of the column receives
    /// from all rows that this row stands for.
    pub(crate) fn add(&mut self, row: RowTerms, reach: usize, shares: impl Fn(usize) -> f64) {
        let RowTerms { root_w, own, row_sum, gradient_square, spread, ln_ratio } = row;
        let w = root_w * root_w;
        for j in 0..reach {
            let share = shares(j);
            self.columns[j] += share;
            let weighted = share * w;
            if weighted < LEAST_WEIGHTED && share > 0.0 && root_w > 0.0 {
                let root = share.sqrt() * root_w / SMALL;
                self.small_columns[j] += root * root;
            } else {
                self.weighted_columns[j] += weighted;
            }
        }
        self.raise(&RowSums {
            columns: Vec::new(),
            weighted_columns: Vec::new(),
            small_columns: Vec::new(),
            own,
            w,
            token: own + root_w * row_sum.sqrt(),
            gradient_square,
            spread,
            ln_ratio,
        });
    }

    /// Adds the rows of another sum.
    pub(crate) fn append(&mut self, next: &RowSums) {
        let add = |sums: &mut [f64], more: &[f64]| sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        add(&mut self.columns, &next.columns);
        add(&mut self.weighted_columns, &next.weighted_columns);
        add(&mut self.small_columns, &next.small_columns);
        self.raise(next);
    }

    fn raise(&mut self, next: &RowSums) {
        let pairs = [
            (&mut self.own, next.own),
            (&mut self.w, next.w),
            (&mut self.token, next.token),
            (&mut self.gradient_square, next.gradient_square),
            (&mut self.spread, next.spread),
        ];
        for (most, x) in pairs {
            *most = largest([*most, x]);
        }
        // A row of equal scores has 0, and a row without weights NaN: neither raises the ratio.
        self.ln_ratio = self.ln_ratio.max(next.ln_ratio);
    }

    /// The largest ||O_i|| of the rows added so far.
    pub(crate) fn own(&self) -> f64 {
        self.own
    }

    /// The largest sum_i U_ij.
    pub(crate) fn largest_column_sum(&self) -> f64 {
        largest(self.columns.iter().copied())
    }

    /// `local` and `local_token` of the head.
    pub(crate) fn bounds(&self) -> (f64, f64) {
        (self.own + self.mixed(), self.token)
    }

    /// sqrt(max_j sum_i U_ij w_i).
    fn mixed(&self) -> f64 {
        // The root of a sum is at most the sum of the roots.
        largest(self.weighted_columns.iter().copied()).sqrt()
            + SMALL * largest(self.small_columns.iter().copied()).sqrt()
    }

    fn parts(&self, head_idx: usize) -> LocalParts {
        let mixed = self.mixed();
        LocalParts {
            value: self.own + mixed,
            token: self.token,
            head_idx,
            own: self.own,
            mixed,
            column_sum: self.largest_column_sum(),
            w: self.w,
            gradient_square: self.gradient_square,
            spread: self.spread,
            ln_ratio: self.ln_ratio,
            ..LocalParts::default()
        }
    }
}

/// How far rounding may have moved the Jacobian of a head: upper bounds on norms of the difference between the Jacobian
/// as computed and the exact one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rounded {
    /// The spectral norm.
    pub(crate) spectral: f64,
    /// The norm over the largest token.
    pub(crate) token: f64,
    /// The spectral norm of the change by rounding the numbers of the input to 16 digits, to first order.
    pub(crate) of_input: f64,
}

/// All rows of a head.
#[derive(Clone, Debug)]
pub(crate) struct HeadSums {
    pub(crate) sums: RowSums,
    pub(crate) rounded: Rounded,
    /// The matrix of `local_blocks`, if there is one.
    pub(crate) blocks: Option<Blocks>,
    /// What rounding may take from the terms of the bounds, relative to them.
    pub(crate) evaluation: f64,
}

/// The bounds over all heads, with the terms of the head with the largest bound. To each bound on the Jacobian as it is
/// computed, the most that rounding may have moved the Jacobian is added.
pub(crate) fn combine(heads: Vec<HeadSums>, combination: Combination) -> LocalParts {
    let parts: Vec<LocalParts> = heads.iter().enumerate().map(|(head_idx, head)| head.sums.parts(head_idx)).collect();
    let together = |numbers: &mut dyn Iterator<Item = f64>| {
        let ln: Vec<f64> = numbers.map(f64::ln).collect();
        if ln.iter().any(|ln| ln.is_nan()) { f64::INFINITY } else { combination.ln_combine(&ln).exp() }
    };
    let of_heads = |of: fn(&Rounded) -> f64| together(&mut heads.iter().map(|head| of(&head.rounded)));
    let rounding = of_heads(|rounded| rounded.spectral);
    let token_rounding = of_heads(|rounded| rounded.token);
    let of_input = of_heads(|rounded| rounded.of_input);
    let factor = 1.0 + largest(heads.iter().map(|head| head.evaluation));
    let widened = |bound: f64, rounding: f64| or_infinity(bound * factor + rounding);
    let most_own: Vec<f64> = parts.iter().map(|parts| parts.own).collect();
    let blocks: Option<Vec<Blocks>> = heads.into_iter().map(|head| head.blocks).collect();
    let blocks = blocks.map(|blocks| widened(blocks::norm(&blocks, combination, &most_own), rounding));
    let value = widened(together(&mut parts.iter().map(|parts| parts.value)), rounding);
    let token = widened(together(&mut parts.iter().map(|parts| parts.token)), token_rounding);
    let largest_column_sum = largest(parts.iter().map(|parts| parts.column_sum));
    let largest = parts.into_iter().max_by(|a, b| a.value.total_cmp(&b.value)).unwrap_or_default();
    LocalParts {
        value,
        token,
        rounding: or_infinity(rounding),
        token_rounding: or_infinity(token_rounding),
        of_input,
        blocks,
        largest_column_sum,
        ..largest
    }
}

/// The terms of `local` for the head with the largest bound; `value`, `token`, `rounding`, `of_input`, `blocks` and
/// `largest_column_sum` are over all heads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalParts {
    /// The bound over all heads, with what rounding may add, without the normaliser's factor; infinite where it could not
    /// be computed.
    pub value: f64,
    /// The bound `local_token` over all heads, with what rounding may add, without the normaliser's factor.
    pub token: f64,
    /// As `rounding`, in the norm over the largest token.
    pub token_rounding: f64,
    /// The head that the other fields describe.
    pub head_idx: usize,
    /// max_i ||O_i||.
    pub own: f64,
    /// sqrt(max_j sum_i U_ij w_i).
    pub mixed: f64,
    /// max_j sum_i U_ij, the most attention that one token receives.
    pub column_sum: f64,
    /// The largest `column_sum` of all heads.
    pub largest_column_sum: f64,
    /// max_i w_i.
    pub w: f64,
    /// max_ij |b_ij|^2, with b the gradient of the score in the key token.
    pub gradient_square: f64,
    /// max_i |b_i|^2 tr C_i: the variance of the tokens under row i of P, times the squared gradient. For the dot product.
    pub spread: f64,
    /// max_i ln(max_j P_ij / min_j P_ij): the range of the scores in a row; infinite where attention underflows.
    pub ln_ratio: f64,
    /// An upper bound on the spectral norm of the difference between the Jacobian as computed and the exact one, without
    /// the normaliser's factor: the rounding of scores, weights, gradients and values.
    pub rounding: f64,
    /// The most by which rounding the input's numbers to 16 digits may change J, to first order.
    pub of_input: f64,
    /// The bound `local_blocks` over all heads, without the normaliser's factor; `None` for runs of equal tokens, and
    /// where its matrices would be too large.
    pub blocks: Option<f64>,
}
