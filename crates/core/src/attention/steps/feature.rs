//! The feature map of linear attention, phi = elu + 1 entry by entry: z + 1 from zero on, e^z below. The derivative
//! multiplies by phi'(z): 1 from zero on, e^z below; it is its own adjoint.
//!
//! A factor of all entries of a query counts for nothing in linear attention. So a query whose phi(z) is so small that its
//! products with keys may underflow is taken times a power of two, and its slopes with it.

use super::super::view::Scalar;
use crate::extremum::maximum;

/// Which vectors the feature map is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vectors {
    Queries,
    Keys,
}

/// Below this, e^z is small enough that a product with another such number may underflow.
const LEAST_EXPONENT: f64 = -200.0;
/// The most doublings of a query: those of the smallest e^z that halves of z can express.
const MOST_DOUBLINGS: f64 = 2000.0;

/// phi'(z) of each entry of the vectors at all tokens, k numbers a token.
#[derive(Clone, Debug)]
pub(super) struct Feature<T> {
    slopes: Vec<T>,
}

impl<T: Scalar> Feature<T> {
    /// Room for k entries at n tokens.
    pub(super) fn with_capacity(k: usize, n: usize) -> Self {
        Feature { slopes: Vec::with_capacity(k * n) }
    }

    /// Replaces the vector of the next token by phi of it.
    pub(super) fn push(&mut self, vector: &mut [T], vectors: Vectors) {
        let largest = vector.iter().map(|z| z.value()).fold(f64::NEG_INFINITY, maximum);
        let factor = match vectors {
            Vectors::Queries if largest < LEAST_EXPONENT => {
                // 2^e with e near -largest/ln 2, in two factors that f64 holds.
                let exponent = (-largest / std::f64::consts::LN_2).min(MOST_DOUBLINGS) as i32;
                Some([exponent / 2, exponent - exponent / 2].map(|e| T::constant(2f64.powi(e))))
            }
            _ => None,
        };
        for z in vector {
            let (value, slope) = if z.value() < 0.0 {
                // Twice the half, as e^z itself may be below the normal numbers.
                let exponential = match factor {
                    Some([one, other]) => {
                        let half = (*z * T::constant(0.5)).exp();
                        (half * one) * (half * other)
                    }
                    None => z.exp(),
                };
                (exponential, exponential)
            } else {
                (*z + T::constant(1.0), T::constant(1.0))
            };
            *z = value;
            self.slopes.push(slope);
        }
    }

    /// Multiplies a change of the token's vector, or a gradient, by phi'.
    pub(super) fn differentiate(&self, token_idx: usize, change: &mut [T]) {
        let slopes = &self.slopes[token_idx * change.len()..];
        change.iter_mut().zip(slopes).for_each(|(x, slope)| *x *= *slope);
    }

    /// The same slopes in another type of number.
    pub(super) fn cast<U: Scalar>(&self) -> Feature<U> {
        Feature { slopes: self.slopes.iter().map(|slope| U::constant(slope.value())).collect() }
    }
}
