//! The covariances of tokens under many rows of attention at a time, for [`super::dot`]: second moments about a
//! common point, as one product in f32 with a proved bound on its rounding (docs/numerics.md, "Covariances in f32"). The
//! product is the same natively and in the browser, so that its rounding is the same in both.
//!
//! The tokens are taken in coordinates that make V diagonal, so that V C V^T and V C need no further product of
//! matrices. The mean of all tokens is subtracted from each token, and the differences are divided by the largest of
//! their norms, so that no number leaves the range of f32.

use nalgebra::{DMatrix, DVector};

use super::token_pairs::centred;
use crate::attention::{Accumulate, View, ViewMut, flushed, multiply, multiply_portably};
use crate::extremum::largest;
use crate::spectral::{full_svd, largest_singular_value};

/// The tokens and matrices that the rows of a head share.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    d: usize,
    /// d x columns.
    tokens: Vec<f32>,
    /// |x|^2 of each token.
    squares: Vec<f64>,
    /// The largest norm, by which the tokens were divided.
    scale: f64,
    /// The common point: the mean of all tokens, in their original coordinates.
    centre: DVector<f64>,
    /// W^T, d x d, with V = U S W^T.
    rotation: DMatrix<f64>,
    /// The entries of S, r of them.
    values: Vec<f64>,
    /// W^T c K^T L, d x (columns of L), with L as in [`super::shared`].
    own: DMatrix<f64>,
    /// The norm of `own`.
    own_norm: f64,
}

/// Second moments of a batch of rows, with the buffers for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct MomentBuffers {
    /// The mean of the tokens under each row, in their original coordinates: d x rows.
    means: Vec<f64>,
    /// Attention, tokens x rows.
    masses: Vec<f32>,
    /// The products of a token's entries, [`entries`] x tokens.
    products: Vec<f32>,
    /// The moments over at most [`SUMMED`] tokens and over all tokens, [`entries`] x rows.
    some: Vec<f32>,
    all: Vec<f64>,
    /// Room for the packed factors of the product.
    panels: Vec<f32>,
}

/// The covariance C of the tokens under one row of attention, in the products that the bound uses.
pub(crate) struct OfRow {
    /// S (I + |b|^2 C) S, r x r.
    pub(crate) mixed: DMatrix<f64>,
    /// S C W^T c K^T L, r x (columns of L).
    pub(crate) own: DMatrix<f64>,
    /// A bound on the norm of the error of C.
    pub(crate) error: f64,
    /// tr C.
    pub(crate) trace: f64,
}

/// Tokens in one product. The products are added up in f32 over [`SUMMED`] tokens, and these sums in f64.
const TOKENS: usize = 32;
const SUMMED: usize = 8 * TOKENS;
/// Entries in a strip: an entry of a token is multiplied with all entries from the first one of its strip on.
const STRIP: usize = 8;
/// The largest d. Beyond it the buffers would be too large, and the covariance of a single row is work enough for one
/// product.
const MOST_DIMENSION: usize = 128;
/// The fewest columns for which taking rows together saves time.
const LEAST_COLUMNS: usize = 64;
/// The relative error of each term of a moment in f32: the roundings of x_a, x_b, P, their two products, and the sums.
const RELATIVE: f64 = (TOKENS + SUMMED / TOKENS + 5) as f64 * 0.5 * f32::EPSILON as f64 * 1.001;
/// The absolute error of a term besides, from numbers below the normal range of f32.
const ABSOLUTE: f64 = 4.0 * f32::MIN_POSITIVE as f64;

