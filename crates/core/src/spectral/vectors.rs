//! Operations on vectors stored as slices.

/// Subtracts the projection of a vector onto the span of an orthonormal basis; returns the coefficients.
///
/// If most of the vector is removed, the rest has lost digits and is orthogonalised a second time (Daniel, Gragg,
/// Kaufman and Stewart, "Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization",
/// Math. Comp. 30, 1976). Testing for it halves the work on most steps.
pub(super) fn orthogonalize(vector: &mut [f64], basis: &[Vec<f64>]) -> Vec<f64> {
    /// The second pass runs if less than this part of the norm is left: one binary digit was lost.
    const KEPT_PART: f64 = 0.5;
    let mut coefficients = vec![0.0; basis.len()];
    let before = norm(vector);
    for _ in 0..2 {
        for (coefficient, unit) in coefficients.iter_mut().zip(basis) {
            let along = dot(vector, unit);
            *coefficient += along;
            add(vector, -along, unit);
        }
        if norm(vector) > KEPT_PART * before {
            break;
        }
    }
    coefficients
}

/// target += weight * vector.
pub(super) fn add(target: &mut [f64], weight: f64, vector: &[f64]) {
    for (x, y) in target.iter_mut().zip(vector) {
        *x += weight * y;
    }
}

/// Eight partial sums: faster, and less rounding than one sum.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + tail
}

/// Euclidean norm, safe from overflow and underflow.
pub(super) fn norm(vector: &[f64]) -> f64 {
    let scale = vector.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    if (1e-140..1e140).contains(&scale) {
        return dot(vector, vector).sqrt();
    }
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * vector.iter().map(|x| (x / scale) * (x / scale)).sum::<f64>().sqrt()
}
