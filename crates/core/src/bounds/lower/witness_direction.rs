//! A direction of x for the witnesses of `sink` and `fork`, with attention restricted to a subspace of few dimensions
//! that contains their tokens.
//!
//! Let the columns of U be an orthonormal basis of a subspace that contains the tokens. On perturbations in this
//! subspace, J is the Jacobian of attention with U^T A U and V U: scores, covariances and the products b.xi and (A
//! xi).x depend on A and V only through these two matrices. So the norm of that Jacobian is a lower bound on ||J||, and
//! equal to ||J|| where U spans R^d.

use super::super::heads::HeadSpan;
use super::super::local::shared::reduced_value;
use super::exponent::{HeadGrowth, best_reach};
use super::line::Line;
use crate::attention::Normalizer;
use crate::experiment::{Attention, Scope};
use crate::extremum::{largest, maximum};
use crate::jacobian::ClusterJacobian;
use crate::qr::without_more_rows;
use crate::spectral::{largest_singular_value, leading_eigenvector};
use crate::weights::{HeadWeights, Weights};
use nalgebra::{DMatrix, DVector};

/// The most dimensions of U.
const MOST_DIRECTIONS: usize = 5;

/// A direction of x with the constants that the closed forms need, and the restricted weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WitnessDirection {
    /// d x r with orthonormal columns.
    basis: DMatrix<f64>,
    /// In the basis: x/|x|, A x/|A x|, and the unit vector orthogonal to A x that V stretches most.
    pub(crate) x: DVector<f64>,
    pub(crate) y: DVector<f64>,
    pub(crate) w: Option<DVector<f64>>,
    /// |A u| and u.A u for u = x/|x|.
    pub(crate) stretch: f64,
    pub(crate) along: f64,
    /// |V y|^2, V y.V u, |V u|^2.
    pub(crate) values: [f64; 3],
    /// |V w|.
    pub(crate) value_w: f64,
    /// All heads, restricted to the subspace.
    weights: Weights,
}

impl WitnessDirection {
    /// For x along the unit vector u, which comes from `head`; `value` is the head's V, or a triangular factor of O_h
    /// times V_h, which changes no norm. `None` if A u = 0 or is not finite.
    pub(crate) fn new(weights: &Weights, head: &HeadWeights, value: &DMatrix<f64>, u: &DVector<f64>) -> Option<Self> {
        let root = (head.q.nrows() as f64).sqrt();
        let apply = |x: &DVector<f64>| head.k.tr_mul(&(&head.q * x)) / root;
        let transposed = |x: &DVector<f64>| head.q.tr_mul(&(&head.k * x)) / root;
        let image = apply(u);
        let stretch = image.norm();
        if !(stretch > 0.0 && stretch.is_finite()) {
            return None;
        }
        let y = image / stretch;
        let w = most_stretched(value, &y);
        let wanted = [Some(u.clone()), Some(y.clone()), w.clone(), w.as_ref().map(transposed), Some(transposed(&y))];
        let basis = orthonormal(&wanted.into_iter().flatten().collect::<Vec<_>>(), u.len());
        let (value_x, value_y) = (value * u, value * &y);
        Some(WitnessDirection {
            x: basis.tr_mul(u),
            y: basis.tr_mul(&y),
            w: w.as_ref().map(|w| basis.tr_mul(w)),
            stretch,
            along: u.dot(&y) * stretch,
            values: [value_y.norm_squared(), value_y.dot(&value_x), value_x.norm_squared()],
            value_w: w.map_or(0.0, |w| (value * w).norm()),
            weights: restricted(weights, &basis),
            basis,
        })
    }

    /// The same direction in a space of d dimensions; the added coordinates are zero.
    pub(crate) fn in_dimension(self, d: usize) -> Self {
        WitnessDirection { basis: self.basis.resize_vertically(d, 0.0), ..self }
    }

    /// Whether another direction has the same constants, so that the closed forms are the same.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let constants = |direction: &Self| {
            let [a, b, c] = direction.values;
            [direction.stretch, direction.along, a, b, c, direction.value_w]
        };
        let size = |x: &[f64; 6]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let (ours, theirs) = (constants(self), constants(other));
        let most = 1e-9 * size(&ours).max(size(&theirs));
        ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= most)
    }

    /// The |x|/R at which the exponent along this direction is largest.
    pub(crate) fn reach(&self) -> f64 {
        best_reach(self.stretch, self.along)
    }

    /// The norm on perturbations in U at clusters with positions in the basis (r x m).
    pub(crate) fn norm(&self, positions: &DMatrix<f64>, ln_sizes: &[f64]) -> Option<f64> {
        norm_of_clusters(&self.weights, positions, ln_sizes)
    }

    /// A position in the basis as a token.
    pub(crate) fn token(&self, position: &DVector<f64>) -> Vec<f64> {
        (&self.basis * position).iter().copied().collect()
    }
}

/// The most directions: each costs a search at every n.
const MOST_WITNESS_DIRECTIONS: usize = 8;

