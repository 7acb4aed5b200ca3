//! The spectral norm by Golub-Kahan-Lanczos bidiagonalisation, fully reorthogonalised, with a thick restart.
//!
//! After m steps J V_m = U_m B_m and J^T U_m = V_m B_m^T + beta v_{m+1} e_m^T, with orthonormal V, U; the largest singular
//! value of the small B_m is that of J on the space V_m, so that it never exceeds ||J||_2, and its residual is
//! |J^T u - s v| = beta |last entry of B_m's left vector|. When the basis is full, the leading Ritz vectors are kept
//! (Baglama and Reichel, "Augmented implicitly restarted Lanczos bidiagonalization methods", SIAM J. Sci. Comput. 27,
//! 2005), so that memory is bounded. Singular values of attention Jacobians cluster, where power iteration is slow.
//!
//! The iteration is resumable: one [`Lanczos::step`] is one product with J and one with J^T.

use nalgebra::DMatrix;

use crate::jacobian::LinearOperator;
use crate::random::{Random, Stream};

use super::dense::full_svd;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LanczosOptions {
    /// The relative residual |J^T u - s v| / s to reach.
    pub tolerance: f64,
    /// The most steps.
    pub max_iterations: usize,
    /// The largest basis: its vectors are 2 x basis x n d numbers.
    pub max_basis: usize,
    /// Seed of the start vector.
    pub seed: u64,
}

impl Default for LanczosOptions {
    /// 1e-10, 600 steps, a basis of 40: most attention Jacobians need 15 to 40 steps and never restart.
    fn default() -> Self {
        LanczosOptions { tolerance: 1e-10, max_iterations: 600, max_basis: 40, seed: 0 }
    }
}

/// How many Ritz pairs a restart keeps: enough of the cluster at the top to keep what was learned.
const KEPT_PAIRS: usize = 12;

/// A singular value with its vectors and how well they fit.
#[derive(Clone, Debug, PartialEq)]
pub struct SingularTriplet {
    /// s, never above ||J||_2.
    pub value: f64,
    /// Unit left vector.
    pub left: Vec<f64>,
    /// Unit right vector.
    pub right: Vec<f64>,
    /// Steps taken.
    pub iterations: usize,
    /// |J^T u - s v| / s, computed from the vectors themselves; 0 where J v = 0 for every start.
    pub relative_residual: f64,
}

/// Where an iteration stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// More steps are needed; the current value and the estimate of its relative residual.
    Going {
        /// A lower bound on ||J||_2.
        value: f64,
        /// As estimated from B.
        relative_residual: f64,
    },
    /// The tolerance is reached, or the step limit, or the space is exhausted.
    Done,
}

/// A bidiagonalisation under way.
#[derive(Clone, Debug)]
pub struct Lanczos {
    options: LanczosOptions,
    left: Vec<Vec<f64>>,
    /// One longer than `left`: its last vector is the next to be multiplied.
    right: Vec<Vec<f64>>,
    /// B, max_basis square; its leading left.len() block is in use.
    small: DMatrix<f64>,
    iterations: usize,
    /// Leading singular pair of B after the last check.
    value: f64,
    residual: f64,
    done: bool,
}

impl Lanczos {
    /// Starts from a seeded random vector.
    #[must_use]
    pub fn new(n_inputs: usize, options: LanczosOptions) -> Self {
        let mut random = Random::new(options.seed, Stream::StartVector);
        Lanczos::from_vector((0..n_inputs).map(|_| random.normal()).collect(), options)
    }

    /// Starts from a given vector, such as a singular vector of a matrix nearby with a little of every direction added.
    #[must_use]
    pub fn from_vector(mut start: Vec<f64>, options: LanczosOptions) -> Self {
        let n_inputs = start.len();
        let length = norm(&start);
        start.iter_mut().for_each(|x| *x /= length.max(f64::MIN_POSITIVE));
        let max_basis = options.max_basis.max(KEPT_PAIRS + 4);
        Lanczos {
            options: LanczosOptions { max_basis, ..options },
            left: Vec::new(),
            right: vec![start],
            small: DMatrix::zeros(max_basis, max_basis),
            iterations: 0,
            value: 0.0,
            residual: f64::INFINITY,
            done: n_inputs == 0,
        }
    }

