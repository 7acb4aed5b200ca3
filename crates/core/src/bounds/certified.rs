//! `certified(eps)` (ours, in the line of Havens et al., ICML 2024; docs/theory.md section 2): an upper bound on
//! ||J(X')|| for every X' with |x'_i - x_i| <= eps, for dot-product attention under any mask. With y_i = A x_i:
//!
//! - delta_ij = eps |y_i| + eps |A^T (x_j - m_i)| + eps^2 ||A||, the most that score j of row i moves, apart from a
//!   shift of the whole row;
//! - U_ij = P_ij e^delta_ij / (P_ij e^delta_ij + sum_{l != j} P_il e^-delta_il) >= P'_ij;
//! - C_i = sum_j U_ij (x_j - m_i)(x_j - m_i)^T, s_i = ||V C_i V^T||^(1/2) + eps v,
//!   g_i = ||A^T C_i A||^(1/2) + eps ||A||;
//! - certified = max_i s_i g_i + (max_j sum_i U_ij (v^2 + (|y_i| + eps ||A||)^2 s_i^2))^(1/2).
//!
//! A bias b of the queries adds K^T b/sqrt(k) to y_i. A constant that is added to a score enters P alone. Biases of keys and
//! values do not enter the Jacobian. Several heads behind an output matrix have the smaller of the sum of their bounds and
//! the bound of [`StackedValues`].

use nalgebra::{DMatrix, DVector};

use super::heads::{Combination, HeadNorms, head_norms_at};
use super::local::rounding::{gamma, norm_bound};
use super::local::shared::reduced_value;
use super::stacked_values::StackedValues;
use crate::attention::{Centred, DistanceBias, Kernel};
use crate::experiment::{Attention, Experiment, InputError, Mask, Normalization, Phrase};
use crate::extremum::{largest, maximum, minimum, or_infinity};
use crate::phrase;
use crate::qr::without_more_rows;
use crate::spectral::{column_lengths, norm_from_gram};
use crate::tokens::largest_norm;
use crate::weights::{HeadWeights, Inputs, Weights};

/// Given tokens, with everything in their `certified` bound that does not depend on eps.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    mask: Mask,
    heads: Vec<Head>,
    combination: Combination,
    stacked: Option<StackedValues>,
}

/// Attention that `certified` is proved for: head h has the scores (Q_h x_i + b_h).(K_h x_j)/sqrt(k) + B_h,ij and the usual
/// softmax over what the mask allows.
#[derive(Clone, Copy, Debug)]
pub struct DotAttention<'a> {
    /// Q_h, K_h, V_h and the output matrix.
    pub weights: &'a Weights,
    /// b_h, k numbers for each head; empty without biases.
    pub query_biases: &'a [DVector<f64>],
    /// B_h,ij by the distance of the tokens.
    pub score_biases: &'a DistanceBias,
    /// Which tokens a token attends to.
    pub mask: &'a Mask,
}

/// `certified(eps)` of the heads and of all together; infinite where a number leaves the range of f64.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedHeads {
    /// The bound of each head through its part of the output matrix.
    pub heads: Vec<f64>,
    /// The heads' bounds added, or without an output matrix the root of the sum of their squares.
    pub added: f64,
    /// The heads behind an output matrix taken together (`StackedValues`); `None` where that does not apply.
    pub together: Option<f64>,
}

impl CertifiedHeads {
    /// The bound of all heads: the smaller of the two.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.together.map_or(self.added, |together| minimum(together, self.added))
    }
}

#[derive(Clone, Debug)]
struct Head {
    norms: HeadNorms,
    /// W X with V = T W, where the rows of W are orthonormal; `None` where the heads are not taken together.
    directions: Option<DMatrix<f64>>,
    /// Scores, n x n; column i is the row of token i.
    scores: DMatrix<f64>,
    /// `values` is R V X, where |R V z| = |O V z| for every z; `pulled` is B X, where |B z| = |A^T z|. One column per
    /// token.
    values: DMatrix<f64>,
    pulled: DMatrix<f64>,
    /// |A x_i|.
    gradients: Vec<f64>,
    rounding: Rounding,
}

/// How far rounding may move the terms of a head: docs/numerics.md, "Rounding".
#[derive(Clone, Debug)]
struct Rounding {
    /// Sums relative to the sum of their sizes.
    gamma: f64,
    /// A difference of two tokens, in length.
    tokens: f64,
    /// A score of each row, but for a number that all scores of the row have in common.
    scores: Vec<f64>,
    /// |A x_i|.
    gradients: Vec<f64>,
}

