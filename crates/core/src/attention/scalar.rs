//! The number types that attention and its Jacobian are computed in.

use num_dual::DualNum;

use super::view::{Accumulate, Entries, View, ViewMut};

/// A dual number a + b e with e^2 = 0: the value, and its derivative in one direction.
pub type Dual = num_dual::Dual64;

/// A number type of the engine (f64, f32 or a dual number), with its fastest matrix product.
pub trait Scalar: DualNum + Copy + PartialOrd + Send + Sync + 'static {
    /// Converts a constant.
    fn constant(x: f64) -> Self;

    /// The value part, for comparisons and output.
    fn value(self) -> f64;

    /// Computes the entries `entries`: out = alpha a b, or out += alpha a b, as `into` says.
    ///
    /// Shapes have been checked by [`super::multiply`].
    fn multiply_into(
        out: ViewMut<'_, Self>,
        into: Accumulate,
        entries: Entries,
        a: View<'_, Self>,
        b: View<'_, Self>,
        alpha: Self,
    );
}
