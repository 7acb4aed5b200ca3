//! The leading singular triplets, including repeated values, each with its own residual.
//!
//! A Krylov space from one start vector contains one copy of a repeated singular value, however long the iteration. So
//! converged triplets are deflated from J, and further iterations from other starts look for missed copies, until an
//! iteration finds nothing above the last of the leading values.

use super::lanczos::{Lanczos, LanczosOptions, Status};
use super::vectors::{SingularTriplet, add, dot};
use crate::extremum::{descending, maximum};
use crate::jacobian::LinearOperator;

/// Computes the leading triplets: each [`Leading::step`] is one product with J and J^T, or the check of one triplet.
#[derive(Clone, Debug)]
pub struct Leading {
    count: usize,
    options: LanczosOptions,
    n_inputs: usize,
    /// Largest first.
    found: Vec<SingularTriplet>,
    stage: Stage,
    /// Steps of the finished iterations.
    iterations: usize,
    /// Number of iterations begun.
    rounds: u64,
}

#[derive(Clone, Debug)]
enum Stage {
    Iterating(Box<Lanczos>),
    /// Right vectors whose triplets are not computed yet.
    Checking(Vec<Vec<f64>>),
    Done,
}

/// Values below this times the largest are zero to rounding (see [`zero_below`]).
const ZERO: f64 = 1e-13;
/// Values whose relative difference is smaller are copies of one value.
const SAME: f64 = 1e-12;

/// The threshold, relative to the largest singular value, below which values are zero to rounding: the usual one for
/// the numerical rank of an n_rows x n_columns matrix.
#[must_use]
pub fn zero_below(n_rows: usize, n_columns: usize) -> f64 {
    (f64::EPSILON * n_rows.max(n_columns) as f64).max(ZERO)
}

impl Leading {
    /// For the `count` leading triplets of a map on vectors of length `n_inputs`. The tolerance applies to each value's
    /// own residual, the step limit to all iterations together.
    #[must_use]
    pub fn new(n_inputs: usize, count: usize, options: LanczosOptions) -> Self {
        let count = count.clamp(1, n_inputs.max(1));
        let first = Lanczos::leading(n_inputs, count, options);
        let stage = Stage::Iterating(Box::new(first));
        Leading { count, options, n_inputs, found: Vec::new(), stage, iterations: 0, rounds: 1 }
    }

    /// Does one step: a step of an iteration, or the check of one triplet.
    pub fn step(&mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> Status {
        match std::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Done => return Status::Done,
            Stage::Iterating(mut lanczos) => {
                let status = lanczos.step(&mut Deflated { operator, found: &self.found });
                let is_going = matches!(status, Status::Going { .. }) && !self.is_below(status);
                if is_going {
                    self.stage = Stage::Iterating(lanczos);
                } else {
                    self.iterations += lanczos.iterations();
                    if !lanczos.estimate().0.is_finite() {
                        // What the iteration would have found is unknown, so no list of values is complete.
                        self.found.push(lanczos.finish(operator));
                        return Status::Done;
                    }
                    let wanted = if self.rounds == 1 { self.count } else { 1 };
                    self.stage = match self.is_below(status) {
                        true => Stage::Done,
                        false => Stage::Checking(lanczos.right_vectors(wanted)),
                    };
                }
            }
            Stage::Checking(mut waiting) => {
                if let Some(mut right) = waiting.pop() {
                    // If the deflated J is zero any vector is a singular vector, but it must be orthogonal to the known
                    // ones.
                    self.found.iter().for_each(|triplet| take_out(&mut right, &triplet.right));
                    self.found.push(SingularTriplet::at(right, self.iterations, operator));
                    self.stage = Stage::Checking(waiting);
                } else {
                    self.stage = self.look_again(operator.n_outputs());
                }
            }
        }
        match self.stage {
            Stage::Done => Status::Done,
            _ => {
                let (value, relative_residual) = self.estimate();
                Status::Going { value, relative_residual }
            }
        }
    }

    /// Steps so far.
    #[must_use]
    pub fn iterations(&self) -> usize {
        match &self.stage {
            Stage::Iterating(lanczos) => self.iterations + lanczos.iterations(),
            _ => self.iterations,
        }
    }