    /// One product with J and one with J^T.
    pub fn step(&mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> Status {
        if self.done || self.iterations >= self.options.max_iterations {
            return Status::Done;
        }
        if self.left.len() == self.options.max_basis {
            self.restart();
        }
        self.iterations += 1;
        let at = self.left.len();
        let mut u = vec![0.0; operator.n_outputs()];
        operator.apply(&self.right[at], &mut u);
        // The couplings to earlier left vectors (one beta, or the row of a restart) come out of the orthogonalisation.
        for (row, coupling) in orthogonalize(&mut u, &self.left).into_iter().enumerate() {
            self.small[(row, at)] = coupling;
        }
        let alpha = norm(&u);
        // Where J v lies in the span of the left vectors, any unit vector will do: alpha is zero.
        let scale = self.value.max(alpha);
        if alpha <= f64::EPSILON * scale || alpha == 0.0 {
            self.small[(at, at)] = 0.0;
            u.fill(0.0);
        } else {
            self.small[(at, at)] = alpha;
            u.iter_mut().for_each(|x| *x /= alpha);
        }
        let mut v = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(&u, &mut v);
        orthogonalize(&mut v, &self.right);
        let beta = norm(&v);
        self.left.push(u);
        if !alpha.is_finite() || !beta.is_finite() {
            // The Jacobian leaves the range of f64; the caller sees it in the value and says so.
            self.value = f64::INFINITY;
            self.done = true;
            return Status::Done;
        }
        let exhausted = beta <= f64::EPSILON * scale || self.right.len() == operator.n_inputs();
        if exhausted {
            v.fill(0.0);
        } else {
            v.iter_mut().for_each(|x| *x /= beta);
        }
        self.right.push(v);
        self.check(if exhausted { 0.0 } else { beta });
        // A residual of zero with a value of zero: J maps the start to zero, and a random start sees every direction.
        self.done = exhausted || self.residual <= self.options.tolerance * self.value;
        if self.done || self.iterations >= self.options.max_iterations {
            return Status::Done;
        }
        let relative_residual = if self.value > 0.0 { self.residual / self.value } else { f64::INFINITY };
        Status::Going { value: self.value, relative_residual }
    }

    /// Steps until done.
    #[must_use]
    pub fn run(mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> SingularTriplet {
        while let Status::Going { .. } = self.step(operator) {}
        self.finish(operator)
    }

    /// Steps taken so far.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The leading triplet, its value and residual recomputed with one more product each way.
    #[must_use]
    pub fn finish(self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> SingularTriplet {
        let size = self.left.len();
        let mut right = vec![0.0; operator.n_inputs()];
        match small_svd(&self.small, size) {
            Some((_, svd_right, _)) => {
                for (vector, weight) in self.right.iter().zip(svd_right.row(0).iter()) {
                    add(&mut right, *weight, vector);
                }
            }
            None => right.copy_from_slice(&self.right[0]),
        }
        let length = norm(&right);
        if length > 0.0 {
            right.iter_mut().for_each(|x| *x /= length);
        }
        let mut left = vec![0.0; operator.n_outputs()];
        operator.apply(&right, &mut left);
        let value = norm(&left);
        if value == 0.0 {
            return SingularTriplet { value, left, right, iterations: self.iterations, relative_residual: 0.0 };
        }
        left.iter_mut().for_each(|x| *x /= value);
        let mut back = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(&left, &mut back);
        add(&mut back, -value, &right);
        let relative_residual = norm(&back) / value;
        SingularTriplet { value, left, right, iterations: self.iterations, relative_residual }
    }

    /// Reads value and residual off B; `beta` is the norm of what is left outside.
    fn check(&mut self, beta: f64) {
        let size = self.left.len();
        // The small SVD costs more than a product of a small J: while J is cheap, look at every third step.
        let is_cheap = self.right[0].len() <= 1024;
        if is_cheap && !size.is_multiple_of(3) && beta > 0.0 && size < self.options.max_basis {
            self.residual = f64::INFINITY;
            return;
        }
        if let Some((left, _, values)) = small_svd(&self.small, size) {
            self.value = values[0];
            self.residual = beta * left[(size - 1, 0)].abs();
        }
    }

    /// Keeps the leading Ritz pairs and the vector outside, which couples to all of them.
    fn restart(&mut self) {
        let size = self.left.len();
        let Some((left, right, values)) = small_svd(&self.small, size) else {
            self.done = true;
            return;
        };
        let next = self.right.pop().unwrap_or_default();
        self.left = combine(&self.left, |old, new| left[(old, new)]);
        self.right = combine(&self.right, |old, new| right[(new, old)]);
        self.right.push(next);
        self.small.fill(0.0);
        for (at, value) in values.iter().take(KEPT_PAIRS).enumerate() {
            self.small[(at, at)] = *value;
        }
    }
}

/// The first Ritz vectors as combinations of a basis.
fn combine(basis: &[Vec<f64>], weight: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..KEPT_PAIRS)
        .map(|new| {
            let mut vector = vec![0.0; basis[0].len()];
            for (old, old_vector) in basis.iter().enumerate() {
                add(&mut vector, weight(old, new), old_vector);
            }
            vector
        })
        .collect()
}

/// Left vectors (columns), right vectors (rows) and values of the leading block, largest first.
fn small_svd(small: &DMatrix<f64>, size: usize) -> Option<(DMatrix<f64>, DMatrix<f64>, Vec<f64>)> {
    full_svd(&small.view((0, 0), (size, size)).into_owned())
}

/// Takes the span of an orthonormal basis out of a vector; the coefficients that were taken out.
///
/// Where much of the vector goes, what is left has lost digits and is taken through a second time (Daniel, Gragg, Kaufman
/// and Stewart, "Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization", Math. Comp.
/// 30, 1976): half the work on most steps.
fn orthogonalize(vector: &mut [f64], basis: &[Vec<f64>]) -> Vec<f64> {
    /// What is left may be this part of what was there: one digit in base two is lost.
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

fn add(target: &mut [f64], weight: f64, vector: &[f64]) {
    for (x, y) in target.iter_mut().zip(vector) {
        *x += weight * y;
    }
}

/// Eight partial sums: fast, and less rounding than one.
fn dot(a: &[f64], b: &[f64]) -> f64 {
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
fn norm(vector: &[f64]) -> f64 {
    let scale = vector.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    if (1e-140..1e140).contains(&scale) {
        return dot(vector, vector).sqrt();
    }
    if scale == 0.0 || !scale.is_finite() {
        return scale;
    }
    scale * vector.iter().map(|x| (x / scale) * (x / scale)).sum::<f64>().sqrt()
}
#[cfg(test)]
mod tests {
    use super::*;

    /// A diagonal matrix as an operator.
    struct Diagonal(Vec<f64>);

    impl LinearOperator<f64> for Diagonal {
        fn n_inputs(&self) -> usize {
            self.0.len()
        }

        fn n_outputs(&self) -> usize {
            self.0.len()
        }

        fn apply(&mut self, v: &[f64], out: &mut [f64]) {
            out.iter_mut().zip(v).zip(&self.0).for_each(|((out, v), s)| *out = v * s);
        }

        fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
            self.apply(u, out);
        }
    }

    /// The largest deviation of a basis from orthonormality.
    fn deviation(basis: &[Vec<f64>]) -> f64 {
        let mut worst = 0.0f64;
        for (i, a) in basis.iter().enumerate() {
            for (j, b) in basis.iter().enumerate() {
                worst = worst.max((dot(a, b) - f64::from(u8::from(i == j))).abs());
            }
        }
        worst
    }

    #[test]
    fn through_restarts_the_bases_stay_orthonormal_and_the_small_matrix_is_decomposed_to_rounding() {
        let mut operator = Diagonal((0..600).map(|i| 1.0 - 1e-3 * (i as f64 / 600.0).powi(2)).collect());
        let options = LanczosOptions { max_basis: 24, max_iterations: 200, tolerance: 1e-14, seed: 3 };
        let mut lanczos = Lanczos::new(600, options);
        while let Status::Going { .. } = lanczos.step(&mut operator) {
            let size = lanczos.left.len();
            assert!(deviation(&lanczos.left) < 1e-13 && deviation(&lanczos.right) < 1e-13);
            let (left, right, values) = small_svd(&lanczos.small, size).expect("not zero");
            let rebuilt = left * DMatrix::from_diagonal(&values.into()) * right;
            let error = (rebuilt - lanczos.small.view((0, 0), (size, size))).amax();
            assert!(error < 1e-13, "step {}: {error:e}", lanczos.iterations());
        }
        assert_eq!(lanczos.iterations(), 200);
    }
}