impl Rounding {
    fn new(head: &HeadWeights, queries: &DMatrix<f64>, centred: &Centred<'_, f64>, value_rows: usize) -> Self {
        let (d, n) = centred.tokens().shape();
        let gamma = gamma((n + d + 2 * head.q.nrows() + value_rows + 32) as f64);
        let most = largest(column_lengths(centred.tokens()));
        let scale = 1.0 / (head.q.nrows() as f64).sqrt();
        let (query, key) = (norm_bound(&head.q), norm_bound(&head.k));
        // The errors of a query and of its product with the keys.
        let sizes: Vec<f64> =
            column_lengths(queries).map(|q| scale * key * (q + query * (most + centred.centre_norm()))).collect();
        Rounding {
            gamma,
            tokens: 2.0 * gamma * most,
            scores: sizes.iter().map(|size| 2.0 * gamma * size * most).collect(),
            gradients: sizes.iter().map(|size| gamma * size).collect(),
        }
    }
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
        let attention = DotAttention {
            weights: &inputs.weights,
            query_biases: &[],
            score_biases: &DistanceBias::None,
            mask: &experiment.mask,
        };
        Ok(Neighbourhood::of_attention(attention, &inputs.tokens))
    }

    /// The neighbourhood of tokens, d x n.
    #[must_use]
    pub fn of_attention(attention: DotAttention<'_>, tokens: &DMatrix<f64>) -> Self {
        let DotAttention { weights, query_biases, score_biases, mask } = attention;
        let centred = Centred::of(tokens);
        let (stacked, bases) = StackedValues::of(weights).unzip();
        let of_head = |h: usize, norms: HeadNorms, outer: &DMatrix<f64>, value: &DMatrix<f64>| {
            let basis = bases.as_ref().map(|bases| &bases[h]);
            let values = (reduced_value(outer, value), basis);
            let mut head = Head::new((&weights.heads[h], query_biases.get(h)), values, norms, &centred);
            let n = tokens.ncols();
            for (i, scores) in head.scores.as_mut_slice().chunks_exact_mut(n.max(1)).enumerate() {
                score_biases.add(h, i, scores);
            }
            head
        };
        let heads = weights
            .values_through_output()
            .zip(head_norms_at(weights, largest_norm(tokens)))
            .enumerate()
            .map(|(h, ((outer, value), norms))| of_head(h, norms, &outer, value))
            .collect();
        let combination = if weights.output.is_some() { Combination::Sum } else { Combination::RootOfSquares };
        Neighbourhood { mask: mask.clone(), heads, combination, stacked }
    }

    /// The bound on ||J|| at all tokens within eps >= 0 of these, infinite if it leaves the range of f64.
    #[must_use]
    pub fn certified(&self, eps: f64) -> f64 {
        self.certified_heads(eps).value()
    }

    /// The bounds of the heads, and of all together, at all tokens within eps >= 0 of these.
    #[must_use]
    pub fn certified_heads(&self, eps: f64) -> CertifiedHeads {
        let found: Vec<HeadBounds> = self.heads.iter().map(|head| head.certified(&self.mask, eps)).collect();
        let heads: Vec<f64> = found.iter().map(|found| found.through_output).collect();
        let together = self.stacked.as_ref().map(|stacked| {
            let of_directions: Vec<f64> = found.iter().map(|found| found.of_directions).collect();
            let norms: Vec<f64> = self.heads.iter().map(|head| head.norms.v_norm).collect();
            stacked.combine(&of_directions, &norms)
        });
        CertifiedHeads { added: or_infinity(self.combination.combine(&heads)), heads, together }
    }
}

/// `certified(eps)` of one head with O V and, where the heads are taken together, with the rows of W in place of V.
struct HeadBounds {
    through_output: f64,
    of_directions: f64,
}

impl Head {
    fn new(
        (head, query_bias): (&HeadWeights, Option<&DVector<f64>>),
        (value, basis): (DMatrix<f64>, Option<&DMatrix<f64>>),
        norms: HeadNorms,
        centred: &Centred<'_, f64>,
    ) -> Self {
        let root = (head.q.nrows() as f64).sqrt();
        let tokens = centred.tokens();
        let kernel = Kernel::new(Attention::Dot, head.q.nrows());
        let (mut queries, keys) = (centred.queries(kernel, &head.q, &head.k), &head.k * tokens);
        if let Some(bias) = query_bias {
            queries.column_iter_mut().for_each(|mut query| query += bias);
        }
        // A^T z = Q^T K z / sqrt k. The triangular factor of Q^T in place of Q^T gives a vector of the same length.
        let tall = head.q.transpose();
        let factor = without_more_rows(tall);
        let images = head.k.tr_mul(&queries) / root;
        let rounding = Rounding::new(head, &queries, centred, value.nrows());
        Head {
            rounding,
            norms,
            directions: basis.map(|basis| basis * tokens),
            scores: keys.tr_mul(&queries) / root,
            values: value * tokens,
            pulled: factor * &keys / root,
            gradients: column_lengths(&images).collect(),
        }
    }

