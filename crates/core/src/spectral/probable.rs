//! A probable upper bound on ||J||_2 from the iteration that finds it, for any map that gives products.
//!
//! Let p_0, p_1, .. be the Lanczos polynomials of T = B^T B, where B holds the first cycle of the bidiagonalisation and its
//! next off-diagonal entry, and b the part of the unit start vector in a leading right vector of J. Then
//! b^2 sum_(j<=k) p_j(||J||^2)^2 <= 1, since b p_j(||J||^2) are parts of a unit vector along orthonormal ones. So
//! ||J||^2 > t with sum p_j(t)^2 >= 1/delta^2 needs |b| < delta, which for a start drawn uniformly has a probability below
//! delta sqrt(2 (N - 1)/pi). Ours, after Kuczynski and Wozniakowski (SIAM J. Matrix Anal. Appl. 13, 1992) and van
//! Dorsselaer, Hochstenbach and van der Vorst (ibid. 22, 2001); the proof is in docs/numerics.md ("An upper number for
//! every map").

use crate::extremum::{largest, maximum};
use serde::{Deserialize, Serialize};

/// The probability that a probable bound fails, over the seeds of the start vector: above 0, at most 1/2.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Failure(f64);

impl Failure {
    /// One seed in a billion.
    pub const RARE: Failure = Failure(1e-9);
    /// One seed in a thousand.
    pub const OCCASIONAL: Failure = Failure(1e-3);

    /// A probability; `None` unless it is above 0 and at most 1/2.
    #[must_use]
    pub fn new(probability: f64) -> Option<Self> {
        (probability > 0.0 && probability <= 0.5).then_some(Failure(probability))
    }

    /// The probability.
    #[must_use]
    pub fn probability(self) -> f64 {
        self.0
    }
}

/// An upper bound on ||J||_2 that fails with a stated probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbableUpper {
    /// The bound; never below the value of the iteration.
    pub value: f64,
    /// The probability, over the seeds of the start vector, that ||J||_2 is larger.
    pub failure: f64,
}

impl ProbableUpper {
    /// The bound where the norm is known to be at least `value`, such as a value that rounds above that of the iteration.
    #[must_use]
    #[doc(hidden)]
    pub fn at_least(self, value: f64) -> Self {
        ProbableUpper { value: maximum(self.value, value), ..self }
    }

    /// The bound for a map that may differ from that of the iteration by this much in norm.
    #[must_use]
    #[doc(hidden)]
    pub fn plus(self, moved: f64) -> Self {
        ProbableUpper { value: self.value + moved, ..self }
    }
}

/// When an iteration that has converged stops to look for a smaller upper bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assurance {
    /// The probability that the bound fails.
    pub failure: Failure,
    /// The relative distance of the bound from the value at which to stop.
    pub within: f64,
    /// The most steps after convergence, each of one product with J and one with J^T.
    pub further_steps: usize,
}

impl Default for Assurance {
    /// One seed in a billion, within a thousandth, at most ten steps.
    fn default() -> Self {
        Assurance { failure: Failure::RARE, within: 1e-3, further_steps: 10 }
    }
}

/// How the start vector of an iteration was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Start {
    /// Drawn uniformly on the sphere.
    Uniform,
    /// A unit vector that does not depend on the draw, plus `share` times a unit vector that was drawn uniformly.
    Planned {
        /// Length of the drawn part.
        share: f64,
    },
    /// In another way: no bound follows.
    Given,
}

/// The entries of B until the first restart: what an upper bound is computed from.
#[derive(Clone, Debug)]
pub(super) struct FirstCycle {
    start: Start,
    n_inputs: usize,
    /// The diagonal of B.
    alphas: Vec<f64>,
    /// Beside it; the last one is that of the vector outside the basis.
    betas: Vec<f64>,
    /// The largest difference between two products that are equal in exact arithmetic: how far the products are rounded.
    rounding: f64,
}