/// The directions of the witnesses from the leading heads; of directions with equal constants only the first. Without
/// lines no lower bound applies, so there are no directions. `growth` has all heads.
pub(crate) fn directions(
    weights: &Weights,
    leading: &[(usize, HeadSpan)],
    lines: &[Line],
    growth: &[HeadGrowth],
) -> Vec<WitnessDirection> {
    let known: Vec<_> = lines.iter().map(|line| line.direction.clone()).collect();
    let mut directions = Vec::<WitnessDirection>::new();
    if lines.is_empty() {
        return directions;
    }
    for (head_idx, span) in leading {
        let head = &weights.heads[*head_idx];
        let Some((outer, value)) = weights.values_through_output().nth(*head_idx) else { continue };
        let value = reduced_value(&outer, value);
        for u in growth[*head_idx].directions(span, &known) {
            if directions.len() < MOST_WITNESS_DIRECTIONS
                && let Some(direction) = WitnessDirection::new(weights, head, &value, &u)
                && !directions.iter().any(|known| known.is_like(&direction))
            {
                directions.push(direction);
            }
        }
    }
    directions
}

/// ||J||_2 at clusters with positions (d x m) and ln of their sizes, for dot-product attention without mask and
/// normaliser; `None` if it overflows.
pub(crate) fn norm_of_clusters(weights: &Weights, positions: &DMatrix<f64>, ln_sizes: &[f64]) -> Option<f64> {
    let normalizer = Normalizer::none(positions);
    let jacobian = ClusterJacobian::new(Attention::Dot, normalizer, Scope::Inputs, weights, ln_sizes).ok()?;
    let between = jacobian.between();
    if between.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let within = largest(jacobian.within().flatten().map(largest_singular_value));
    Some(maximum(largest_singular_value(&between), within)).filter(|norm| norm.is_finite())
}

/// The unit vector orthogonal to y that the matrix stretches most; `None` for d = 1.
fn most_stretched(value: &DMatrix<f64>, y: &DVector<f64>) -> Option<DVector<f64>> {
    let project = |x: DVector<f64>| {
        let along = y.dot(&x);
        x - y * along
    };
    let scale = value.amax();
    if y.len() < 2 || !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    // The leading right singular vector of V (I - y y^T), through the smaller of its two Gram matrices.
    let centred = value / scale - (value * y) * y.transpose() / scale;
    let stretched = if value.nrows() < value.ncols() {
        centred.tr_mul(&leading_eigenvector(&centred * centred.transpose()))
    } else {
        leading_eigenvector(centred.tr_mul(&centred))
    };
    // Where V is zero on all vectors orthogonal to y, any of them serves.
    let other = DVector::from_fn(y.len(), |row, _| f64::from(u8::from(row == y.iamin())));
    [stretched, other].into_iter().map(project).find(|w| w.norm() > 1e-6).map(|w| w.normalize())
}

/// Orthonormal columns that span the vectors, d x r with r at most their number; the identity for small d.
fn orthonormal(vectors: &[DVector<f64>], d: usize) -> DMatrix<f64> {
    if d <= MOST_DIRECTIONS {
        return DMatrix::identity(d, d);
    }
    let mut columns: Vec<DVector<f64>> = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let (size, mut rest) = (vector.norm(), vector.clone());
        // Twice is enough for orthogonality to rounding.
        for _ in 0..2 {
            for column in &columns {
                let along = column.dot(&rest);
                rest -= column * along;
            }
        }
        if rest.norm() > 1e-8 * size {
            columns.push(rest.normalize());
        }
    }
    DMatrix::from_columns(&columns)
}

/// All heads restricted to a subspace, with triangular factors of the values, which keep all norms.
fn restricted(weights: &Weights, basis: &DMatrix<f64>) -> Weights {
    let r = basis.ncols();
    let values: Vec<DMatrix<f64>> = weights
        .values_through_output()
        .map(|(outer, value)| {
            let on_basis = value * basis;
            if weights.output.is_some() { outer.tr_mul(&on_basis) } else { on_basis }
        })
        .collect();
    let output = weights.output.as_ref().filter(|_| values.len() > 1).map(|output| {
        let mut all = DMatrix::zeros(output.nrows(), r * values.len());
        for (h, value) in values.iter().enumerate() {
            all.columns_mut(h * r, r).copy_from(value);
        }
        without_more_rows(all)
    });
    let heads = weights
        .heads
        .iter()
        .zip(values)
        .map(|(head, value)| HeadWeights {
            // U^T A U = k^T q / sqrt(r) with q = I.
            q: DMatrix::identity(r, r),
            k: (&head.q * basis).tr_mul(&(&head.k * basis)) * (r as f64 / head.q.nrows() as f64).sqrt(),
            v: if output.is_some() { DMatrix::identity(r, r) } else { without_more_rows(value) },
            second: None,
        })
        .collect();
    Weights { heads, shared: Vec::new(), output, l2_mha: None }
}
