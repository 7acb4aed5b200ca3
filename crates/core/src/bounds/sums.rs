//! Sums that the compiler vectorises.

/// The sum of a term of the entries of some vectors of equal length, in eight partial sums, so that the compiler
/// vectorises.
pub(super) fn sum_of<const COUNT: usize>(vectors: [&[f64]; COUNT], term: impl Fn([f64; COUNT]) -> f64) -> f64 {
    let parts = vectors.map(|vector| vector.as_chunks::<8>());
    let (n_chunks, n_left) = parts.first().map_or((0, 0), |(chunks, left)| (chunks.len(), left.len()));
    let mut sums = [0.0; 8];
    for at in 0..n_chunks {
        let chunks = parts.map(|(chunks, _)| &chunks[at]);
        for lane in 0..8 {
            sums[lane] += term(chunks.map(|chunk| chunk[lane]));
        }
    }
    let left: f64 = (0..n_left).map(|at| term(parts.map(|(_, left)| left[at]))).sum();
    sums.iter().sum::<f64>() + left
}
