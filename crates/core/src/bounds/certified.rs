//! `certified(eps)` (ours, in the line of Havens et al., ICML 2024; docs/theory.md section 2): an upper bound on
//! ||J(X')|| for every X' with |x'_i - x_i| <= eps, for dot-product attention, without a mask and under the causal
//! mask. With y_i = A x_i:
//!
//! - delta_ij = eps |y_i| + eps |A^T (x_j - m_i)| + eps^2 ||A||, the most that score j of row i moves, apart from a
//!   shift of the whole row;
//! - U_ij = P_ij e^delta_ij / (P_ij e^delta_ij + sum_{l != j} P_il e^-delta_il) >= P'_ij;
//! - C_i = sum_j U_ij (x_j - m_i)(x_j - m_i)^T, s_i = ||V C_i V^T||^(1/2) + eps v,
//!   g_i = ||A^T C_i A||^(1/2) + eps ||A||;
//! - certified = max_i s_i g_i + (max_j sum_i U_ij (v^2 + (|y_i| + eps ||A||)^2 s_i^2))^(1/2).

use nalgebra::{DMatrix, DVector};

use super::heads::{Combination, HeadNorms, head_norms};
use super::local::shared::reduced_value;
use crate::attention::{Centred, Kernel};
use crate::experiment::{Attention, Experiment, InputError, MaskKind, Normalization, Phrase};
use crate::phrase;
use crate::spectral::largest_eigenvalue;
use crate::weights::{HeadWeights, Inputs};

/// Given tokens, with everything in their `certified` bound that does not depend on eps.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    mask: MaskKind,
    heads: Vec<Head>,
    combination: Combination,
}

#[derive(Clone, Debug)]
struct Head {
    norms: HeadNorms,
    /// Scores, n x n; column i is the row of token i.
    scores: DMatrix<f64>,
    /// `values` is R V X, where |R V z| = |O V z| for every z; `pulled` is B X, where |B z| = |A^T z|. One column per
    /// token.
    values: DMatrix<f64>,
    pulled: DMatrix<f64>,
    /// |A x_i|.
    gradients: Vec<f64>,
}

impl Neighbourhood {
    /// The neighbourhood of the tokens of an experiment, which `inputs` lists (d x n).
    ///
    /// # Errors
    /// [`InputError::Conflict`] for L2 attention, normalisers and further steps of attention, for which nothing is proved
    /// here.
    pub fn new(experiment: &Experiment, inputs: &Inputs) -> Result<Self, InputError> {
        let refused = |what: Phrase, fix: Phrase| {
            let problem = phrase!("no_certified_bound", "has no certified bound on a neighbourhood");
            Err(InputError::Conflict { what, problem, fix })
        };
        if experiment.attention != Attention::Dot {
            return refused("`attention` = \"l2\"".into(), phrase!("use_dot_attention", "Use \"attention\":\"dot\"."));
        }
        if experiment.normalization != Normalization::None {
            return refused(
                "`normalization`".into(),
                phrase!("use_normalization_none", "Use \"normalization\":\"none\"."),
            );
        }
        if !experiment.is_plain() {
            let fix = phrase!("use_plain_attention", "Leave out `score`, `weighting` and other masks.");
            return refused(phrase!("this_attention", "This attention"), fix);
        }
        let (weights, centred) = (&inputs.weights, Centred::of(&inputs.tokens));
        let heads = weights
            .heads
            .iter()
            .zip(weights.values_through_output())
            .zip(head_norms(weights))
            .map(|((head, (outer, value)), norms)| Head::new(head, reduced_value(&outer, value), norms, &centred))
            .collect();
        let combination = if weights.output.is_some() { Combination::Sum } else { Combination::RootOfSquares };
        Ok(Neighbourhood { mask: experiment.mask.kind(), heads, combination })
    }

    /// The bound on ||J|| at all tokens within eps >= 0 of these, infinite if it leaves the range of f64.
    #[must_use]
    pub fn certified(&self, eps: f64) -> f64 {
        let ln: Vec<f64> = self.heads.iter().map(|head| head.certified(self.mask, eps).ln()).collect();
        self.combination.ln_combine(&ln).exp()
    }
}

impl Head {
    fn new(head: &HeadWeights, value: DMatrix<f64>, norms: HeadNorms, centred: &Centred<'_, f64>) -> Self {
        let root = (head.q.nrows() as f64).sqrt();
        let tokens = centred.tokens();
        let kernel = Kernel::new(Attention::Dot, head.q.nrows());
        let (queries, keys) = (centred.queries(kernel, &head.q, &head.k), &head.k * tokens);
        // A^T z = Q^T K z / sqrt k. The triangular factor of Q^T in place of Q^T gives a vector of the same length.
        let tall = head.q.transpose();
        let factor = if tall.nrows() > tall.ncols() { tall.qr().r() } else { tall };
        let images = head.k.tr_mul(&queries) / root;
        Head {
            norms,
            scores: keys.tr_mul(&queries) / root,
            values: value * tokens,
            pulled: factor * &keys / root,
            gradients: images.column_iter().map(|image| image.norm()).collect(),
        }
    }

