//! The spectral norm by Golub-Kahan-Lanczos bidiagonalisation, fully reorthogonalised, with a thick restart.
//!
//! After m steps J V_m = U_m B_m and J^T U_m = V_m B_m^T + beta v_{m+1} e_m^T, with orthonormal V, U. The largest
//! singular value of the small matrix B_m is that of J restricted to the space V_m, so it never exceeds ||J||_2, and
//! its residual is |J^T u - s v| = beta |last entry of B_m's left vector|. When the basis is full, the leading Ritz
//! vectors are kept (Baglama and Reichel, "Augmented implicitly restarted Lanczos bidiagonalization methods", SIAM J.
//! Sci. Comput. 27, 2005), which bounds the memory. Singular values of attention Jacobians cluster, which makes power
//! iteration slow.
//!
//! The iteration is resumable: one [`Lanczos::step`] is one product with J and one with J^T.

use nalgebra::DMatrix;

use crate::experiment::InputError;
use crate::extremum::maximum;
use crate::jacobian::LinearOperator;
use crate::phrase;
use crate::random::{Random, Stream};

use super::dense::full_svd;
use super::probable::{Assurance, Failure, FirstCycle, ProbableUpper, Start, rounding_of_back};
use super::vectors::{PART, Passes, SingularTriplet, add, norm, orthogonalize};
use crate::parallel::{self, Schedule, Scratch};

/// Stopping rule, basis size and start of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LanczosOptions {
    /// The relative residual |J^T u - s v| / s at which to stop.
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

impl LanczosOptions {
    /// The loosest tolerance. A small residual says that some singular value is near, not that it is the largest: at
    /// 1e-1 some iterations stop at a value a sixth below the norm.
    pub const MOST_TOLERANCE: f64 = 1e-2;
    /// With a looser tolerance than this, an iteration does [`LanczosOptions::LEAST_STEPS`] steps at least.
    pub const LOOSE_TOLERANCE: f64 = 1e-6;
    /// A start with next to nothing of the leading vector in it first comes near another one, and the residual there is small
    /// until further steps have found the leading one. Of 262,400 iterations to 3e-4 on Jacobians of small drawn models, 41
    /// stopped after 6 or 9 steps at another singular value, up to 8 % below the norm; after 12 steps, none.
    pub const LEAST_STEPS: usize = 12;

    /// Checks the tolerance.
    ///
    /// # Errors
    /// [`InputError::BadValue`] for a tolerance that is NaN, below 0 or above [`LanczosOptions::MOST_TOLERANCE`].
    pub fn check(&self) -> Result<(), InputError> {
        if self.tolerance >= 0.0 && self.tolerance <= LanczosOptions::MOST_TOLERANCE {
            return Ok(());
        }
        Err(InputError::bad_value(
            phrase!("tolerance", "The tolerance"),
            self.tolerance.to_string(),
            phrase!(
                "tolerance_at_most",
                "at most {most}: with a looser one the iteration may stop far below the norm",
                most = LanczosOptions::MOST_TOLERANCE
            ),
        ))
    }
}

/// How many Ritz pairs a restart keeps: most of a cluster of values at the top, so that little has to be found again.
pub(crate) const KEPT_PAIRS: usize = 12;
/// A residual below this, relative to the first value, is rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Result of one step of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// Not converged yet.
    Going {
        /// Current value, a lower bound on ||J||_2.
        value: f64,
        /// Its relative residual, estimated from B.
        relative_residual: f64,
    },
    /// The tolerance or the step limit is reached, or the space is exhausted.
    Done,
}