impl Moments {
    /// For V (r x d), c K^T L (d x any) and tokens (d x columns); `None` where rows are better taken one at a time.
    pub(crate) fn new(value: &DMatrix<f64>, own: &DMatrix<f64>, tokens: &DMatrix<f64>) -> Option<Self> {
        let (d, columns) = tokens.shape();
        if value.ncols() != d || d > MOST_DIMENSION || columns < LEAST_COLUMNS {
            return None;
        }
        let (_, rotation, values) = full_svd(value)?;
        let (centre, centred) = centred(tokens);
        let scale = largest(centred.column_iter().map(|token| token.norm()));
        // Squares and inverses must stay in the range of f64.
        if !(1e-140..1e140).contains(&scale) || rotation.nrows() != d {
            return None;
        }
        let placed = (&rotation * centred) / scale;
        let own = &rotation * own;
        Some(Moments {
            d,
            squares: placed.column_iter().map(|token| token.norm_squared()).collect(),
            tokens: placed.iter().map(|x| flushed(*x)).collect(),
            scale,
            centre,
            own_norm: largest_singular_value(&own),
            own,
            rotation,
            values,
        })
    }

    /// Computes the means and second moments of the tokens under some rows. `tokens` are those given to `new`. `masses`
    /// are the rows' attention weights, rows `stride` apart, for the first `reach` tokens.
    pub(crate) fn take(
        &self,
        tokens: &DMatrix<f64>,
        (masses, stride, reach): (&[f64], usize, usize),
        buffers: &mut MomentBuffers,
    ) {
        let (d, rows, height) = (self.d, masses.len().div_ceil(stride), entries(self.d));
        buffers.means.resize(d * rows, 0.0);
        multiply(
            ViewMut::new(&mut buffers.means, d, rows),
            Accumulate::Replace,
            View::new(tokens.as_slice(), d, reach),
            View::strided(masses, reach, rows, stride),
            1.0,
        );
        buffers.masses.clear();
        masses.chunks(stride).for_each(|row| buffers.masses.extend(row[..reach].iter().map(|mass| flushed(*mass))));
        buffers.products.resize(height * TOKENS, 0.0);
        buffers.some.resize(height * rows, 0.0);
        buffers.all.clear();
        buffers.all.resize(height * rows, 0.0);
        for first in (0..reach).step_by(SUMMED) {
            let summed = first..reach.min(first + SUMMED);
            for start in summed.clone().step_by(TOKENS) {
                let count = TOKENS.min(summed.end - start);
                let tokens = self.tokens[start * d..(start + count) * d].chunks_exact(d);
                for (token, products) in tokens.zip(buffers.products.chunks_exact_mut(height)) {
                    multiply_entries(token, products);
                }
                multiply_portably(
                    &mut buffers.panels,
                    ViewMut::new(&mut buffers.some, height, rows),
                    if start == first { Accumulate::Replace } else { Accumulate::Add },
                    View::new(&buffers.products, height, count),
                    View::strided(&buffers.masses[start..], count, rows, reach),
                );
            }
            buffers.all.iter_mut().zip(&buffers.some).for_each(|(sum, some)| *sum += f64::from(*some));
        }
    }