impl FirstCycle {
    pub(super) fn new(start: Start, n_inputs: usize) -> Self {
        FirstCycle { start, n_inputs, alphas: Vec::new(), betas: Vec::new(), rounding: 0.0 }
    }

    /// Adds a step, and how far its products are rounded.
    pub(super) fn push(&mut self, alpha: f64, beta: f64, rounding: f64) {
        self.alphas.push(alpha);
        self.betas.push(beta);
        self.rounding = maximum(self.rounding, rounding);
    }

    /// How far the parts of the next J v along the left vectors are from what the products with J^T said.
    pub(super) fn rounding_of_couplings(&self, couplings: &[f64]) -> f64 {
        let Some((last, others)) = couplings.split_last() else { return 0.0 };
        let said = self.betas.last().copied().unwrap_or(0.0);
        maximum((last - said).abs(), largest(others.iter().map(|x| x.abs())))
    }

    /// The bound; `None` for a start that was not drawn, before the first step, where numbers overflow, and for a failure so
    /// rare that the rounding of 64-bit numbers would decide.
    pub(super) fn upper(&self, failure: Failure) -> Option<ProbableUpper> {
        let scale = largest(self.alphas.iter().chain(&self.betas).map(|x| x.abs()));
        if self.alphas.is_empty() || !scale.is_finite() {
            return None;
        }
        let rounding = if scale > 0.0 { maximum(ROUNDING, self.rounding / scale) } else { ROUNDING };
        let part = self.least_part(failure, rounding)?;
        if scale == 0.0 {
            return Some(ProbableUpper { value: 0.0, failure: failure.0 });
        }
        // In units of the largest entry, so that no square overflows.
        let of = |entries: &[f64]| entries.iter().map(|x| x / scale).collect::<Vec<f64>>();
        let square = smallest_square(&Tridiagonal::of(&of(&self.alphas), &of(&self.betas)), part)?;
        let widened = 1.0 + rounding * (self.alphas.len() as f64 + 8.0);
        Some(ProbableUpper { value: scale * square.sqrt() * widened, failure: failure.0 })
    }

    /// delta, the part of the start in a leading right vector that is smaller with the given probability at most; the
    /// rounding of the products moves it.
    fn least_part(&self, failure: Failure, rounding: f64) -> Option<f64> {
        let share = match self.start {
            Start::Uniform => 1.0,
            // Of all places of the planned part, zero is where the drawn one fails most often: its entries have densities
            // that fall away from zero, in at least three dimensions.
            Start::Planned { share } if self.n_inputs > 2 => share / (1.0 + share),
            Start::Planned { .. } | Start::Given => return None,
        };
        if self.n_inputs < 2 {
            return Some(1.0);
        }
        // The density of one entry of a uniform unit vector is largest at 0, where it is at most sqrt((N - 1)/(2 pi)).
        let part = share * failure.0 / (2.0 / std::f64::consts::PI * (self.n_inputs - 1) as f64).sqrt();
        let moved = rounding * self.alphas.len() as f64;
        (part > 2.0 * moved).then_some(part - moved)
    }
}

/// How far the parts of J^T u along the right vectors are from what the product with J said: alpha along the last one.
pub(super) fn rounding_of_back(back: &[f64], alpha: f64) -> f64 {
    let Some((last, others)) = back.split_last() else { return 0.0 };
    maximum((last - alpha).abs(), largest(others.iter().map(|x| x.abs())))
}

/// The least rounding of one step, relative.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// T = B^T B, and the next entry beside its diagonal.
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

impl Tridiagonal {
    fn of(alphas: &[f64], betas: &[f64]) -> Self {
        let before = [0.0].into_iter().chain(betas.iter().copied());
        Tridiagonal {
            diagonal: alphas.iter().zip(before).map(|(alpha, beta)| alpha * alpha + beta * beta).collect(),
            beside: alphas.iter().zip(betas).map(|(alpha, beta)| alpha * beta).collect(),
        }
    }