/// The state of a bidiagonalisation.
#[derive(Clone, Debug)]
pub struct Lanczos {
    options: LanczosOptions,
    left: Vec<Vec<f64>>,
    /// One vector more than `left`; the last one is multiplied next.
    right: Vec<Vec<f64>>,
    /// B, stored max_basis x max_basis; only the leading left.len() block is used.
    small: DMatrix<f64>,
    iterations: usize,
    /// The largest |J v| of a basis vector: rounding relative to it counts as zero.
    scale: f64,
    /// Leading singular value of B after the last check.
    value: f64,
    /// The residual at that check. If several pairs must converge: the worst of their relative residuals, times
    /// `value`.
    residual: f64,
    done: bool,
    /// Number of leading pairs that must converge.
    wanted: usize,
    /// Number of pairs kept by a restart.
    kept: usize,
    checks: Checks,
    cycle: Cycle,
    first_cycle: FirstCycle,
    /// How near an upper bound is sought after convergence; `None` where none is asked for.
    assurance: Option<Assurance>,
    /// Steps of [`Lanczos::assure`].
    further_steps: usize,
}

/// Whether the basis was restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cycle {
    First,
    Later,
}

/// How often value and residual are computed from B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    /// Every third step while J is small, where the SVD of B costs more than a product.
    Seldom,
    /// At every step.
    Always,
}

impl Lanczos {
    /// Starts from a seeded random vector.
    #[must_use]
    pub fn new(n_inputs: usize, options: LanczosOptions) -> Self {
        let mut random = Random::new(options.seed, Stream::StartVector);
        Lanczos::begin((0..n_inputs).map(|_| random.normal()).collect(), Start::Uniform, options)
    }

    /// Starts from a given vector, such as a singular vector of a nearby matrix plus some noise in every direction. No
    /// probable upper bound follows.
    #[must_use]
    pub fn from_vector(start: Vec<f64>, options: LanczosOptions) -> Self {
        Lanczos::begin(start, Start::Given, options)
    }

    /// Starts from a unit vector that does not depend on the seed plus `share` times a unit vector that was drawn uniformly.
    #[must_use]
    pub fn from_plan(start: Vec<f64>, share: f64, options: LanczosOptions) -> Self {
        Lanczos::begin(start, Start::Planned { share }, options)
    }

    /// Starts from a vector as if it had been drawn uniformly: tests place it at the edge of the failures.
    #[cfg(test)]
    pub(super) fn from_uniform(start: Vec<f64>, options: LanczosOptions) -> Self {
        Lanczos::begin(start, Start::Uniform, options)
    }

