//! A variant of attention as the bounds on the ball see it: which steps act on scores and weights, and norms of the
//! matrices of each head. It holds no radius and no number of tokens, apart from those of its tables.

use nalgebra::DMatrix;

use super::exponents::Exponents;
use super::heads::HeadNorms;
use super::lower::variant_witnesses::VariantWitnesses;
use crate::attention::{Rotary, Rotation};
use crate::experiment::{Attention, Experiment, Mask, Rope, Rows, VectorNorm, Weighting};
use crate::spectral::{largest_singular_value, norm_of_product};
use crate::weights::{HeadWeights, Weights};

/// The steps of a variant, and the norms of its heads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variant {
    /// How queries and keys make a score.
    pub(crate) scores: Scores,
    /// tau of the cap.
    pub(crate) softcap: Option<f64>,
    /// The bias that a table gives each pair of tokens, n x n.
    pub(crate) bias: Option<Rows>,
    /// Which tokens a token may attend to.
    pub(crate) mask: Mask,
    /// How scores become weights.
    pub(crate) weighting: Weighting,
    /// eps of the normaliser of values.
    pub(crate) value_norm: Option<f64>,
    /// The heads.
    pub(crate) heads: Vec<HeadVariant>,
    /// ||O||_2 of the output matrix.
    pub(crate) output_norm: Option<f64>,
    /// What the lower bounds need of the weights.
    pub(crate) witnesses: VariantWitnesses,
}

/// How queries and keys make a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scores {
    /// c q.k.
    Dot,
    /// c q.k with queries and keys turned by their positions.
    Rope,
    /// c q.k with normalised queries and keys, turned or not.
    Normalized {
        /// What the vectors are divided by.
        kind: VectorNorm,
        /// Its eps.
        eps: f64,
        /// Largest gain of a query.
        q_gain: f64,
        /// Largest gain of a key.
        k_gain: f64,
    },
    /// -c |q - k|^2.
    L2,
    /// ln(phi(q).phi(k)).
    Linear,
}

/// The constants of one head.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeadVariant {
    /// ||V||_2.
    pub(crate) value: f64,
    /// ||O_h V||_2, or ||V||_2 without an output matrix.
    pub(crate) outer_value: f64,
    /// h of the bias -h |i - j|; 0 without ALiBi.
    pub(crate) slope: f64,
    /// c0 of the sink.
    pub(crate) sink: Option<f64>,
    /// The map, and for differential attention the one that is subtracted.
    pub(crate) maps: Vec<MapNorms>,
}

/// The constants of one map P(Q, K).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapNorms {
    /// 1, or |lambda| of the map that is subtracted.
    pub(crate) share: f64,
    /// The number of entries of a query.
    pub(crate) k: f64,
    /// c.
    pub(crate) scale: f64,
    /// c ||K^T Q||_2.
    pub(crate) a_norm: f64,
    /// The exponents of c K^T Q, for dot-product scores.
    pub(crate) exponents: Exponents,
    /// ||Q||_2 and ||K||_2; infinite where no bound needs them.
    pub(crate) q_norm: f64,
    pub(crate) k_norm: f64,
    /// For RoPE and t = 0, 1, ..: the largest ||A_s|| over s = 0..t and over s = -t..0, A_s = c K^T T(s) Q. Empty where
    /// it is not computed.
    pub(crate) by_offset: [Vec<f64>; 2],
}

/// ||A_t|| is computed for |t| below this number, for heads whose Q has at most [`MOST_ENTRIES`] entries; elsewhere
/// c ||Q|| ||K|| stands for it.
const OFFSETS: usize = 16;
const MOST_ENTRIES: usize = 1024;

impl Variant {
    /// The variant of an experiment with these weights, whose heads have the norms `norms` and, with the scale of the
    /// scores, the exponents `exponents`.
    pub(crate) fn of(experiment: &Experiment, weights: &Weights, norms: &[HeadNorms], exponents: &[Exponents]) -> Self {
        let score = &experiment.score;
        let scores = scores_of(experiment);
        let count = weights.heads.len();
        let heads = weights.heads.iter().zip(norms).enumerate().map(|(head_idx, (head, norms))| HeadVariant {
            value: if weights.output.is_some() { largest_singular_value(&head.v) } else { norms.v_norm },
            outer_value: norms.v_norm,
            slope: score.alibi.as_ref().map_or(0.0, |alibi| alibi.slope(head_idx, count)),
            sink: experiment.weighting.sink_of(head_idx),
            maps: maps_of(experiment, scores, head, (norms.a_norm, exponents[head_idx])),
        });
        let values: Vec<f64> = norms.iter().map(|norms| norms.v_norm).collect();
        Variant {
            scores,
            witnesses: VariantWitnesses::of(experiment, weights, &values),
            softcap: score.softcap,
            bias: score.bias.clone(),
            mask: experiment.mask.clone(),
            weighting: experiment.weighting.clone(),
            value_norm: score.value_norm,
            heads: heads.collect(),
            output_norm: weights.output.as_ref().map(largest_singular_value),
        }
    }

