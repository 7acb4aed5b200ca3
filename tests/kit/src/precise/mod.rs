//! The norm of the Jacobian of an experiment to more than 60 digits: a reference for every variant of attention that shares no
//! formula with the engine.
//!
//! The map is written out from its definition (`attention`) in numbers of 120 digits (`real`), with forward derivatives of its
//! exact operations (`dual`). The norm is enclosed: a Rayleigh quotient is a lower bound, and a factorisation of s^2 I - J^T J
//! with positive pivots proves that s is an upper one. Everything is computed once more with 20 digits fewer, and the enclosure
//! is widened by the difference: it is 1e20 times the rounding of the first. So a map that cancels to nothing has an enclosure
//! from 0 on, and no digits that are rounding.

mod attention;
mod dual;
mod real;

use lipscope_core::experiment::{Experiment, InputError};
use nalgebra::{DMatrix, SymmetricEigen};

pub use real::Real;
use real::{BITS, with_bits};

/// The norm of a Jacobian, enclosed.
#[derive(Clone, Debug)]
pub struct PreciseNorm {
    /// A lower bound on the norm.
    pub below: Real,
    /// An upper bound on the norm.
    pub above: Real,
    /// The Jacobian, n d_out x n d, as the nearest f64.
    pub jacobian: DMatrix<f64>,
    /// For ReLU weights: how near a score is to 0, relative to the numbers that it is the sum of. Below the precision of f64 its
    /// sign, and with it the derivative, is not known in f64. Infinite for other weights.
    pub nearest_kink: f64,
}

impl PreciseNorm {
    /// The norm as the nearest f64, to the width of the enclosure.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.below.to_f64()
    }

    /// The width of the enclosure, relative to the norm.
    #[must_use]
    pub fn width(&self) -> f64 {
        if self.above.is_zero() { 0.0 } else { (&(&self.above - &self.below) / &self.above).to_f64() }
    }

    /// Whether the norm is above this number.
    #[must_use]
    pub fn is_above(&self, number: f64) -> bool {
        number.is_finite() && self.below > Real::new(number)
    }

    /// This number over the norm, minus 1: 0 within the enclosure, infinite where only the norm is 0.
    #[must_use]
    pub fn relative_error(&self, number: f64) -> f64 {
        self.relative_error_of(&Real::new(number))
    }

    /// As [`PreciseNorm::relative_error`], for a number of any digits.
    #[must_use]
    pub fn relative_error_of(&self, number: &Real) -> f64 {
        let nearest = match (*number < self.below, *number > self.above) {
            (true, _) => &self.below,
            (_, true) => &self.above,
            _ => return 0.0,
        };
        if nearest.is_zero() { f64::INFINITY } else { (&(number - nearest) / nearest).to_f64() }
    }
}

/// The norm of the Jacobian of an experiment at a list of tokens; `None` where a normaliser has no derivative, or linear
/// attention only features below e^-1e12.
///
/// # Errors
/// [`InputError`] if tokens and weights do not fit together.
pub fn precise_norm(experiment: &Experiment) -> Result<Option<PreciseNorm>, InputError> {
    let Some(rough) = with_bits(BITS - 64, || enclosed_norm(experiment))? else { return Ok(None) };
    let Some(norm) = enclosed_norm(experiment)? else { return Ok(None) };
    let differences = [&norm.below - &rough.below, &norm.above - &rough.above];
    let rounding = differences.iter().fold(Real::zero(), |most, difference| most.largest(difference.abs()));
    let below = (&norm.below - &rounding).largest(Real::zero());
    // An entry that cancels to nothing is 0, and no rounding of the first.
    let jacobian =
        norm.jacobian.zip_map(
            &rough.jacobian,
            |entry, rough| {
                if (entry - rough).abs() <= 1e-14 * entry.abs() { entry } else { 0.0 }
            },
        );
    Ok(Some(PreciseNorm { below, above: &norm.above + &rounding, jacobian, ..norm }))
}

fn enclosed_norm(experiment: &Experiment) -> Result<Option<PreciseNorm>, InputError> {
    let Some(outputs) = attention::outputs(experiment)? else { return Ok(None) };
    let columns = outputs.n_inputs;
    let zero = Real::zero();
    let rows: Vec<Vec<Real>> = outputs
        .numbers
        .iter()
        .map(|number| (0..columns).map(|at| number.slopes.get(at).unwrap_or(&zero).clone()).collect())
        .collect();
    let jacobian = DMatrix::from_fn(rows.len(), columns, |i, j| rows[i][j].to_f64());
    let (below, above) = enclosure(&rows, columns);
    Ok(Some(PreciseNorm { below, above, jacobian, nearest_kink: outputs.nearest_kink }))
}