    fn begin(mut start: Vec<f64>, how: Start, options: LanczosOptions) -> Self {
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
            scale: 0.0,
            value: 0.0,
            residual: f64::INFINITY,
            done: n_inputs == 0,
            wanted: 1,
            kept: KEPT_PAIRS,
            checks: Checks::Seldom,
            cycle: Cycle::First,
            first_cycle: FirstCycle::new(how, n_inputs),
            assurance: None,
            further_steps: 0,
        }
    }

    /// Continues from the vector of another iteration, whose steps count towards the limit. Uses a seeded vector where
    /// that iteration's products overflowed.
    #[must_use]
    pub fn after(SingularTriplet { right, iterations, .. }: SingularTriplet, options: LanczosOptions) -> Self {
        let is_finite = right.iter().all(|x| x.is_finite());
        let begun = if is_finite { Lanczos::from_vector(right, options) } else { Lanczos::new(right.len(), options) };
        Lanczos { iterations, ..begun }
    }

    /// An iteration that converges the `count` leading pairs; its basis is enlarged accordingly.
    pub(super) fn leading(n_inputs: usize, count: usize, options: LanczosOptions) -> Self {
        let kept = count + KEPT_PAIRS / 2;
        let options = LanczosOptions { max_basis: options.max_basis.max(kept + KEPT_PAIRS), ..options };
        Lanczos { wanted: count.max(1), kept: kept.max(KEPT_PAIRS), ..Lanczos::new(n_inputs, options) }
    }

    /// Goes on after convergence for an upper bound ([`Lanczos::assure`]), if one is asked for. Every vector is then
    /// orthogonalised twice, so that rounding does not decide a bound that fails very rarely.
    #[must_use]
    pub fn assured(self, assurance: Option<Assurance>) -> Self {
        Lanczos { assurance, ..self }
    }

    /// Computes value and residual at every step, for plots of the convergence.
    #[must_use]
    pub fn checked_always(self) -> Self {
        Lanczos { checks: Checks::Always, ..self }
    }

    /// The value and its estimated relative residual at the last check. The value is infinite or NaN where a product was.
    #[must_use]
    pub fn estimate(&self) -> (f64, f64) {
        (self.value, if self.value > 0.0 { self.residual / self.value } else { f64::INFINITY })
    }

    /// An upper bound on ||J||_2 that fails with the given probability, over the seeds. It comes from the steps before the
    /// first restart, and is near the value after some steps more than the value needs ([`Lanczos::assure`]). `None` where
    /// the start was given ([`Lanczos::from_vector`], [`Lanczos::after`]), before the first step, where products overflow,
    /// and where the rounding of 64-bit numbers would decide. The products must be those of J in f64.
    #[must_use]
    pub fn upper(&self, failure: Failure) -> Option<ProbableUpper> {
        let upper = self.first_cycle.upper(failure)?.at_least(self.value);
        upper.value.is_finite().then_some(upper)
    }

    /// After the iteration has ended: one step of the first cycle for a smaller upper bound, unless none is asked for, or it
    /// is near enough or has had its steps. Value and vectors of the iteration only come closer to those of J.
    pub fn assure(&mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> Status {
        let Some(assurance) = self.assurance else { return Status::Done };
        let left = assurance.further_steps.saturating_sub(self.further_steps);
        let is_open = self.cycle == Cycle::First && !self.is_exhausted() && left > 0;
        let Some(upper) = self.upper(assurance.failure).filter(|_| is_open) else { return Status::Done };
        if upper.value <= self.value * (1.0 + assurance.within) {
            return Status::Done;
        }
        if self.left.len() == self.options.max_basis {
            // The basis grows by a few vectors in place of a restart, which would end the first cycle.
            self.options.max_basis += left;
            let size = self.options.max_basis;
            self.small = std::mem::take(&mut self.small).resize(size, size, 0.0);
        }
        self.further_steps += 1;
        self.advance(operator);
        let (value, relative_residual) = self.estimate();
        Status::Going { value, relative_residual }
    }

    /// Whether J maps the span of the basis into that of the left vectors and back.
    fn is_exhausted(&self) -> bool {
        self.right.last().is_none_or(|vector| vector.iter().all(|x| *x == 0.0)) || !self.value.is_finite()
    }

    /// Does one step, with one product with J and one with J^T.
    pub fn step(&mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> Status {
        if self.done || self.iterations >= self.options.max_iterations {
            return Status::Done;
        }
        if self.left.len() == self.options.max_basis {
            self.restart();
        }
        self.advance(operator)
    }

    /// One step of a basis that has room for it.
    fn advance(&mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> Status {
        self.iterations += 1;
        let at = self.left.len();
        let mut u = vec![0.0; operator.n_outputs()];
        operator.apply(&self.right[at], &mut u);
        // The norm is taken before the orthogonalisation, which leaves only rounding of a J v that lies in the span of
        // the left vectors.
        let length = norm(&u);
        if !length.is_finite() {
            return self.stop_with(length);
        }
        self.scale = maximum(self.scale, length);
        // The coefficients of the orthogonalisation are the entries of B above the diagonal: one beta, or after a
        // restart a full column.
        let passes = if self.assurance.is_some() { Passes::Two } else { Passes::AsNeeded };
        let couplings = orthogonalize(&mut u, &self.left, passes);
        let mut rounding = self.first_cycle.rounding_of_couplings(&couplings);
        for (row, coupling) in couplings.into_iter().enumerate() {
            self.small[(row, at)] = coupling;
        }
        let alpha = norm(&u);
        // If J v lies in the span of the left vectors, alpha is rounding. Then u = 0, so beta = 0 and the iteration
        // ends.
        let scale = maximum(self.value, self.scale);
        if alpha <= ROUNDING * scale || alpha == 0.0 {
            self.small[(at, at)] = 0.0;
            u.fill(0.0);
        } else {
            self.small[(at, at)] = alpha;
            u.iter_mut().for_each(|x| *x /= alpha);
        }
        let mut v = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(&u, &mut v);
        let length = norm(&v);
        if !length.is_finite() {
            return self.stop_with(length);
        }
        let back = orthogonalize(&mut v, &self.right, passes);
        rounding = maximum(rounding, rounding_of_back(&back, self.small[(at, at)]));
        let beta = norm(&v);
        self.left.push(u);
        // Finite products overflow here where their scalar products do.
        let overflow = maximum(alpha, beta);
        if !overflow.is_finite() {
            return self.stop_with(f64::INFINITY);
        }
        let is_whole = self.right.len() == operator.n_inputs();
        if self.cycle == Cycle::First {
            self.first_cycle.push(self.small[(at, at)], if is_whole { 0.0 } else { beta }, rounding);
        }
        let exhausted = beta <= f64::EPSILON * scale || is_whole;
        if exhausted {
            v.fill(0.0);
        } else {
            v.iter_mut().for_each(|x| *x /= beta);
        }
        self.right.push(v);
        self.check(if exhausted { 0.0 } else { beta });
        // If value and residual are both zero, J maps the start to zero; a random start has a component in every
        // direction, so J = 0.
        let is_early =
            self.options.tolerance > LanczosOptions::LOOSE_TOLERANCE && self.iterations < LanczosOptions::LEAST_STEPS;
        self.done = exhausted || (!is_early && self.residual <= self.options.tolerance * self.value);
        if self.done || self.iterations >= self.options.max_iterations {
            return Status::Done;
        }
        let (value, relative_residual) = self.estimate();
        Status::Going { value, relative_residual }
    }

    /// Ends the iteration at a product that overflows or is NaN: that is then its value.
    fn stop_with(&mut self, value: f64) -> Status {
        self.value = value;
        self.residual = f64::NAN;
        self.done = true;
        Status::Done
    }

    /// Runs the iteration to its end.
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

    /// The leading triplet, with value and residual recomputed from the vectors (one more product with J and J^T). Where the
    /// iteration has met a product that is not finite, value and residual are not finite either.
    #[must_use]
    pub fn finish(&self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> SingularTriplet {
        let right = self.right_vectors(1).pop().unwrap_or_else(|| self.right[0].clone());
        let iterations = self.iterations;
        if !self.value.is_finite() {
            let left = vec![f64::NAN; operator.n_outputs()];
            return SingularTriplet { value: self.value, left, right, iterations, relative_residual: f64::NAN };
        }
        SingularTriplet::at(right, iterations, operator)
    }

    /// The leading singular values of B, largest first; each is a lower bound on the corresponding value of J.
    pub(super) fn values(&self) -> Vec<f64> {
        let values = small_svd(&self.small, self.left.len()).map_or_else(Vec::new, |(_, _, values)| values);
        values.into_iter().take(self.wanted).collect()
    }

    /// The right Ritz vectors of the `count` leading values.
    pub(super) fn right_vectors(&self, count: usize) -> Vec<Vec<f64>> {
        let size = self.left.len();
        let Some((_, svd_right, _)) = small_svd(&self.small, size) else { return Vec::new() };
        (0..count.min(size))
            .map(|at| {
                let mut right = vec![0.0; self.right[0].len()];
                for (vector, weight) in self.right.iter().zip(svd_right.row(at).iter()) {
                    add(&mut right, *weight, vector);
                }
                right
            })
            .collect()
    }

    /// Computes value and residual from B; `beta` is the norm of the vector outside the basis.
    fn check(&mut self, beta: f64) {
        let size = self.left.len();
        // For a small J the SVD of B costs more than a product, so it runs at every third step.
        let is_cheap = self.right[0].len() <= 1024 && self.checks == Checks::Seldom;
        if is_cheap && !size.is_multiple_of(3) && beta > 0.0 && size < self.options.max_basis {
            self.residual = f64::INFINITY;
            return;
        }
        if let Some((left, _, values)) = small_svd(&self.small, size) {
            self.value = values[0];
            self.residual = beta * left[(size - 1, 0)].abs();
            for at in 1..self.wanted {
                // A residual that is only rounding beside the first value counts as converged.
                let (value, residual) = match values.get(at) {
                    Some(value) => (*value, beta * left[(size - 1, at)].abs()),
                    None => (0.0, beta),
                };
                if residual > ROUNDING * self.value {
                    self.residual = maximum(self.residual, residual / value * self.value);
                }
            }
        }
    }

    /// Keeps the leading Ritz pairs and the vector outside the basis, which couples to all of them.
    fn restart(&mut self) {
        self.cycle = Cycle::Later;
        let size = self.left.len();
        let Some((left, right, values)) = small_svd(&self.small, size) else {
            self.done = true;
            return;
        };
        let next = self.right.pop().unwrap_or_default();
        combine(&mut self.left, self.kept, |old, new| left[(old, new)]);
        combine(&mut self.right, self.kept, |old, new| right[(new, old)]);
        self.right.push(next);
        self.small.fill(0.0);
        for (at, value) in values.iter().take(self.kept).enumerate() {
            self.small[(at, at)] = *value;
        }
    }
}

/// Replaces a basis by its first Ritz vectors, which are combinations of the basis vectors. Works in place, part by
/// part, so that old and new vectors are never held together.
fn combine(basis: &mut Vec<Vec<f64>>, count: usize, weight: impl Fn(usize, usize) -> f64 + Sync) {
    let operations = 2 * count * basis.len() * basis[0].len();
    let mut columns: Vec<_> = basis.iter_mut().map(|vector| vector.chunks_mut(PART)).collect();
    // For each part of the entries, the corresponding part of all vectors.
    let mut parts: Vec<Vec<&mut [f64]>> = Vec::new();
    while let Some(part) = columns.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>().filter(|p| !p.is_empty())
    {
        parts.push(part);
    }
    let buffers = Scratch::new(vec![0.0; count * PART]);
    parallel::for_each(Schedule::of(operations as u64), &mut parts, &|_, part| {
        let work = |combined: &mut Vec<f64>| {
            combined.fill(0.0);
            let len = part[0].len();
            for (new, target) in combined.chunks_exact_mut(PART).enumerate() {
                for (old, old_part) in part.iter().enumerate() {
                    add(&mut target[..len], weight(old, new), old_part);
                }
            }
            for (slot, source) in part.iter_mut().zip(combined.chunks_exact(PART)) {
                slot.copy_from_slice(&source[..len]);
            }
        };
        buffers.with(|| vec![0.0; count * PART], work);
    });
    basis.truncate(count);
}

/// Left vectors (columns), right vectors (rows) and values of the leading block, largest first.
fn small_svd(small: &DMatrix<f64>, size: usize) -> Option<(DMatrix<f64>, DMatrix<f64>, Vec<f64>)> {
    full_svd(&small.view((0, 0), (size, size)).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::diagonal::{Diagonal, Failing};
    use crate::spectral::vectors::dot;

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

    /// Every J v is a multiple of the first J v. Of the second J v, only rounding is left after the orthogonalisation,
    /// and this rest may point along the first.
    #[test]
    fn a_matrix_of_rank_one_is_exhausted_whatever_the_start() {
        struct RankOne(Vec<f64>);
        impl LinearOperator<f64> for RankOne {
            fn n_inputs(&self) -> usize {
                self.0.len()
            }
            fn n_outputs(&self) -> usize {
                3
            }
            fn apply(&mut self, v: &[f64], out: &mut [f64]) {
                out.fill(dot(&self.0, v));
            }
            fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
                out.iter_mut().zip(&self.0).for_each(|(out, x)| *out = x * u.iter().sum::<f64>());
            }
        }
        for seed in 0..200 {
            let mut random = Random::new(seed, Stream::Tokens);
            let mut matrix = RankOne((0..3).map(|_| random.normal().powi(3)).collect());
            let expected = dot(&matrix.0, &matrix.0).sqrt() * 3f64.sqrt();
            let found = Lanczos::new(3, LanczosOptions { seed, ..LanczosOptions::default() }).run(&mut matrix);
            assert!((found.value / expected - 1.0).abs() < 1e-13, "{seed}: {} for {expected}", found.value);
        }
    }

    /// Some of these starts have so little of the leading vector in them that the residual at 0.98 was small after six steps.
    #[test]
    fn a_loose_tolerance_does_not_stop_at_another_singular_value() {
        let others = (0..40).map(|i| 0.5 - 0.01 * f64::from(i));
        let mut operator = Diagonal([1.0, 0.98].into_iter().chain(others).collect());
        for seed in 0..4_000 {
            let options = LanczosOptions { tolerance: 3e-4, seed, ..LanczosOptions::default() };
            let found = Lanczos::new(42, options).run(&mut operator);
            assert!(found.value > 1.0 - 1e-6, "{seed}: {} after {} steps", found.value, found.iterations);
        }
    }

    /// Wherever the product stands: at the start, later, in a restarted basis, or in the steps for an upper bound.
    #[test]
    fn an_iteration_with_a_product_that_is_not_finite_has_no_finite_value_residual_or_upper_bound() {
        let matrix = || Diagonal((0..60).map(|i| 1.0 - 1e-3 * (f64::from(i) / 60.0).powi(2)).collect());
        let options = LanczosOptions { max_basis: 20, max_iterations: 60, tolerance: 1e-15, seed: 3 };
        for entry in [f64::NAN, -f64::NAN, f64::INFINITY] {
            for good_products in [0, 1, 2, 5, 12, 39, 40, 41, 70] {
                let mut operator = Failing { matrix: matrix(), good_products, entry };
                let mut lanczos = Lanczos::new(60, options).assured(Some(Assurance::default()));
                while let Status::Going { .. } = lanczos.step(&mut operator) {}
                let found = lanczos.finish(&mut operator);
                for value in [lanczos.estimate().0, found.value] {
                    assert_eq!(value.is_nan(), entry.is_nan(), "{entry} after {good_products}: {value}");
                    assert!(!value.is_finite(), "{entry} after {good_products}: {value}");
                }
                assert!(found.relative_residual.is_nan(), "{entry} after {good_products}");
                assert_eq!(lanczos.upper(Failure::RARE), None, "{entry} after {good_products}");
                assert_eq!(lanczos.assure(&mut operator), Status::Done);
            }
        }
    }

    #[test]
    fn after_a_product_that_is_not_finite_another_iteration_finds_the_value() {
        let matrix = || Diagonal((0..60).map(|i| 1.0 / f64::from(i + 1)).collect());
        for good_products in [0, 1, 2, 9, 12] {
            let mut operator = Failing { matrix: matrix(), good_products, entry: f64::INFINITY };
            let failed = Lanczos::new(60, LanczosOptions::default()).run(&mut operator);
            assert!(!failed.value.is_finite());
            let found = Lanczos::after(failed, LanczosOptions::default()).run(&mut matrix());
            assert!((found.value - 1.0).abs() < 1e-12 && found.relative_residual < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn restarts_keep_the_bases_orthonormal_and_decompose_the_small_matrix_to_rounding() {
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
