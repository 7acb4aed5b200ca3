//! Forward derivatives: a number with its derivatives in every entry of every token.

use super::real::Real;

/// A number and its derivatives; a constant has no list of them.
#[derive(Clone, Debug)]
pub struct Dual {
    pub value: Real,
    pub slopes: Vec<Real>,
}

impl Dual {
    #[must_use]
    pub fn constant(value: Real) -> Self {
        Dual { value, slopes: Vec::new() }
    }

    /// Variable `at` of `count`.
    #[must_use]
    pub fn variable(value: Real, at: usize, count: usize) -> Self {
        let slopes = (0..count).map(|other| if other == at { Real::one() } else { Real::zero() }).collect();
        Dual { value, slopes }
    }

    /// f(x) with its value and its derivative at x.
    #[must_use]
    pub fn through(&self, value: Real, slope: &Real) -> Self {
        Dual { value, slopes: self.slopes.iter().map(|own| own * slope).collect() }
    }

    #[must_use]
    pub fn times(&self, factor: &Real) -> Self {
        self.through(&self.value * factor, factor)
    }

    #[must_use]
    pub fn plus(&self, shift: &Real) -> Self {
        Dual { value: &self.value + shift, slopes: self.slopes.clone() }
    }

    #[must_use]
    pub fn add(&self, other: &Dual) -> Self {
        Dual { value: &self.value + &other.value, slopes: zipped(self, other, |a, b| a + b) }
    }

    #[must_use]
    pub fn sub(&self, other: &Dual) -> Self {
        Dual { value: &self.value - &other.value, slopes: zipped(self, other, |a, b| a - b) }
    }

    #[must_use]
    pub fn mul(&self, other: &Dual) -> Self {
        let slopes = zipped(self, other, |a, b| &(a * &other.value) + &(b * &self.value));
        Dual { value: &self.value * &other.value, slopes }
    }

    #[must_use]
    pub fn div(&self, other: &Dual) -> Self {
        let value = &self.value / &other.value;
        let slopes = zipped(self, other, |a, b| &(a - &(b * &value)) / &other.value);
        Dual { value, slopes }
    }

    #[must_use]
    pub fn sqrt(&self) -> Self {
        let root = self.value.sqrt();
        let slope = &Real::new(0.5) / &root;
        self.through(root, &slope)
    }

    #[must_use]
    pub fn exp(&self) -> Self {
        let value = self.value.exp();
        self.through(value.clone(), &value)
    }

    #[must_use]
    pub fn sum(all: impl IntoIterator<Item = Dual>) -> Self {
        all.into_iter().fold(Dual::constant(Real::zero()), |sum, one| sum.add(&one))
    }
}

fn zipped(a: &Dual, b: &Dual, of: impl Fn(&Real, &Real) -> Real) -> Vec<Real> {
    let zero = Real::zero();
    let count = a.slopes.len().max(b.slopes.len());
    (0..count).map(|at| of(a.slopes.get(at).unwrap_or(&zero), b.slopes.get(at).unwrap_or(&zero))).collect()
}