    fn certified(&self, mask: MaskKind, eps: f64) -> f64 {
        let HeadNorms { a_norm, v_norm } = self.norms;
        let n = self.scores.ncols();
        let (mut own, mut columns) = (0.0f64, vec![0.0; n]);
        for i in 0..n {
            let reach = if mask == MaskKind::Causal { i + 1 } else { n };
            let scores = &self.scores.as_slice()[i * n..i * n + reach];
            let weights = softmax(scores);
            let values = centred(&self.values, &weights);
            let pulled = centred(&self.pulled, &weights);
            let gradient = self.gradients[i];
            let moved: Vec<f64> = pulled.column_iter().map(|z| eps * (gradient + z.norm() + eps * a_norm)).collect();
            let most = largest_weights(scores, &moved);
            let second_moment = |centred: &DMatrix<f64>| {
                let mut weighted = centred.clone();
                for (mut column, weight) in weighted.column_iter_mut().zip(&most) {
                    column *= weight.sqrt();
                }
                norm(&weighted)
            };
            let s = second_moment(&values) + eps * v_norm;
            let g = second_moment(&pulled) + eps * a_norm;
            own = own.max(s * g);
            let row = v_norm * v_norm + ((gradient + eps * a_norm) * s).powi(2);
            columns.iter_mut().zip(&most).for_each(|(sum, weight)| *sum += weight * row);
        }
        own + columns.into_iter().fold(0.0, f64::max).sqrt()
    }
}

/// ||M||_2 from the smaller Gram matrix.
fn norm(matrix: &DMatrix<f64>) -> f64 {
    let gram = if matrix.nrows() < matrix.ncols() { matrix * matrix.transpose() } else { matrix.tr_mul(matrix) };
    if gram.nrows() == 1 { gram[(0, 0)].sqrt() } else { largest_eigenvalue(&gram).sqrt() }
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// The first `weights.len()` columns, minus their mean under the weights.
fn centred(columns: &DMatrix<f64>, weights: &[f64]) -> DMatrix<f64> {
    let columns = columns.columns(0, weights.len());
    let mean: DVector<f64> = columns * DVector::from_column_slice(weights);
    let mut centred = columns.into_owned();
    for mut column in centred.column_iter_mut() {
        column -= &mean;
    }
    centred
}

/// U_ij: the largest weight of each token where score l moves by at most `moved[l]`. Only positive terms are added, so
/// that a weight near one keeps its digits.
fn largest_weights(scores: &[f64], moved: &[f64]) -> Vec<f64> {
    let least: Vec<f64> = scores.iter().zip(moved).map(|(score, moved)| score - moved).collect();
    let top = least.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = least.iter().map(|score| (score - top).exp()).collect();
    let mut after = vec![0.0; powers.len() + 1];
    for (at, power) in powers.iter().enumerate().rev() {
        after[at] = after[at + 1] + power;
    }
    let mut before = 0.0;
    let mut largest = Vec::with_capacity(powers.len());
    for (at, power) in powers.iter().enumerate() {
        let others = (before + after[at + 1]) * (top - scores[at] - moved[at]).exp();
        largest.push(1.0 / (1.0 + others));
        before += power;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Stream};

    #[test]
    fn the_largest_weights_are_at_least_those_of_moved_scores_and_add_up_to_at_least_one() {
        // The proof of the bound uses that the weights of moved tokens add up to one. With the sum of the largest
        // weights in place of one, the bound would hold too, but be larger.
        let mut random = Random::new(5, Stream::Tokens);
        for (n, most_moved) in [(1, 0.5), (2, 0.0), (2, 1.0), (7, 0.1), (7, 3.0), (40, 1.0)] {
            for _ in 0..50 {
                let scores: Vec<f64> = (0..n).map(|_| 3.0 * random.normal()).collect();
                let moved: Vec<f64> = (0..n).map(|_| most_moved * random.normal().abs()).collect();
                let most = largest_weights(&scores, &moved);
                assert!(most.iter().sum::<f64>() >= 1.0 - 1e-12, "{most:?}");
                let shifted: Vec<f64> =
                    scores.iter().zip(&moved).map(|(score, moved)| score + moved * random.normal().tanh()).collect();
                for (weight, most) in softmax(&shifted).iter().zip(&most) {
                    assert!(*weight <= most * (1.0 + 1e-12), "{weight} above {most}");
                }
            }
        }
    }
}