    fn certified(&self, mask: &Mask, eps: f64) -> HeadBounds {
        let (HeadNorms { a_norm, v_norm }, rounding) = (self.norms, &self.rounding);
        let n = self.scores.ncols();
        let mut through_output = OverRows::new(n);
        let mut of_directions = OverRows::new(n);
        for i in 0..n {
            let seen: Vec<usize> = (0..mask.reach(i, n)).filter(|j| mask.allows(i, *j)).collect();
            let scores: Vec<f64> = seen.iter().map(|j| self.scores[(*j, i)]).collect();
            let weights = softmax(&scores);
            let about_mean = |columns: &DMatrix<f64>| centred(columns.select_columns(&seen), &weights);
            let pulled = about_mean(&self.pulled);
            let gradient = self.gradients[i] + rounding.gradients[i];
            let moved: Vec<f64> =
                column_lengths(&pulled).map(|z| eps * (gradient + z + eps * a_norm) + rounding.scores[i]).collect();
            let most = largest_weights(&scores, &moved);
            // Rounding moves a difference of tokens as a neighbourhood of this size does.
            let near = eps + rounding.tokens;
            let g = second_moment(pulled, &most) + near * a_norm;
            let most_gradient = gradient + eps * a_norm;
            let s = second_moment(about_mean(&self.values), &most) + near * v_norm;
            through_output.add((&seen, &most), (s * g, v_norm.hypot(most_gradient * s)));
            if let Some(directions) = &self.directions {
                let s = second_moment(about_mean(directions), &most) + near;
                of_directions.add((&seen, &most), (s * g, 1f64.hypot(most_gradient * s)));
            }
        }
        let rounded = |bound: f64| bound * (1.0 + 4.0 * rounding.gamma);
        HeadBounds { through_output: rounded(through_output.bound()), of_directions: rounded(of_directions.bound()) }
    }
}

/// The largest own part of a row, and for each column the root of the sum of the squares of the mixed parts. It is added up
/// as a length, so that no square underflows.
struct OverRows {
    own: f64,
    columns: Vec<f64>,
}

impl OverRows {
    fn new(n: usize) -> Self {
        OverRows { own: 0.0, columns: vec![0.0; n] }
    }

    fn add(&mut self, (seen, most): (&[usize], &[f64]), (own, mixed): (f64, f64)) {
        self.own = maximum(self.own, own);
        seen.iter().zip(most).for_each(|(j, weight)| self.columns[*j] = self.columns[*j].hypot(weight.sqrt() * mixed));
    }

    fn bound(&self) -> f64 {
        or_infinity(self.own + largest(self.columns.iter().copied()))
    }
}

/// ||sum_j w_j z_j z_j^T||^(1/2) of columns z_j.
fn second_moment(mut columns: DMatrix<f64>, weights: &[f64]) -> f64 {
    for (mut column, weight) in columns.column_iter_mut().zip(weights) {
        column *= weight.sqrt();
    }
    norm_from_gram(&columns)
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, maximum);
    let powers: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// The columns, minus their mean under the weights.
fn centred(mut columns: DMatrix<f64>, weights: &[f64]) -> DMatrix<f64> {
    let mean: DVector<f64> = &columns * DVector::from_column_slice(weights);
    for mut column in columns.column_iter_mut() {
        column -= &mean;
    }
    columns
}

/// U_ij: the largest weight of each token where score l moves by at most `moved[l]`. Only positive terms are added, so
/// that a weight near one keeps its digits.
fn largest_weights(scores: &[f64], moved: &[f64]) -> Vec<f64> {
    let least: Vec<f64> = scores.iter().zip(moved).map(|(score, moved)| score - moved).collect();
    let top = least.iter().copied().fold(f64::NEG_INFINITY, maximum);
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
    fn a_part_of_a_row_that_is_nan_makes_the_bound_infinite() {
        for (own, mixed) in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::NAN, f64::NAN)] {
            let mut rows = OverRows::new(2);
            rows.add((&[0, 1], &[0.5, 0.5]), (1.0, 1.0));
            rows.add((&[0, 1], &[0.5, 0.5]), (own, mixed));
            rows.add((&[0, 1], &[0.5, 0.5]), (1.0, 1.0));
            assert_eq!(rows.bound(), f64::INFINITY, "{own} {mixed}");
        }
    }

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