    /// The values so far, largest first; each is a lower bound on the corresponding singular value.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.found.iter().map(|triplet| triplet.value).collect();
        match &self.stage {
            Stage::Iterating(lanczos) => values.extend(lanczos.values()),
            Stage::Checking(_) | Stage::Done => {}
        }
        values.sort_by(descending);
        values.truncate(self.count);
        values
    }

    /// Runs the search to its end.
    #[must_use]
    pub fn run(mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) -> Vec<SingularTriplet> {
        while let Status::Going { .. } = self.step(operator) {}
        self.finish()
    }

    /// The triplets, largest first; fewer than `count` if the others are zero to rounding. The first value is infinite or NaN
    /// where a product was.
    #[must_use]
    pub fn finish(mut self) -> Vec<SingularTriplet> {
        self.sort();
        self.found.truncate(self.count);
        self.found
    }

    fn estimate(&self) -> (f64, f64) {
        match (&self.stage, self.found.first()) {
            (Stage::Iterating(lanczos), None) => lanczos.estimate(),
            (_, Some(first)) => (first.value, first.relative_residual),
            _ => (0.0, f64::INFINITY),
        }
    }

    /// Whether an iteration on the deflated map has shown that no larger value was missed: its value lies below the
    /// last leading value.
    fn is_below(&self, status: Status) -> bool {
        /// Below this relative residual, the value of the iteration is accurate enough to decide this.
        const SURE: f64 = 1e-2;
        match (status, self.found.get(self.count - 1)) {
            (Status::Going { value, relative_residual }, Some(last)) => {
                relative_residual < SURE && value * (1.0 + relative_residual) < last.value
            }
            _ => false,
        }
    }

    fn sort(&mut self) {
        self.found.sort_by(|a, b| descending(&a.value, &b.value));
    }

    /// The last of the leading values before the newest triplet was added; zero if there were fewer.
    fn last_before_newest(&self) -> f64 {
        let mut values: Vec<f64> = self.found.iter().rev().skip(1).map(|triplet| triplet.value).collect();
        values.sort_by(descending);
        values.get(self.count - 1).copied().unwrap_or(0.0)
    }

    /// Decides after the triplets of an iteration whether another iteration is needed.
    fn look_again(&mut self, n_outputs: usize) -> Stage {
        let newest = self.found.last().map_or(0.0, |triplet| triplet.value);
        let last = self.last_before_newest();
        self.sort();
        let largest = self.found.first().map_or(0.0, |triplet| triplet.value);
        if !largest.is_finite() {
            return Stage::Done;
        }
        let zero = zero_below(self.n_inputs, n_outputs) * largest;
        self.found.retain(|triplet| triplet.value > zero);
        let is_complete = self.found.len() >= self.n_inputs.min(n_outputs);
        let found_nothing = self.rounds > 1 && newest <= maximum(last * (1.0 + SAME), zero);
        let steps_left = self.options.max_iterations.saturating_sub(self.iterations);
        if is_complete || found_nothing || steps_left == 0 || largest == 0.0 {
            return Stage::Done;
        }
        let options =
            LanczosOptions { max_iterations: steps_left, seed: self.options.seed + self.rounds, ..self.options };
        self.rounds += 1;
        Stage::Iterating(Box::new(Lanczos::new(self.n_inputs, options)))
    }
}

/// The deflated map (I - U U^T) J (I - V V^T), with the known triplets in U and V.
struct Deflated<'a, O: ?Sized> {
    operator: &'a mut O,
    found: &'a [SingularTriplet],
}

impl<O: LinearOperator<f64> + ?Sized> LinearOperator<f64> for Deflated<'_, O> {
    fn n_inputs(&self) -> usize {
        self.operator.n_inputs()
    }

    fn n_outputs(&self) -> usize {
        self.operator.n_outputs()
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        if self.found.is_empty() {
            return self.operator.apply(v, out);
        }
        let mut v = v.to_vec();
        self.found.iter().for_each(|triplet| take_out(&mut v, &triplet.right));
        self.operator.apply(&v, out);
        self.found.iter().for_each(|triplet| take_out(out, &triplet.left));
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        if self.found.is_empty() {
            return self.operator.apply_transpose(u, out);
        }
        let mut u = u.to_vec();
        self.found.iter().for_each(|triplet| take_out(&mut u, &triplet.left));
        self.operator.apply_transpose(&u, out);
        self.found.iter().for_each(|triplet| take_out(out, &triplet.right));
    }
}

fn take_out(vector: &mut [f64], unit: &[f64]) {
    let along = dot(vector, unit);
    add(vector, -along, unit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::diagonal::{Diagonal, Failing};

    /// Also in a later iteration, which looks for missed copies of a value.
    #[test]
    fn a_product_that_is_not_finite_is_in_the_list_of_values() {
        let matrix = || Diagonal(vec![3.0, 3.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.1]);
        let mut whole = Failing { matrix: matrix(), good_products: 10_000, entry: f64::NAN };
        let found = Leading::new(8, 3, LanczosOptions::default()).run(&mut whole);
        assert_eq!(found.iter().map(|triplet| triplet.value.round()).collect::<Vec<_>>(), [3.0, 3.0, 2.0]);
        let n_products = 10_000 - whole.good_products;
        for entry in [f64::NAN, -f64::NAN, f64::INFINITY] {
            // The last product gives the residual of a value that is not in the list.
            for good_products in 0..n_products - 1 {
                let mut operator = Failing { matrix: matrix(), good_products, entry };
                let found = Leading::new(8, 3, LanczosOptions::default()).run(&mut operator);
                let is_finite =
                    found.iter().all(|triplet| triplet.value.is_finite() && triplet.relative_residual.is_finite());
                assert!(!found.is_empty() && !is_finite, "{entry} after {good_products} of {n_products}: {found:?}");
            }
        }
    }
}
