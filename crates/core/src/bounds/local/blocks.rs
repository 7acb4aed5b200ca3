//! `local_blocks` (ours, docs/theory.md section 2): ||J|| <= ||N||_2, where N_ij >= ||J_ij||_2 for every pair of
//! tokens: N_ij = P_ij min(||V|| sigma(I + t y^T), ||V|| + |V t| |y|) + [i = j] ||V O_i||, with t = x_j - m_i and
//! y = b_ij.
//!
//! ||N||_2 is at most max_j ((N^T N x)_j / x_j)^(1/2) for every positive x; a few power steps choose x. The matrices N
//! of concatenated heads are stacked. With an output matrix they are added.

use nalgebra::DMatrix;

use super::super::heads::Combination;
use crate::extremum::largest;
use crate::spectral::largest_singular_value;

/// Bounds on the blocks of one head's Jacobian, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    n: usize,
    d: usize,
    /// ||V||.
    value_norm: f64,
    /// N without the own parts ||V O_i||: n x n, row by row.
    mixed: Vec<f64>,
    /// An upper bound on ||V O_i|| for each row.
    own: Vec<f64>,
    /// Whether the norm of a small matrix is taken by a decomposition.
    by: NormBy,
}

/// How ||N||_2 is found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NormBy {
    /// From above, by power steps.
    PowerSteps,
    /// By a decomposition, up to [`MOST_DECOMPOSED`] entries.
    Decomposition,
}

/// The numbers of a pair of tokens from which the bound on its block is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// |t|^2, |y|^2 and t.y.
    pub(crate) t: f64,
    pub(crate) y: f64,
    pub(crate) product: f64,
    /// |V t|^2.
    pub(crate) value: f64,
}

/// The most entries in the matrices of all heads together.
const MOST_ENTRIES: usize = 1 << 22;

impl Blocks {
    /// An empty matrix for one of `heads` heads at n tokens in d dimensions; `None` where the matrices of all heads
    /// would be too large.
    pub(crate) fn new(n: usize, d: usize, heads: usize, value_norm: f64) -> Option<Self> {
        let entries = n.checked_mul(n)?;
        (entries.checked_mul(heads)? <= MOST_ENTRIES).then(|| Blocks {
            n,
            d,
            value_norm,
            mixed: Vec::with_capacity(entries),
            own: Vec::with_capacity(n),
            by: NormBy::PowerSteps,
        })
    }

    /// A whole matrix: `mixed` n x n, row by row, and upper bounds on the own parts.
    pub(crate) fn of_norms(n: usize, mixed: Vec<f64>, own: Vec<f64>) -> Self {
        Blocks { n, d: 0, value_norm: 0.0, mixed, own, by: NormBy::Decomposition }
    }

    /// An empty matrix with room for the next `n_rows` rows, to be filled and then [appended](Blocks::append) to this
    /// one.
    pub(crate) fn for_rows(&self, n_rows: usize) -> Self {
        let (mixed, own) = (Vec::with_capacity(n_rows * self.n), Vec::with_capacity(n_rows));
        Blocks { mixed, own, ..*self }
    }

    /// Appends the rows of `next`.
    pub(crate) fn append(&mut self, mut next: Blocks) {
        self.mixed.reserve_exact(next.mixed.len());
        self.mixed.append(&mut next.mixed);
        self.own.append(&mut next.own);
    }

    /// Adds the next row. `pairs` has P_ij and the [`Pair`] of each of its blocks; `own` is an upper bound on ||V
    /// O_i||.
    pub(crate) fn row(&mut self, pairs: impl Iterator<Item = (f64, Pair)>, own: f64) {
        let (d, value_norm) = (self.d, self.value_norm);
        let end = self.mixed.len() + self.n;
        self.mixed.extend(pairs.map(|(weight, pair)| {
            let through = (value_norm * pair.stretch(d)).min(value_norm + (pair.value * pair.y).sqrt());
            if weight == 0.0 { 0.0 } else { weight * through }
        }));
        // Under the causal mask a row ends at its own token.
        self.mixed.resize(end, 0.0);
        self.own.push(own);
    }
}

impl Pair {
    /// The largest singular value of I + t y^T in d dimensions.
    fn stretch(&self, d: usize) -> f64 {
        if d == 1 {
            return (1.0 + self.product).abs();
        }
        let square = self.t * self.y;
        let half = self.product + 0.5 * square;
        (1.0 + half + (half * half + (square - self.product * self.product).max(0.0)).sqrt()).max(0.0).sqrt()
    }
}