    /// The covariance under row number `at` of the last [`Moments::take`]; `masses` are the row's weights,
    /// `gradient_square` its |b|^2.
    pub(crate) fn row(&self, buffers: &MomentBuffers, at: usize, masses: &[f64], gradient_square: f64) -> OfRow {
        let (d, r) = (self.d, self.values.len());
        let mean = self.placed(buffers.mean(at, d));
        let (square, error) = self.square_and_error(&mean, masses);
        let unit = self.scale * self.scale;
        let mut covariance = vec![0.0; d * d];
        let mut moments = &buffers.all[at * entries(d)..];
        for col in 0..d {
            let first = first_of_strip(col);
            let (column, rest) = moments.split_at(d - first);
            moments = rest;
            let place = &mut covariance[col * d + first..(col + 1) * d];
            for ((entry, moment), row) in place.iter_mut().zip(column).zip(&mean.as_slice()[first..]) {
                *entry = unit * (moment - row * mean[col]);
            }
            for row in col + 1..d {
                covariance[row * d + col] = covariance[col * d + row];
            }
        }
        // S C, and from it S (I + |b|^2 C) S.
        let mut left = DMatrix::zeros(r, d);
        for (place, column) in left.as_mut_slice().chunks_exact_mut(r).zip(covariance.chunks_exact(d)) {
            place.iter_mut().zip(column).zip(&self.values).for_each(|((slot, x), value)| *slot = value * x);
        }
        let mut mixed = DMatrix::zeros(r, r);
        let places = mixed.as_mut_slice().chunks_exact_mut(r).zip(left.as_slice().chunks_exact(r)).zip(&self.values);
        for (at, ((place, column), value)) in places.enumerate() {
            let factor = value * gradient_square;
            place.iter_mut().zip(column).for_each(|(slot, x)| *slot = factor * x);
            place[at] += value * value;
        }
        let n_columns = self.own.ncols();
        let mut own = DMatrix::zeros(r, n_columns);
        multiply(
            ViewMut::new(own.as_mut_slice(), r, n_columns),
            Accumulate::Replace,
            View::new(left.as_slice(), r, d),
            View::new(self.own.as_slice(), d, n_columns),
            1.0,
        );
        let trace = unit * (square - mean.norm_squared()).max(0.0);
        // With the error added, the trace is an upper bound too.
        OfRow { mixed, own, error, trace: trace + error }
    }

    /// Takes a mean of tokens from their original coordinates to those of the moments.
    pub(crate) fn placed(&self, mean: &[f64]) -> DVector<f64> {
        &self.rotation * (DVector::from_column_slice(mean) - &self.centre) / self.scale
    }

    /// Returns sum_j P_ij |x_j|^2 and a bound on the norm of the error of the row's covariance. The x_j and `mean` are
    /// in the coordinates of the moments. The error comes from rounding in f32, and from the mean, which was computed
    /// from tokens that may lie far from the centre.
    pub(crate) fn square_and_error(&self, mean: &DVector<f64>, masses: &[f64]) -> (f64, f64) {
        let square: f64 = masses.iter().zip(&self.squares).map(|(mass, square)| mass * square).sum();
        let absolute = ABSOLUTE * (self.d * masses.len()) as f64;
        let slip = (masses.len() + 2 * self.d) as f64 * f64::EPSILON * (self.centre.norm() / self.scale + 1.0);
        let of_mean = slip * (2.0 * mean.norm() + slip);
        (square, self.scale * self.scale * (RELATIVE * square + absolute + of_mean))
    }

    /// The number of multiplications for the moments of one row over `tokens` tokens.
    pub(crate) fn products_a_row(&self, tokens: usize) -> usize {
        entries(self.d).saturating_mul(tokens)
    }

    /// ||c K^T L||.
    pub(crate) fn own_norm(&self) -> f64 {
        self.own_norm
    }
}

impl MomentBuffers {
    /// The mean of the tokens (d numbers) under row number `at` of those taken.
    pub(crate) fn mean(&self, at: usize, d: usize) -> &[f64] {
        &self.means[at * d..][..d]
    }

    /// The means of all rows taken, d x rows.
    pub(crate) fn means(&self) -> &[f64] {
        &self.means
    }
}

/// The first entry that entry `at` of a token is multiplied with. Of twelve entries, the first eight are multiplied
/// with all, the others with those from the ninth on.
fn first_of_strip(at: usize) -> usize {
    at - at % STRIP
}

/// How many products of two entries a token of d dimensions has here: about d (d + 8) / 2.
fn entries(d: usize) -> usize {
    (0..d).map(|at| d - first_of_strip(at)).sum()
}

/// Writes x_a x_b for every a and every b from the beginning of its strip on.
fn multiply_entries(token: &[f32], mut products: &mut [f32]) {
    for (at, x) in token.iter().enumerate() {
        let others = &token[first_of_strip(at)..];
        let (place, rest) = products.split_at_mut(others.len());
        place.iter_mut().zip(others).for_each(|(product, y)| *product = x * y);
        products = rest;
    }
}
