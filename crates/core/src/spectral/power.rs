//! Plain power iteration on J^T J: widely used, but slow where singular values are close. It is here for comparison.

use super::vectors::norm;
use crate::jacobian::LinearOperator;
use crate::random::{Random, Stream};

/// The state of a power iteration: each [`PowerIteration::step`] is one product with J and one with J^T.
#[derive(Clone, Debug)]
pub struct PowerIteration {
    /// Unit vector to be multiplied next.
    right: Vec<f64>,
    value: f64,
    relative_residual: f64,
    iterations: usize,
}

impl PowerIteration {
    /// Starts from a seeded random vector, the same one as a Lanczos iteration with that seed.
    #[must_use]
    pub fn new(n_inputs: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, Stream::StartVector);
        let mut right: Vec<f64> = (0..n_inputs).map(|_| random.normal()).collect();
        let length = norm(&right).max(f64::MIN_POSITIVE);
        right.iter_mut().for_each(|x| *x /= length);
        PowerIteration { right, value: 0.0, relative_residual: f64::INFINITY, iterations: 0 }
    }

    /// Computes s = |J v| and its residual |J^T J v - s^2 v| / s^2, then v <- J^T J v / |J^T J v|.
    pub fn step(&mut self, operator: &mut (impl LinearOperator<f64> + ?Sized)) {
        let mut left = vec![0.0; operator.n_outputs()];
        operator.apply(&self.right, &mut left);
        self.value = norm(&left);
        self.iterations += 1;
        if self.value == 0.0 || !self.value.is_finite() {
            self.relative_residual = if self.value == 0.0 { 0.0 } else { f64::NAN };
            return;
        }
        left.iter_mut().for_each(|x| *x /= self.value);
        let mut next = vec![0.0; operator.n_inputs()];
        operator.apply_transpose(&left, &mut next);
        let rest: Vec<f64> = next.iter().zip(&self.right).map(|(x, v)| x - self.value * v).collect();
        self.relative_residual = norm(&rest) / self.value;
        let length = norm(&next);
        if length > 0.0 {
            next.iter_mut().for_each(|x| *x /= length);
            self.right = next;
        }
    }

    /// s: never above ||J||_2, and never below the value of the previous step; infinite or NaN where a product is.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// |J^T u - s v| / s of the current vectors.
    #[must_use]
    pub fn relative_residual(&self) -> f64 {
        self.relative_residual
    }

    /// Steps so far.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectral::diagonal::{Diagonal, Failing};

    #[test]
    fn a_product_that_is_not_finite_is_no_value_with_a_small_residual() {
        for entry in [f64::NAN, -f64::NAN, f64::INFINITY] {
            for good_products in 0..6 {
                let mut operator = Failing { matrix: Diagonal(vec![2.0, 1.0, 0.5]), good_products, entry };
                let mut power = PowerIteration::new(3, 0);
                (0..=good_products / 2).for_each(|_| power.step(&mut operator));
                assert!(!power.relative_residual().is_finite(), "{entry} after {good_products}");
                let is_of_apply = good_products.is_multiple_of(2);
                assert_eq!(power.value().is_nan(), entry.is_nan() && is_of_apply, "{entry} after {good_products}");
            }
        }
    }
}
