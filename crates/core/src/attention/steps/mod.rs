//! The steps of attention beside projections, dot-product or L2 scores and the usual softmax. docs/theory.md, "Attention
//! as it is run today".
//!
//! | file | step | value, derivative and adjoint |
//! | --- | --- | --- |
//! | `vector_norm` | qk-norm, cosine scores, normalised values | N(z) = z/s, times a gain |
//! | `rope` | rotary positions | T(i) q_i |
//! | `feature` | linear attention | phi = elu + 1 |
//! | `vector_maps` | all of these, in their order, on the stacked projections | |
//! | `squash` | soft cap, logarithm | s <- tau tanh(s/tau), s <- ln s, with their slopes |
//! | `bias` | ALiBi, a matrix, distances | s_ij <- s_ij + B_ij, slope 1 |
//! | `weigh` | softmax with a sink, sigmoid, relu, softplus | P and its slopes |
//!
//! A step that is absent is not run: attention without steps takes the code and keeps the digits that it had before
//! there were any.

mod bias;
mod feature;
mod rope;
mod squash;
mod vector_maps;
mod vector_norm;
mod weigh;

use bias::Bias;
pub use bias::DistanceBias;
pub use rope::Rotary;
pub(crate) use rope::{Rotation, TurningPair};
pub(crate) use squash::Squash;
use vector_maps::VectorSteps;
pub(crate) use vector_maps::{VectorMaps, all_rows};
pub(crate) use vector_norm::Normed;
pub(super) use weigh::Weighed;
pub(crate) use weigh::{Elementwise, Weigh};

use super::centred::Offsets;
use super::view::Scalar;
use crate::experiment::{Attention, Experiment, Mask, QkNorm, Score, Weighting};

/// The steps of a trained model between the projections and the weights of softmax attention, the same for all heads but
/// for the sinks; their numbers come from its files. The default has none: softmax of the plain scores. An experiment
/// describes the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenSteps {
    /// The normaliser of queries and keys, before they turn; gains of k entries.
    pub norm: Option<QkNorm>,
    /// A normaliser of all queries of a token together, and of all its keys, before they turn; gains of H k and of G k
    /// entries.
    pub wide_norm: Option<QkNorm>,
    /// The rotation of queries and keys; its pairs lie within the k entries of a head.
    pub rotary: Option<Rotary>,
    /// tau of s <- tau tanh(s/tau), above 0.
    pub softcap: Option<f64>,
    /// What is added to the scores after the soft cap.
    pub bias: DistanceBias,
    /// c0 of each head, the score of a place whose value is 0; empty without sinks.
    pub sinks: Vec<f64>,
}

/// The steps of an experiment at its number of tokens, or of a trained model.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    vectors: VectorSteps,
    pub(crate) squash: Squash,
    bias: Bias,
    pub(crate) weigh: Weigh,
}

impl Steps {
    /// The steps that a trained model gives.
    pub(super) fn given(steps: &GivenSteps) -> Self {
        let GivenSteps { norm, wide_norm, rotary, softcap, bias, sinks } = steps;
        Steps {
            vectors: VectorSteps {
                norm: norm.clone(),
                wide_norm: wide_norm.clone(),
                rotary: rotary.clone(),
                ..VectorSteps::default()
            },
            squash: softcap.map_or(Squash::Absent, |tau| Squash::Cap { tau }),
            bias: Bias::given(bias.clone()),
            weigh: Weigh::Softmax { sinks: sinks.clone() },
        }
    }

    /// The steps of attention with this score and weighting, `heads` heads and e^ln_n tokens.
    pub(crate) fn of((attention, score, weighting): (Attention, &Score, &Weighting), heads: usize, ln_n: f64) -> Self {
        Steps {
            vectors: VectorSteps {
                norm: attention.vector_norm(score),
                wide_norm: None,
                rotary: score.rope.map(Rotary::Formula),
                has_feature: attention == Attention::Linear,
                value_eps: score.value_norm,
            },
            squash: match score.softcap {
                _ if attention == Attention::Linear => Squash::Log,
                Some(tau) => Squash::Cap { tau },
                None => Squash::Absent,
            },
            bias: Bias::of(score, heads),
            weigh: Weigh::of(weighting, heads, ln_n),
        }
    }

    /// The same steps at a token measure with ln N_j tokens at each position: with softmax, P_ij is then the weight of
    /// all tokens at position j.
    pub(super) fn at_measure(self, ln_sizes: &[f64]) -> Self {
        if self.weigh.is_elementwise() { self } else { Steps { bias: self.bias.with_sizes(ln_sizes), ..self } }
    }

