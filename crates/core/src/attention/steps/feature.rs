//! The feature map of linear attention, phi = elu + 1 entry by entry: z + 1 from zero on, e^z below. The derivative
//! multiplies by phi'(z): 1 from zero on, e^z below; it is its own adjoint.

use super::super::view::Scalar;

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
    pub(super) fn push(&mut self, vector: &mut [T]) {
        for z in vector {
            let (value, slope) = if z.value() < 0.0 {
                let exponential = z.exp();
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