    /// Whether t is at least the largest zero of p_k and sum p_j(t)^2 is at least `least`.
    fn reaches(&self, t: f64, least: f64) -> bool {
        let (mut before, mut now, mut beside_before) = (0.0, 1.0, 0.0);
        let mut sum = 1.0;
        let mut has_reached = sum >= least;
        for (diagonal, beside) in self.diagonal.iter().zip(&self.beside) {
            let rest = (t - diagonal) * now - beside_before * before;
            // All p_j are positive above the largest zero of p_k.
            if rest < 0.0 {
                return false;
            }
            if *beside == 0.0 {
                // The space is exhausted: above its largest value the next polynomial is infinite.
                return has_reached || rest > 0.0;
            }
            (before, now) = (now, rest / beside);
            sum += now * now;
            has_reached |= sum >= least;
            beside_before = *beside;
            if now > 1e100 {
                // Only the signs of the other polynomials count.
                (before, now) = (before * 1e-100, now * 1e-100);
            }
        }
        has_reached
    }
}

/// The smallest t with sum p_j(t)^2 >= 1/part^2 at or above the largest zero of p_k; `None` if it overflows.
fn smallest_square(of: &Tridiagonal, part: f64) -> Option<f64> {
    let least = part.powi(-2);
    let mut high = of.diagonal.iter().copied().fold(f64::MIN_POSITIVE, maximum);
    while !of.reaches(high, least) {
        high *= 2.0;
        if !high.is_finite() {
            return None;
        }
    }
    let mut low = 0.0;
    // At most as many halvings as an f64 has values between the two.
    for _ in 0..128 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if of.reaches(middle, least) { high = middle } else { low = middle }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jacobian::LinearOperator;
    use crate::spectral::diagonal::Diagonal;
    use crate::spectral::{Lanczos, LanczosOptions, Status};

    /// Values that fall evenly from 1 to 0.
    fn even(n: usize) -> Vec<f64> {
        (0..n).map(|at| 1.0 - at as f64 / n as f64).collect()
    }

    fn run(values: &[f64], start: impl FnOnce(LanczosOptions) -> Lanczos, steps: usize) -> Lanczos {
        let options =
            LanczosOptions { tolerance: 0.0, max_iterations: steps, max_basis: steps + 4, ..LanczosOptions::default() };
        let (mut lanczos, mut operator) =
            (start(options).assured(Some(Assurance::default())), Diagonal(values.to_vec()));
        while let Status::Going { .. } = lanczos.step(&mut operator) {}
        lanczos
    }

    /// A start whose part in the leading vector is `part`, and whose other parts are equal.
    fn with_part(n: usize, part: f64) -> Vec<f64> {
        let mut start = vec![((1.0 - part * part) / (n - 1) as f64).sqrt(); n];
        start[0] = part;
        start
    }

    /// The bound holds for every start that is not in the set of the failures, up to the very edge of that set, however rare
    /// a failure is.
    #[test]
    fn a_start_at_the_edge_of_the_failures_is_still_bounded() {
        let n = 1000;
        for (failure, values) in [(Failure::RARE, even(n)), (Failure::OCCASIONAL, even(n)), (Failure(0.1), even(n))]
            .into_iter()
            .chain([(Failure::RARE, [vec![1.0], even(n - 1).iter().map(|x| 0.5 * x).collect()].concat())])
        {
            let part = failure.probability() / (2.0 / std::f64::consts::PI * (n - 1) as f64).sqrt();
            for steps in [1, 2, 5, 10, 20, 40, 80] {
                let begin = |options| Lanczos::from_uniform(with_part(n, part * 1.0001), options);
                let lanczos = run(&values, begin, steps);
                let upper = lanczos.upper(failure).expect("a bound");
                assert!(upper.value >= 1.0, "{failure:?} {steps}: {upper:?}");
                // Nothing else is known of the start, so that the bound is not far above.
                let (value, _) = lanczos.estimate();
                assert!(steps < 80 || upper.value <= 1.03, "{failure:?} {steps}: {value} {upper:?}");
            }
        }
    }

    #[test]
    fn the_bound_falls_with_every_step_and_meets_the_value_of_an_exhausted_space() {
        let values = even(12);
        let mut last = f64::INFINITY;
        for steps in 1..=12 {
            let upper =
                run(&values, |options| Lanczos::new(12, options), steps).upper(Failure::RARE).expect("a bound").value;
            assert!((1.0..=last * (1.0 + 1e-12)).contains(&upper), "{steps}: {upper} {last}");
            last = upper;
        }
        assert!((last - 1.0).abs() <= 1e-13, "{last}");
        let zero = run(&[0.0; 5], |options| Lanczos::new(5, options), 5);
        assert_eq!(zero.upper(Failure::RARE).map(|upper| upper.value), Some(0.0));
        let one = run(&[3.0], |options| Lanczos::new(1, options), 1).upper(Failure::RARE).expect("a bound");
        assert!((one.value - 3.0).abs() <= 1e-13, "{one:?}");
    }

    #[test]
    fn numbers_of_any_size_have_a_bound_and_a_given_start_none() {
        for scale in [1e-200, 1.0, 1e150] {
            let values: Vec<f64> = even(50).iter().map(|x| scale * x).collect();
            let upper =
                run(&values, |options| Lanczos::new(50, options), 20).upper(Failure::RARE).expect("a bound").value;
            assert!((scale..scale * 1.5).contains(&upper), "{scale:e}: {upper:e}");
        }
        let given = run(&even(50), |options| Lanczos::from_vector(vec![1.0; 50], options), 5);
        assert_eq!(given.upper(Failure::RARE), None);
        assert_eq!(Lanczos::new(50, LanczosOptions::default()).upper(Failure::RARE), None);
    }

    /// A map whose products are rounded to seven digits says nothing at one seed in a billion.
    #[test]
    fn products_in_f32_give_no_bound_that_their_rounding_would_decide() {
        struct Rounded(Diagonal);
        impl LinearOperator<f64> for Rounded {
            fn n_inputs(&self) -> usize {
                self.0.n_inputs()
            }
            fn n_outputs(&self) -> usize {
                self.0.n_outputs()
            }
            fn apply(&mut self, v: &[f64], out: &mut [f64]) {
                self.0.apply(v, out);
                out.iter_mut().for_each(|x| *x = f64::from(*x as f32));
            }
            fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
                self.apply(u, out);
            }
        }
        let mut operator = Rounded(Diagonal(even(300)));
        let mut lanczos = Lanczos::new(300, LanczosOptions { max_iterations: 30, ..LanczosOptions::default() });
        while let Status::Going { .. } = lanczos.step(&mut operator) {}
        assert_eq!(lanczos.upper(Failure::RARE), None);
        assert!(lanczos.upper(Failure(0.1)).is_some_and(|upper| upper.value >= 1.0));
    }

    #[test]
    fn only_probabilities_up_to_a_half_are_failures() {
        let known = [0.0, -1.0, f64::NAN, 0.6, 1e-9, 0.5].map(|x| Failure::new(x).map(Failure::probability));
        assert_eq!(known, [None, None, None, None, Some(1e-9), Some(0.5)]);
    }

    #[test]
    fn a_few_further_steps_bring_the_bound_near_the_value() {
        let mut operator = Diagonal([vec![1.0], even(999).iter().map(|x| 0.7 * x).collect()].concat());
        let options = LanczosOptions { tolerance: 1e-6, max_basis: 16, ..LanczosOptions::default() };
        let mut lanczos = Lanczos::new(1000, options).assured(Some(Assurance::default()));
        while let Status::Going { .. } = lanczos.step(&mut operator) {}
        let (before, steps) = (lanczos.upper(Failure::RARE).expect("a bound").value, lanczos.iterations());
        assert!(before > 1.001, "{before}");
        while let Status::Going { .. } = lanczos.assure(&mut operator) {}
        let (after, more) = (lanczos.upper(Failure::RARE).expect("a bound").value, lanczos.iterations() - steps);
        assert!((1.0..=1.001).contains(&after) && (1..=10).contains(&more), "{after} {more}");
    }
}
