//! The numbers that the engine runs on.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use num_dual::DualNum;

use super::product::{View, ViewMut};

/// A dual number a + b e with e^2 = 0: the value, and its derivative in one direction.
pub type Dual = num_dual::Dual64;

/// A number of the engine: f64, f32, or a dual number, with the matrix product that serves it best.
pub trait Scalar: DualNum + Copy + PartialOrd + Send + Sync + 'static {
    /// From a constant.
    fn constant(x: f64) -> Self;

    /// The value part, for comparisons and for reading out.
    fn value(self) -> f64;

    /// out = alpha a b, or out += alpha a b.
    ///
    /// Shapes have been checked by [`super::multiply`].
    fn multiply_into(out: ViewMut<'_, Self>, into: Accumulate, a: View<'_, Self>, b: View<'_, Self>, alpha: Self);
}

/// What a product does with what stands in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    /// Overwrite.
    Replace,
    /// Add to it.
    Add,
}

macro_rules! float_scalar {
    ($float:ty) => {
        impl Scalar for $float {
            fn constant(x: f64) -> Self {
                x as $float
            }

            fn value(self) -> f64 {
                f64::from(self)
            }

            fn multiply_into(
                out: ViewMut<'_, Self>,
                into: Accumulate,
                a: View<'_, Self>,
                b: View<'_, Self>,
                alpha: Self,
            ) {
                let into = match into {
                    Accumulate::Replace => Accum::Replace,
                    Accumulate::Add => Accum::Add,
                };
                let out =
                    MatMut::from_column_major_slice_with_stride_mut(out.data, out.n_rows, out.n_columns, out.stride);
                matmul(out, into, faer_view(a), faer_view(b), alpha, Par::Seq);
            }
        }
    };
}

float_scalar!(f64);
float_scalar!(f32);

fn faer_view<T: Copy>(view: View<'_, T>) -> MatRef<'_, T> {
    if view.is_transposed() {
        // What is stored is the transpose of what is meant.
        MatRef::from_column_major_slice_with_stride(view.data, view.n_columns, view.n_rows, view.stride).transpose()
    } else {
        MatRef::from_column_major_slice_with_stride(view.data, view.n_rows, view.n_columns, view.stride)
    }
}

impl Scalar for Dual {
    fn constant(x: f64) -> Self {
        Dual::from(x)
    }

    fn value(self) -> f64 {
        self.re
    }

    fn multiply_into(out: ViewMut<'_, Self>, into: Accumulate, a: View<'_, Self>, b: View<'_, Self>, alpha: Self) {
        for col in 0..out.n_columns {
            for row in 0..out.n_rows {
                let mut sum = Dual::from(0.0);
                for inner in 0..a.n_columns {
                    sum += a.at(row, inner) * b.at(inner, col);
                }
                let slot = &mut out.data[row + col * out.stride];
                *slot = match into {
                    Accumulate::Replace => sum * alpha,
                    Accumulate::Add => *slot + sum * alpha,
                };
            }
        }
    }
}
