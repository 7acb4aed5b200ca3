//! Which lower bounds a variant of attention has, and what they need of the weights.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector};

use super::super::local::shared::reduced_value;
use crate::experiment::{Attention, Experiment, Mask, Normalization, Order, QkNorm, Score, Weighting};
use crate::identity::multiple_of_identity;
use crate::weights::{HeadWeights, Weights};

/// What the lower bounds on a variant need of the weights. Each is `None` where its bound does not apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct VariantWitnesses {
    /// For `equal_tokens`.
    pub(crate) equal: Option<Vec<Isotropic>>,
    /// For `zero_key`.
    pub(crate) zero_key: Option<NormalizedHead>,
    /// Which witnesses of dot-product attention serve the variant.
    pub(crate) dot: DotWitnesses,
}

/// A head with A = alpha I and V = v I.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Isotropic {
    /// alpha > 0.
    pub(crate) alpha: f64,
    /// |v|.
    pub(crate) value: f64,
}

/// A head whose queries and keys are normalised.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NormalizedHead {
    /// The normaliser of queries and keys.
    pub(crate) norm: QkNorm,
    /// c.
    pub(crate) scale: f64,
    /// k x d.
    pub(crate) k: DMatrix<f64>,
    /// ||V||.
    pub(crate) value: f64,
    /// Q u, K u and |V u| for some unit vectors u, and u itself.
    pub(crate) images: Vec<Images>,
}

/// A unit vector u under the matrices of a head.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Images {
    pub(crate) query: DVector<f64>,
    pub(crate) key: DVector<f64>,
    pub(crate) value: f64,
}

impl VariantWitnesses {
    /// The parts for an experiment with these weights, whose heads have the norms ||O_h V|| in `values`.
    pub(crate) fn of(experiment: &Experiment, weights: &Weights, values: &[f64]) -> Self {
        let dot = DotWitnesses::of(experiment, weights);
        let Score { softcap, rope, value_norm, .. } = &experiment.score;
        let is_bare = experiment.normalization == Normalization::None
            && experiment.mask == Mask::None
            && !experiment.score.knows_positions()
            && rope.is_none()
            && softcap.is_none()
            && value_norm.is_none()
            && weights.heads.iter().all(|head| head.second.is_none());
        if !is_bare {
            return VariantWitnesses { dot, ..VariantWitnesses::default() };
        }
        let is_dot = experiment.attention == Attention::Dot && experiment.score.qk_norm.is_none();
        VariantWitnesses {
            dot,
            equal: (is_dot && experiment.weighting.is_elementwise()).then(|| isotropic(experiment, weights)).flatten(),
            zero_key: (experiment.weighting == Weighting::SOFTMAX)
                .then(|| normalized_head(experiment, weights, values))
                .flatten(),
        }
    }
}

/// All heads as multiples of the identity with alpha > 0, without an output matrix.
fn isotropic(experiment: &Experiment, weights: &Weights) -> Option<Vec<Isotropic>> {
    let of = |head: &HeadWeights| {
        let [q, k, v] = [&head.q, &head.k, &head.v].map(multiple_of_identity);
        let alpha = experiment.scale_of(head.q.nrows()) * q? * k?;
        (alpha > 0.0).then_some(Isotropic { alpha, value: v?.abs() })
    };
    if weights.output.is_some() { None } else { weights.heads.iter().map(of).collect() }
}

/// The head with the largest ||V||, if queries and keys are normalised. In the sum of several heads through an output
/// matrix the others may cancel it, so that there is none then.
fn normalized_head(experiment: &Experiment, weights: &Weights, values: &[f64]) -> Option<NormalizedHead> {
    let norm = experiment.vector_norm()?;
    if weights.output.is_some() && weights.heads.len() > 1 {
        return None;
    }
    let head_idx = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]))?;
    let (outer, value) = weights.values_through_output().nth(head_idx)?;
    let value = reduced_value(&outer, value);
    let head = &weights.heads[head_idx];
    let images = directions(&[&value, &head.q, &head.k]).into_iter().map(|u| Images {
        query: &head.q * &u,
        key: &head.k * &u,
        value: (&value * &u).norm(),
    });
    Some(NormalizedHead {
        norm,
        scale: experiment.scale_of(head.q.nrows()),
        images: images.collect(),
        k: head.k.clone(),
        value: values[head_idx],
    })
}

/// Unit vectors that matrices with d columns stretch most, and the first one of the basis.
fn directions(matrices: &[&DMatrix<f64>]) -> Vec<DVector<f64>> {
    let d = matrices[0].ncols();
    let first = DVector::from_fn(d, |row, _| f64::from(u8::from(row == 0)));
    let stretched = matrices.iter().filter_map(|matrix| {
        let scale = matrix.amax();
        if matrix.nrows() > MOST_ROWS || !(scale.is_finite() && scale > 0.0) {
            return None;
        }
        let scaled = *matrix / scale;
        let eigen = (&scaled * scaled.transpose()).symmetric_eigen();
        let u = scaled.tr_mul(&eigen.eigenvectors.column(eigen.eigenvalues.imax()));
        (u.norm() > 0.0).then(|| u.normalize())
    });
    stretched.chain([first.clone()]).collect()
}

/// A decomposition of more rows than this takes too long for a candidate.
const MOST_ROWS: usize = 256;

/// Which witnesses of dot-product attention serve a variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DotWitnesses {
    /// None.
    #[default]
    Absent,
    /// The fork, whose closed form holds under a cap and with a sink.
    Fork,
    /// Adversarial tokens in one window.
    Window,
}

impl DotWitnesses {
    /// The witnesses for an experiment that is not plain.
    pub(crate) fn of(experiment: &Experiment, weights: &Weights) -> Self {
        let score = &experiment.score;
        let is_dot = experiment.attention == Attention::Dot
            && experiment.normalization == Normalization::None
            && score.qk_norm.is_none()
            && !score.knows_positions()
            && score.value_norm.is_none()
            && !experiment.weighting.is_elementwise()
            && weights.heads.iter().all(|head| head.second.is_none());
        let is_bare = score.softcap.is_none() && experiment.weighting == Weighting::SOFTMAX;
        let is_mixed = weights.output.is_some() && weights.heads.len() > 1;
        match &experiment.mask {
            Mask::None if is_dot && !is_mixed => DotWitnesses::Fork,
            Mask::Window { order: Order::Causal, .. } if is_dot && is_bare => DotWitnesses::Window,
            _ => DotWitnesses::Absent,
        }
    }
}

/// Weights with Q times c sqrt(k), so that A = K^T Q/sqrt(k) holds for them.
pub(crate) fn with_scale<'a>(experiment: &Experiment, weights: &'a Weights) -> Cow<'a, Weights> {
    let Some(scale) = experiment.score.scale else { return Cow::Borrowed(weights) };
    let mut scaled = weights.clone();
    for head in &mut scaled.heads {
        head.q *= scale * (head.q.nrows() as f64).sqrt();
    }
    Cow::Owned(scaled)
}
