//! The weights of a row of one attention map, and how many tokens each column stands for.

use nalgebra::{DMatrix, DMatrixView, DVector};

use crate::attention::Forward;
use crate::extremum::largest;

/// How many tokens a column stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Multiplicities {
    /// One.
    One,
    /// The tokens of a cluster; natural logarithms of their numbers.
    Ln(Vec<f64>),
}

impl Multiplicities {
    /// N_a/N_b.
    pub(super) fn ratio(&self, a: usize, b: usize) -> f64 {
        match self {
            Multiplicities::One => 1.0,
            Multiplicities::Ln(ln) => (ln[a] - ln[b]).exp(),
        }
    }

    /// N_b.
    pub(super) fn count(&self, b: usize) -> f64 {
        match self {
            Multiplicities::One => 1.0,
            Multiplicities::Ln(ln) => ln[b].exp(),
        }
    }

    /// ln N_b.
    pub(super) fn ln(&self, b: usize) -> f64 {
        match self {
            Multiplicities::One => 0.0,
            Multiplicities::Ln(ln) => ln[b],
        }
    }

    /// The largest |ln N_b|.
    pub(super) fn most_ln(&self) -> f64 {
        match self {
            Multiplicities::One => 0.0,
            Multiplicities::Ln(ln) => largest(ln.iter().map(|ln| ln.abs())),
        }
    }
}

/// The weights of a row of one map, each of all tokens that the column stands for together.
#[derive(Debug)]
pub(crate) struct RowWeights {
    /// P_ij.
    pub(super) weights: Vec<f64>,
    /// What the gradient of the score is multiplied by to give that of the weight's logarithm, D_ij/P_ij.
    pub(super) slopes: Vec<f64>,
    /// ln P_ij of one token of each column.
    pub(super) ln_weights: Vec<f64>,
    /// The share of the sink.
    pub(super) sink_share: f64,
}

impl RowWeights {
    /// Those of a forward pass whose columns stand for that many tokens.
    pub(super) fn from_forward(
        forward: &Forward<f64>,
        sizes: &Multiplicities,
        (map_idx, i): (usize, usize),
        buffer: &mut [f64],
    ) -> Self {
        let reach = forward.reach(&(i..i + 1));
        let is_elementwise = forward.steps.weigh.is_elementwise();
        let block = forward.rows_of_p(map_idx, i..i + 1, buffer);
        let weights = &block.weights[..reach];
        let sink_share = forward.sink_shares.get(map_idx).map_or(0.0, |shares| shares[i]);
        let slope = |j: usize| match (is_elementwise, block.slopes.get(j)) {
            (_, None) => 1.0,
            // What an underflowed weight is multiplied by does not count.
            (false, Some(slope)) => {
                if weights[j] == 0.0 {
                    0.0
                } else {
                    *slope
                }
            }
            // A weight and a slope of zero belong to a token that the row does not see.
            (true, Some(slope)) => {
                if *slope == 0.0 {
                    0.0
                } else {
                    slope / weights[j]
                }
            }
        };
        // The weights of softmax at a token measure are those of all tokens at a position.
        let count = |j: usize| if is_elementwise { sizes.count(j) } else { 1.0 };
        let ln = |j: usize| weights[j].ln() - if is_elementwise { 0.0 } else { sizes.ln(j) };
        RowWeights {
            weights: (0..reach).map(|j| if weights[j] == 0.0 { 0.0 } else { count(j) * weights[j] }).collect(),
            slopes: (0..reach).map(slope).collect(),
            ln_weights: (0..reach).map(ln).collect(),
            sink_share,
        }
    }

    /// The token with the largest weight; `None` where the sink has a larger one.
    pub(super) fn pivot(&self) -> Option<usize> {
        let top = (0..self.weights.len()).max_by(|a, b| self.weights[*a].total_cmp(&self.weights[*b]));
        top.filter(|top| self.weights[*top] >= self.sink_share)
    }

    /// Those of softmax of plain scores: `shares` of one token of each column, `weights` of all of them.
    pub(crate) fn from_softmax(weights: &[f64], shares: &[f64]) -> Self {
        RowWeights {
            weights: weights.to_vec(),
            slopes: vec![1.0; weights.len()],
            ln_weights: shares.iter().map(|share| share.ln()).collect(),
            sink_share: 0.0,
        }
    }
}

/// w_j - mu_i of the values, d_v x reach: from differences from the value of the largest weight, so that a common part of
/// the values costs no digits. Elementwise weights have mu_i = 0.
pub(super) fn centred_values(values: &DMatrixView<'_, f64>, row: &RowWeights, is_elementwise: bool) -> DMatrix<f64> {
    let mut centred = values.clone_owned();
    if is_elementwise || row.weights.is_empty() {
        return centred;
    }
    // A sink with the largest weight has the value 0.
    let at_top = row.pivot().map_or_else(|| DVector::zeros(values.nrows()), |top| values.column(top).clone_owned());
    centred.column_iter_mut().for_each(|mut column| column -= &at_top);
    let mut mean = DVector::zeros(values.nrows());
    centred.column_iter().zip(&row.weights).for_each(|(column, p)| mean.axpy(*p, &column, 1.0));
    // mu_i = w_top + mean - (1 - sum of the weights) w_top.
    mean.axpy(-row.sink_share, &at_top, 1.0);
    centred.column_iter_mut().for_each(|mut column| column -= &mean);
    centred
}