/// An upper bound on ||N||_2 for all heads together. `most_own` has one number per head: an upper bound on all
/// ||V O_i|| of that head.
pub(crate) fn norm(heads: &[Blocks], combination: Combination, most_own: &[f64]) -> f64 {
    let n = heads.first().map_or(0, |head| head.n);
    let mut matrices: Vec<Vec<f64>> = Vec::new();
    for (head, most) in heads.iter().zip(most_own) {
        let mut matrix = head.mixed.clone();
        for (i, own) in head.own.iter().enumerate() {
            matrix[i * n + i] += own.min(*most);
        }
        match (combination, matrices.first_mut()) {
            (Combination::Sum, Some(sum)) => sum.iter_mut().zip(&matrix).for_each(|(sum, x)| *sum += x),
            _ => matrices.push(matrix),
        }
    }
    if n * n * matrices.len() <= MOST_DECOMPOSED && heads.iter().all(|head| head.by == NormBy::Decomposition) {
        let stacked = DMatrix::from_fn(n * matrices.len(), n, |row, col| matrices[row / n][row % n * n + col]);
        return largest_singular_value(&stacked);
    }
    let mut x = vec![1.0; n];
    let mut least = f64::INFINITY;
    let entries = n * n * matrices.len();
    for _ in 0..(WORK / entries.max(1)).clamp(LEAST_STEPS, MOST_STEPS) {
        let image = square(&matrices, &x);
        let ratios = || image.iter().zip(&x).map(|(image, x)| image / x);
        let (high, low) = (largest(ratios()), ratios().fold(f64::INFINITY, f64::min));
        if !high.is_finite() {
            return f64::INFINITY;
        }
        least = least.min(high);
        if high <= low * (1.0 + 1e-10) {
            break;
        }
        // The floor keeps x positive, also where a token receives no attention.
        let floor = LEAST_SHARE * largest(image.iter().copied());
        if !(floor > 0.0 && floor.is_finite()) {
            break;
        }
        x = image.iter().map(|image| image.max(floor) / floor).collect();
    }
    // The factor covers what the rounding of the sums may have lost.
    (least * (1.0 + 1e-12)).sqrt()
}

/// The most entries of the matrices for which ||N||_2 is computed by a decomposition.
const MOST_DECOMPOSED: usize = 1 << 14;
/// Any positive x gives a bound; more steps lower it only a little. Small matrices get more steps.
const LEAST_STEPS: usize = 30;
const MOST_STEPS: usize = 300;
const WORK: usize = 20_000_000;
/// The least ratio of an entry of x to the largest entry.
const LEAST_SHARE: f64 = 1e-9;

/// Sum over the matrices N of N^T N x.
fn square(matrices: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for row in matrices.iter().flat_map(|matrix| matrix.chunks_exact(x.len().max(1))) {
        let along = sum_of([row, x], |[entry, x]| entry * x);
        out.iter_mut().zip(row).for_each(|(out, entry)| *out += along * entry);
    }
    out
}

/// The sum of `term` over the entries of vectors of equal length, in eight partial sums, so that the compiler
/// vectorises it.
pub(crate) fn sum_of<const COUNT: usize>(vectors: [&[f64]; COUNT], term: impl Fn([f64; COUNT]) -> f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Random, Stream};
    use nalgebra::DVector;

    #[test]
    fn the_norm_of_a_rank_one_update_is_that_of_a_dense_decomposition() {
        let mut random = Random::new(3, Stream::Tokens);
        for d in [1, 2, 3, 7] {
            for scale in [1e-9, 0.3, 2.0, 1e5] {
                for _ in 0..50 {
                    let mut draw = || DVector::from_fn(d, |_, _| scale * random.normal());
                    let (t, mut y) = (draw(), draw());
                    for turn in 0..3 {
                        let pair = Pair { t: t.norm_squared(), y: y.norm_squared(), product: t.dot(&y), value: 0.0 };
                        let dense = (DMatrix::identity(d, d) + &t * y.transpose()).singular_values().max();
                        let found = pair.stretch(d);
                        // In one dimension I + t y^T may be zero.
                        let deviation = (found - dense).abs() / dense.max(1.0);
                        assert!(deviation < 1e-7, "d={d} scale={scale} turn={turn}: {found} for {dense}");
                        assert!(found >= dense * (1.0 - 1e-12), "d={d} scale={scale}: {found} is below {dense}");
                        // Also parallel and opposed vectors.
                        y = &t * if turn == 0 { 1.0 } else { -0.7 };
                    }
                }
            }
        }
    }

    #[test]
    fn the_norm_of_a_nonnegative_matrix_is_found_from_above() {
        let mut random = Random::new(4, Stream::Tokens);
        for n in [1, 2, 5, 20] {
            for (combination, by) in [
                (Combination::Sum, NormBy::PowerSteps),
                (Combination::RootOfSquares, NormBy::PowerSteps),
                (Combination::Sum, NormBy::Decomposition),
                (Combination::RootOfSquares, NormBy::Decomposition),
            ] {
                let mut heads = Vec::new();
                let mut dense = Vec::new();
                for _ in 0..3 {
                    let matrix = DMatrix::from_fn(n, n, |_, _| random.uniform().powi(3));
                    let mixed = matrix.transpose().as_slice().to_vec();
                    heads.push(Blocks { n, d: 2, value_norm: 1.0, mixed, own: vec![0.5; n], by });
                    dense.push(matrix + DMatrix::identity(n, n) * 0.5);
                }
                let exact = match combination {
                    Combination::Sum => (&dense[0] + &dense[1] + &dense[2]).singular_values().max(),
                    Combination::RootOfSquares => {
                        dense.iter().map(|m| m.tr_mul(m)).sum::<DMatrix<f64>>().symmetric_eigenvalues().max().sqrt()
                    }
                };
                let found = norm(&heads, combination, &[0.5, 9.0, 0.5]);
                assert!((1.0 - 1e-13..1.0 + 1e-5).contains(&(found / exact)), "n={n}: {found} for {exact}");
            }
        }
    }
}
