//! Operations of the Jacobian's products on one block of rows of an attention matrix.

use crate::attention::{Forward, Scalar};

/// The buffers of a job while it works on a block of rows.
#[derive(Clone, Debug)]
pub(super) struct Buffers<T> {
    /// A block of ds or of its adjoint, n x (rows per block).
    pub(super) scores: Vec<T>,
    /// Buffer for attention matrices that are recomputed.
    pub(super) rows_of_p: Vec<T>,
}

impl<T: Scalar> Buffers<T> {
    /// Buffers for the blocks of a forward pass.
    pub(super) fn of(forward: &Forward<T>) -> Self {
        Buffers {
            scores: vec![T::constant(0.0); forward.n() * forward.rows_a_block()],
            rows_of_p: forward.row_buffer(),
        }
    }
}

/// Replaces ds by P (ds - sum P ds) along one row; this map is its own transpose. `top` is the token with the largest
/// weight. Sums are of differences from its ds, so the row sums to zero up to the rounding of these, however large ds
/// is.
pub(super) fn center_row<T: Scalar>(ds: &mut [T], p_row: &[T], top: u32) {
    let pivot = ds.get(top as usize).copied().unwrap_or(T::constant(0.0));
    ds.iter_mut().for_each(|ds| *ds -= pivot);
    let mean = dot(ds, p_row);
    for (ds, p) in ds.iter_mut().zip(p_row) {
        *ds = *p * (*ds - mean);
    }
}

/// Four partial sums, so that the compiler vectorises.
pub(super) fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::constant(0.0); 4];
    let (a_chunks, b_chunks) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail = a_chunks.remainder().iter().zip(b_chunks.remainder()).fold(T::constant(0.0), |s, (x, y)| s + *x * *y);
    for (x, y) in a_chunks.zip(b_chunks) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