    /// Whether a constant added to all scores of a row changes the weights: then the L2 kernel needs |q_i|^2, and the
    /// tokens may not lose their common part.
    pub(crate) fn knows_row_constants(&self) -> bool {
        self.squash != Squash::Absent || !self.weigh.is_default()
    }

    /// Whether the Jacobian is that of the plain formulas at these weights P: no step has a slope of its own, and every
    /// row of P that is not empty sums to 1.
    pub(crate) fn have_plain_jacobian(&self) -> bool {
        self.vectors.are_absent() && !self.knows_row_constants()
    }

    /// Whether weights are those of the usual softmax of plain scores.
    pub(super) fn have_plain_weights(&self) -> bool {
        !self.knows_row_constants() && self.bias.is_absent()
    }

    /// What is added to the first `reach` scores of row i of a head, for softmax less what all of them have in common; `None`
    /// where nothing is.
    pub(crate) fn biases(
        &self,
        (head_idx, i): (usize, usize),
        reach: usize,
        allows: impl Fn(usize) -> bool,
    ) -> Option<Vec<f64>> {
        if self.bias.is_absent() {
            return None;
        }
        let mut biases = vec![0.0; reach];
        if self.weigh.is_elementwise() {
            self.bias.add(head_idx, i, &mut biases);
        } else {
            self.bias.add_but_common((head_idx, i), &mut biases, allows);
        }
        Some(biases)
    }

    /// Whether products with the Jacobian need a slope for each weight beside the weight itself.
    pub(crate) fn have_slopes(&self) -> bool {
        self.squash != Squash::Absent || self.weigh.is_elementwise()
    }

    /// What the common part of all tokens counts for.
    pub(super) fn offsets(&self, is_l2: bool, mask: &Mask) -> Offsets {
        // L2 scores are those of q_i - k_j, and softmax of plain dot products ignores what all keys have in common.
        if !self.vectors.are_absent() || (!is_l2 && self.knows_row_constants()) {
            Offsets::Kept
        } else if self.knows_row_constants() || mask.has_empty_rows() {
            // The output of an empty row is zero whatever the common value is.
            Offsets::InValues
        } else {
            Offsets::Ignored
        }
    }

    /// The steps that turn queries, keys and values.
    pub(super) fn vectors(&self) -> &VectorSteps {
        &self.vectors
    }

    /// The normaliser of values: its eps.
    pub(crate) fn value_eps(&self) -> Option<f64> {
        self.vectors.value_eps
    }

    /// The normaliser of queries and keys, and the rotation.
    pub(crate) fn norm_and_rotary(&self) -> (Option<&QkNorm>, Option<&Rotary>) {
        (self.vectors.norm.as_ref(), self.vectors.rotary.as_ref())
    }

    /// The normaliser of all queries together, and of all keys.
    pub(crate) fn wide_norm(&self) -> Option<&QkNorm> {
        self.vectors.wide_norm.as_ref()
    }

    /// Turns the scores of row i of a head into those that become weights, in place.
    pub(super) fn finish_scores(&self, (head_idx, i): (usize, usize), scores: &mut [f64]) {
        self.squash.apply(scores, &mut []);
        self.bias.add(head_idx, i, scores);
    }

    /// Turns the scores of row i of a head into weights, in place. Writes the slopes, unless `slopes` is empty.
    pub(super) fn weigh_row<T: Scalar>(
        &self,
        (head_idx, i): (usize, usize),
        scores: &mut [T],
        slopes: &mut [T],
        allows: impl Fn(usize) -> bool,
    ) -> Weighed<T> {
        self.squash.apply(scores, slopes);
        if self.weigh.is_elementwise() {
            self.bias.add(head_idx, i, scores);
            return self.weigh.apply(head_idx, 0.0, scores, slopes, allows);
        }
        let common = self.bias.add_but_common((head_idx, i), scores, &allows);
        self.weigh.apply(head_idx, common, scores, slopes, allows)
    }
}

/// How many numbers are stored for each pair of tokens and each map of a head: its weight, and its slope where an
/// experiment's steps have one.
pub(crate) fn stored_a_pair(experiment: &Experiment) -> u64 {
    let Experiment { attention, score, weighting, .. } = experiment;
    let has_slopes = *attention == Attention::Linear || score.softcap.is_some() || weighting.is_elementwise();
    1 + u64::from(has_slopes)
}
