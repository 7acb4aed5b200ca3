//! The exact norm at a few clusters of equal tokens: the witnesses of the lower bounds are such clusters.

use nalgebra::DMatrix;

use crate::attention::Normalizer;
use crate::experiment::{Attention, Scope};
use crate::jacobian::ClusterJacobian;
use crate::spectral::largest_singular_value;
use crate::weights::Weights;

/// ||J||_2 at clusters with positions (d x m) and ln of their sizes, for dot-product attention without mask and
/// normaliser; `None` if it overflows.
pub(crate) fn norm_of_clusters(weights: &Weights, positions: &DMatrix<f64>, ln_sizes: &[f64]) -> Option<f64> {
    let normalizer = Normalizer::none(positions);
    let jacobian = ClusterJacobian::new(Attention::Dot, normalizer, Scope::Inputs, weights, ln_sizes).ok()?;
    let between = jacobian.between();
    if between.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let within = jacobian.within().flatten().map(largest_singular_value).fold(0.0, f64::max);
    Some(largest_singular_value(&between).max(within))
}
