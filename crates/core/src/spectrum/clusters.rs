//! The spectrum at a token measure: the values on cluster-constant fields, once each, and the values inside a cluster
//! of N tokens, N - 1 times each (docs/theory.md section 3).

use nalgebra::DMatrix;

use super::pair::{energies, largest_energies};
use super::{Level, Places, TopBlock, TopPair};
use crate::jacobian::ClusterJacobian;
use crate::spectral::{SingularTriplet, largest_singular_value, singular_values};

/// The singular values on fields that sum to zero inside a cluster.
#[derive(Default)]
pub(super) struct Within {
    /// Those of V O_a, each with multiplicity N_a - 1.
    pub(super) levels: Vec<Level>,
    /// The largest of them with its cluster.
    pub(super) largest: Option<(f64, usize)>,
}

/// The singular values inside clusters; `None` if an entry is not finite or a decomposition does not converge.
pub(super) fn within(jacobian: &ClusterJacobian) -> Option<Within> {
    let Within { mut levels, mut largest } = Within::default();
    for (place, (own, ln_size)) in jacobian.within().zip(jacobian.ln_sizes()).enumerate() {
        let Some(own) = own else { continue };
        let multiplicity = times(*ln_size) - 1.0;
        let values = singular_values(own)?;
        if let Some(first) = values.first().filter(|first| largest.is_none_or(|(value, _)| **first > value)) {
            largest = Some((*first, place));
        }
        levels.extend(values.into_iter().map(|value| Level { value, multiplicity, relative_residual: Some(0.0) }));
    }
    Some(Within { levels, largest })
}

/// The number of tokens in a cluster; an integer if f64 represents it.
pub(super) fn times(ln_size: f64) -> f64 {
    let size = ln_size.exp();
    if size < 9e15 { size.round() } else { size }
}

/// Describes the leading pair where it is constant on clusters.
pub(super) fn pair_between(jacobian: &ClusterJacobian, between: &DMatrix<f64>, triplet: &SingularTriplet) -> TopPair {
    let m = jacobian.ln_sizes().len();
    let (d, d_out) = (between.ncols() / m, between.nrows() / m);
    let block = |i: usize, j: usize| between.view((i * d_out, j * d), (d_out, d)).into_owned();
    let carried = |i: usize, j: usize| -> f64 {
        let u = nalgebra::DVector::from_column_slice(&triplet.left[i * d_out..(i + 1) * d_out]);
        let v = nalgebra::DVector::from_column_slice(&triplet.right[j * d..(j + 1) * d]);
        u.dot(&(block(i, j) * v))
    };
    let pairs = (0..m).flat_map(|i| (0..m).map(move |j| (i, j)));
    let best = pairs.map(|(i, j)| (carried(i, j), i, j)).max_by(|a, b| a.0.total_cmp(&b.0));
    let (inputs, outputs) = (energies(&triplet.right, m), energies(&triplet.left, m));
    TopPair {
        places: Places::Clusters,
        energies: largest_energies(&inputs, &outputs),
        relative_residual: triplet.relative_residual,
        block: best.map(|(carried, output, input)| TopBlock {
            output,
            input,
            share: carried / triplet.value,
            of_output: carried / triplet.value / outputs[output],
            norm: largest_singular_value(&block(output, input)),
        }),
    }
}

/// Describes the leading pair where it lives inside one cluster.
pub(super) fn pair_within(m: usize, place: usize, value: f64) -> TopPair {
    let energy = |at: usize| if at == place { 1.0 } else { 0.0 };
    let all: Vec<f64> = (0..m).map(energy).collect();
    TopPair {
        places: Places::Clusters,
        energies: largest_energies(&all, &all),
        relative_residual: 0.0,
        block: Some(TopBlock { output: place, input: place, share: 1.0, of_output: 1.0, norm: value }),
    }
}
