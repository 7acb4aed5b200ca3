//! The leading singular vectors of a measured Jacobian, and the images F(X), token by token.

use nalgebra::DMatrix;

use super::MeasureOptions;
use super::options::CLUSTER_SVD_LIMIT;
use super::system::{Clusters, Matrix, Runs, System};
use crate::extremum::largest;
use crate::jacobian::dense_jacobian;
use crate::spectral::{Lanczos, SingularTriplet, largest_singular_value, largest_triplet};
use crate::weights::Weights;

/// J v = s u with |u| = |v| = 1 and s = ||J||_2.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularPair {
    /// s.
    pub value: f64,
    /// v, d x n: the unit change of the tokens that changes the output most. For a token measure, one column per
    /// position, holding the change of one of its tokens.
    pub inputs: DMatrix<f64>,
    /// u, d_out x n: the resulting change of the outputs, divided by s.
    pub outputs: DMatrix<f64>,
}

/// The singular pair of a finished measurement; `triplet` is the result of an iteration over tokens, if there was one.
pub(super) fn singular_pair(
    system: &System,
    triplet: Option<&SingularTriplet>,
    options: &MeasureOptions,
) -> Option<SingularPair> {
    let pair = match (system, triplet) {
        (System::Clusters(clusters), _) => of_clusters(clusters, options)?,
        (System::Tokens(operator), None) => {
            let forward = operator.forward();
            let SingularTriplet { value, left, right, .. } = largest_triplet(&dense_jacobian(forward))?;
            packed(value, (&right, forward.d()), (&left, forward.d_out()))
        }
        (System::Tokens(operator), Some(SingularTriplet { value, left, right, .. })) => {
            let forward = operator.forward();
            packed(*value, (right, forward.d()), (left, forward.d_out()))
        }
        (System::Runs(runs), Some(SingularTriplet { value, left, right, .. })) => {
            let n = runs.jacobian.n();
            packed(*value, (right, right.len() / n), (left, left.len() / n))
        }
        (System::Runs(_), None) => return None,
    };
    (pair.value > 0.0 && pair.value.is_finite()).then_some(pair)
}

/// F at the tokens, d_out x n; for a token measure one column per position.
pub(super) fn images(system: &System, weights: &Weights) -> DMatrix<f64> {
    match system {
        System::Tokens(operator) => operator.forward().output(),
        System::Clusters(clusters) => {
            if let Some(outputs) = clusters.jacobian.outputs() {
                return listed(outputs, clusters);
            }
            let positions = clusters.jacobian.normalizer().outputs();
            let mut images = DMatrix::zeros(weights.d_out(), positions.ncols());
            for (head_idx, (value, out_start)) in weights.values_in_output().enumerate() {
                let mixed = positions * clusters.jacobian.masses(head_idx).transpose();
                let mut place = images.rows_mut(out_start, value.nrows());
                place += value * mixed;
            }
            listed(&images, clusters)
        }
        System::Runs(runs) => images_of_runs(runs, weights),
    }
}

fn images_of_runs(runs: &Runs, weights: &Weights) -> DMatrix<f64> {
    let positions = runs.jacobian.normalizer().outputs();
    let mut images = DMatrix::zeros(weights.d_out(), runs.jacobian.n());
    for (head_idx, (value, out_start)) in weights.values_in_output().enumerate() {
        let values = value * positions;
        let mut token = 0;
        runs.jacobian.for_rows(head_idx, |row| {
            let mut place = images.view_mut((out_start, token), (values.nrows(), 1));
            for (mass, column) in row.masses.iter().zip(values.column_iter()) {
                place += column * *mass;
            }
            token += 1;
        });
    }
    images
}

/// The pair on cluster-constant fields, with one column per listed token. `None` where a field that sums to zero inside
/// a cluster has a larger singular value.
fn of_clusters(clusters: &Clusters, options: &MeasureOptions) -> Option<SingularPair> {
    let jacobian = &clusters.jacobian;
    let between = jacobian.between();
    let (m, size) = (jacobian.ln_sizes().len(), between.nrows().max(between.ncols()));
    let SingularTriplet { value, left, right, .. } = if size <= CLUSTER_SVD_LIMIT {
        largest_triplet(&between)?
    } else {
        Lanczos::new(between.ncols(), options.lanczos).run(&mut Matrix(between))
    };
    if largest(jacobian.within().flatten().map(largest_singular_value)) > value {
        return None;
    }
    let SingularPair { inputs, outputs, .. } = packed(value, (&right, right.len() / m), (&left, left.len() / m));
    // A unit vector on clusters becomes a unit vector on tokens: the tokens of a cluster share its entry.
    let shared = |mut field: DMatrix<f64>| {
        for (mut column, ln) in field.column_iter_mut().zip(jacobian.ln_sizes()) {
            column *= (-0.5 * ln).exp();
        }
        listed(&field, clusters)
    };
    Some(SingularPair { value, inputs: shared(inputs), outputs: shared(outputs) })
}

/// Repeats the column of each position for every listed token at it.
fn listed(positions: &DMatrix<f64>, clusters: &Clusters) -> DMatrix<f64> {
    match &clusters.membership {
        Some(membership) => {
            positions.select_columns(membership.iter().map(|at| *at as usize).collect::<Vec<_>>().iter())
        }
        None => positions.clone(),
    }
}

fn packed(value: f64, (right, d): (&[f64], usize), (left, d_out): (&[f64], usize)) -> SingularPair {
    let columns = |field: &[f64], d: usize| DMatrix::from_column_slice(d, field.len() / d.max(1), field);
    SingularPair { value, inputs: columns(right, d), outputs: columns(left, d_out) }
}