/// A lower and an upper bound on the largest singular value of a matrix, given by rows.
fn enclosure(rows: &[Vec<Real>], columns: usize) -> (Real, Real) {
    let entry = |i: usize, j: usize| &rows[i][j];
    let gram = if rows.len() <= columns {
        gram(rows.len(), columns, |i, at| entry(i, at))
    } else {
        gram(columns, rows.len(), |j, at| entry(at, j))
    };
    let trace = gram.iter().enumerate().fold(Real::zero(), |sum, (i, row)| &sum + &row[i]);
    if trace.is_zero() {
        return (Real::zero(), Real::zero());
    }
    // The start: the leading eigenvector in f64. Scaled by its trace, no large entry leaves the range of f64.
    let exponent = trace.exponent();
    let scaled = DMatrix::from_fn(gram.len(), gram.len(), |i, j| gram[i.max(j)][i.min(j)].shifted(-exponent).to_f64());
    let eigen = SymmetricEigen::new(scaled);
    let leading = eigen.eigenvalues.imax();
    let start = eigen.eigenvectors.column(leading);
    // Without one the iteration begins at a vector that no symmetry makes orthogonal to the leading one.
    let entry = |i: usize| if start.sum().is_finite() { start[i] } else { 1.0 + 0.37 * i as f64 };
    let mut vector: Vec<Real> = (0..start.len()).map(|i| Real::new(entry(i))).collect();
    let mut below = rayleigh(&gram, &vector);
    let mut above = trace;
    let mut last: Option<Factor> = None;
    // Each factor that exists proves an upper bound, and a step of inverse iteration with it brings the quotient nearer.
    let margins = [1e-14, 1e-28, 1e-45, 1e-65];
    let mut next = 0;
    for _ in 0..40 {
        let Some(margin) = margins.get(next) else { break };
        let shift = &below * &(&Real::one() + &Real::new(*margin));
        if let Some(factor) = Factor::new(&gram, &shift) {
            above = shift;
            last = Some(factor);
            next += 1;
        }
        // Where the start is not near enough for any factor, a step of power iteration.
        vector = match &last {
            Some(factor) => factor.solve(&vector),
            None => times(&gram, &vector),
        };
        below = below.largest(rayleigh(&gram, &vector));
    }
    (below.sqrt(), above.sqrt())
}

/// The lower triangle of M M^T for a matrix M of `side` rows.
fn gram<'a>(side: usize, length: usize, entry: impl Fn(usize, usize) -> &'a Real) -> Vec<Vec<Real>> {
    let product = |i: usize, j: usize| (0..length).fold(Real::zero(), |sum, at| &sum + &(entry(i, at) * entry(j, at)));
    (0..side).map(|i| (0..=i).map(|j| product(i, j)).collect()).collect()
}

/// G v of a symmetric matrix given by its lower triangle.
fn times(gram: &[Vec<Real>], vector: &[Real]) -> Vec<Real> {
    let row =
        |i: usize| (0..vector.len()).fold(Real::zero(), |sum, j| &sum + &(&gram[i.max(j)][i.min(j)] * &vector[j]));
    (0..vector.len()).map(row).collect()
}

/// v.G v/|v|^2, never above the largest eigenvalue but for rounding in the 120th digit.
fn rayleigh(gram: &[Vec<Real>], vector: &[Real]) -> Real {
    let dot = |a: &[Real], b: &[Real]| a.iter().zip(b).fold(Real::zero(), |sum, (a, b)| &sum + &(a * b));
    &dot(vector, &times(gram, vector)) / &dot(vector, vector)
}

/// L D L^T = s I - G with positive D: then s is above every eigenvalue of G.
struct Factor {
    lower: Vec<Vec<Real>>,
    pivots: Vec<Real>,
}

impl Factor {
    /// `None` where a pivot is not positive.
    fn new(gram: &[Vec<Real>], shift: &Real) -> Option<Self> {
        let side = gram.len();
        let mut lower: Vec<Vec<Real>> = Vec::with_capacity(side);
        let mut pivots: Vec<Real> = Vec::with_capacity(side);
        for (i, entries) in gram.iter().enumerate() {
            let mut row: Vec<Real> = Vec::with_capacity(i);
            let mut pivot = shift - &entries[i];
            for (entry, lower) in entries.iter().zip(&lower) {
                // `row` holds L D so far.
                let sum = row.iter().zip(lower).fold(-entry, |sum, (scaled, lower)| &sum - &(scaled * lower));
                row.push(sum);
            }
            for (j, entry) in row.iter_mut().enumerate() {
                let scaled = &*entry / &pivots[j];
                pivot = &pivot - &(&scaled * &*entry);
                *entry = scaled;
            }
            if pivot <= Real::zero() {
                return None;
            }
            lower.push(row);
            pivots.push(pivot);
        }
        Some(Factor { lower, pivots })
    }

    fn solve(&self, vector: &[Real]) -> Vec<Real> {
        let side = vector.len();
        let mut x = vector.to_vec();
        for i in 0..side {
            x[i] = (0..i).fold(x[i].clone(), |sum, j| &sum - &(&self.lower[i][j] * &x[j]));
        }
        for (entry, pivot) in x.iter_mut().zip(&self.pivots) {
            *entry = &*entry / pivot;
        }
        for i in (0..side).rev() {
            x[i] = (i + 1..side).fold(x[i].clone(), |sum, j| &sum - &(&self.lower[j][i] * &x[j]));
        }
        x
    }
}