    /// The number of tokens of its tables, if it has one.
    pub(crate) fn table_size(&self) -> Option<usize> {
        let of_mask = match &self.mask {
            Mask::Padding { keys, .. } => Some(keys.len()),
            Mask::Allowed(rows) => Some(rows.n_rows()),
            Mask::None | Mask::Causal | Mask::Window { .. } | Mask::Prefix { .. } => None,
        };
        of_mask.or_else(|| self.bias.as_ref().map(Rows::n_rows))
    }

    /// Whether the attention is dot-product attention with at most a mask and a scale.
    pub(crate) fn has_only_scale(&self) -> bool {
        let is_bare = self.softcap.is_none() && self.value_norm.is_none() && self.weighting == Weighting::SOFTMAX;
        let has_one_map = self.heads.iter().all(|head| head.maps.len() == 1 && head.slope == 0.0);
        self.scores == Scores::Dot && is_bare && self.bias.is_none() && has_one_map
    }
}

fn scores_of(experiment: &Experiment) -> Scores {
    match (experiment.attention, experiment.vector_norm()) {
        (Attention::L2, _) => Scores::L2,
        (Attention::Linear, _) => Scores::Linear,
        (_, Some(norm)) => Scores::Normalized {
            kind: norm.kind,
            eps: norm.eps,
            q_gain: norm.q_gain.largest(),
            k_gain: norm.k_gain.largest(),
        },
        (_, None) if experiment.score.rope.is_some() => Scores::Rope,
        (_, None) => Scores::Dot,
    }
}

/// The maps of a head, from ||K^T Q||_2/sqrt(k) and the exponents of its first map.
fn maps_of(
    experiment: &Experiment,
    scores: Scores,
    head: &HeadWeights,
    (plain_a, exponents): (f64, Exponents),
) -> Vec<MapNorms> {
    let first = map_of(experiment, scores, (&head.q, &head.k), 1.0, Some(plain_a));
    let mut maps = vec![MapNorms { exponents, ..first }];
    if let Some(second) = &head.second {
        maps.push(map_of(experiment, scores, (&second.q, &second.k), second.lambda.abs(), None));
    }
    maps
}

fn map_of(
    experiment: &Experiment,
    scores: Scores,
    (q, k): (&DMatrix<f64>, &DMatrix<f64>),
    share: f64,
    plain_a: Option<f64>,
) -> MapNorms {
    let (entries, scale) = (q.nrows(), experiment.scale_of(q.nrows()));
    let root = (entries as f64).sqrt();
    let plain_a = plain_a.unwrap_or_else(|| norm_of_product(k, q) / root);
    let norm =
        |matrix: &DMatrix<f64>| if scores == Scores::Dot { f64::INFINITY } else { largest_singular_value(matrix) };
    // Without a scale of its own the head's ||A|| is taken as it is, so that it keeps its digits.
    let a_norm =
        if experiment.score.scale.is_none() && scores == Scores::Dot { plain_a } else { plain_a * root * scale };
    let by_offset = match experiment.score.rope {
        Some(rope) if scores == Scores::Rope && q.len() <= MOST_ENTRIES => offsets(rope, scale, q, k),
        _ => [Vec::new(), Vec::new()],
    };
    let exponents = Exponents::of_norm(a_norm);
    MapNorms { share, k: entries as f64, scale, a_norm, exponents, q_norm: norm(q), k_norm: norm(k), by_offset }
}

/// The largest ||c K^T T(s) Q||_2 over s = 0..t and over s = -t..0, for each t below [`OFFSETS`].
fn offsets(rope: Rope, scale: f64, q: &DMatrix<f64>, k: &DMatrix<f64>) -> [Vec<f64>; 2] {
    let rotation: Rotation<f64> = Rotation::of(&Rotary::Formula(rope), q.nrows(), OFFSETS);
    [Rotation::apply, Rotation::apply_transpose].map(|turn: fn(&Rotation<f64>, usize, &mut [f64])| {
        let norm = |t: usize| {
            let mut turned = q.clone();
            turned.column_iter_mut().for_each(|mut column| turn(&rotation, t, column.as_mut_slice()));
            scale * norm_of_product(k, &turned)
        };
        let largest = |most: &mut f64, norm: f64| {
            *most = most.max(norm);
            Some(*most)
        };
        (0..OFFSETS).map(norm).scan(0.0f64, largest).collect()
    })
}
