//! The fastest matrix product of each number type: faer natively, [`super::packed`] elsewhere and for dual numbers.

use std::cell::RefCell;

use super::packed::multiply_packed;
use super::view::{Accumulate, Dual, Entries, Scalar, View, ViewMut};
#[cfg(not(target_arch = "wasm32"))]
use crate::parallel::{Schedule, both_by};

/// Implements the product with [`super::packed`]. The panels are thread-local and reused by the next product, so that
/// later calls allocate nothing. A call reads no number that an earlier call left in them.
macro_rules! packed_product {
    ($scalar:ty, $rows:literal, $columns:literal) => {
        fn multiply_into(
            out: ViewMut<'_, Self>,
            into: Accumulate,
            entries: Entries,
            a: View<'_, Self>,
            b: View<'_, Self>,
            alpha: Self,
        ) {
            thread_local! {
                static PANELS: RefCell<Vec<$scalar>> = const { RefCell::new(Vec::new()) };
            }
            PANELS.with_borrow_mut(|panels| {
                multiply_packed::<$scalar, $rows, $columns>(panels, out, (into, entries), a, b, alpha);
            });
        }
    };
}

macro_rules! float_scalar {
    ($float:ty, $rows:literal, $columns:literal) => {
        impl Scalar for $float {
            fn constant(x: f64) -> Self {
                x as $float
            }

            fn value(self) -> f64 {
                f64::from(self)
            }

            #[cfg(target_arch = "wasm32")]
            packed_product!($float, $rows, $columns);

            #[cfg(not(target_arch = "wasm32"))]
            fn multiply_into(
                out: ViewMut<'_, Self>,
                into: Accumulate,
                entries: Entries,
                a: View<'_, Self>,
                b: View<'_, Self>,
                alpha: Self,
            ) {
                /// Columns per product for [`Entries::Lower`]. Each product computes the rows from its first column's
                /// diagonal entry down.
                const WIDTH: usize = 32;
                if entries == Entries::Lower {
                    let (n, stride) = (out.n_columns, out.stride);
                    for first in (0..n).step_by(WIDTH) {
                        let end = n.min(first + WIDTH);
                        let place = &mut out.data[first * stride + first..];
                        let below = ViewMut::strided(place, n - first, end - first, stride);
                        let b = b.transpose().rows(first..end).transpose();
                        Self::multiply_into(below, into, Entries::All, a.rows(first..n), b, alpha);
                    }
                    return;
                }
                let (out, into) = (faer_view_mut(out), accumulation(into));
                faer::linalg::matmul::matmul(out, into, faer_view(a), faer_view(b), alpha, faer::Par::Seq);
                clear_wide_registers();
            }

            #[cfg(not(target_arch = "wasm32"))]
            const SPREADS_ROWS: bool = true;

            #[cfg(not(target_arch = "wasm32"))]
            fn multiply_rows_into(
                out: ViewMut<'_, Self>,
                into: Accumulate,
                a: View<'_, Self>,
                b: View<'_, Self>,
                schedule: Schedule,
            ) {
                let into = accumulation(into);
                multiply_rows(faer_view_mut(out), into, (faer_view(a), faer_view(b)), schedule);
            }
        }
    };
}

// A tile is eight 128-bit vectors: half of the vector registers that WebAssembly code can use.
float_scalar!(f64, 4, 4);
float_scalar!(f32, 8, 4);

/// Clears the upper halves of the AVX registers: faer 0.24's kernels return with them in use, which slows every SSE
/// instruction that follows. An `exp` after a product then takes 120 ns instead of 5.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(crate) fn clear_wide_registers() {
    #[target_feature(enable = "avx")]
    fn clear() {
        std::arch::x86_64::_mm256_zeroupper();
    }
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has AVX, as tested above.
        unsafe { clear() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn clear_wide_registers() {}

#[cfg(not(target_arch = "wasm32"))]
fn faer_view<T: Copy>(view: View<'_, T>) -> faer::MatRef<'_, T> {
    use faer::MatRef;
    if view.is_transposed() {
        // The storage holds the transpose.
        MatRef::from_column_major_slice_with_stride(view.data, view.n_columns, view.n_rows, view.stride).transpose()
    } else {
        MatRef::from_column_major_slice_with_stride(view.data, view.n_rows, view.n_columns, view.stride)
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn faer_view_mut<T>(view: ViewMut<'_, T>) -> faer::MatMut<'_, T> {
    faer::MatMut::from_column_major_slice_with_stride_mut(view.data, view.n_rows, view.n_columns, view.stride)
}

#[cfg(not(target_arch = "wasm32"))]
fn accumulation(into: Accumulate) -> faer::Accum {
    match into {
        Accumulate::Replace => faer::Accum::Replace,
        Accumulate::Add => faer::Accum::Add,
    }
}

/// The fewest rows in a part of [`multiply_rows`]: with fewer, packing b again for each part costs more than it saves.
#[cfg(not(target_arch = "wasm32"))]
const LEAST_ROWS: usize = 96;

/// out = a b, or out += a b, in parts of rows that come from halving. One thread gains too: the rows of a part stay in
/// its cache.
#[cfg(not(target_arch = "wasm32"))]
fn multiply_rows<T: faer::traits::ComplexField>(
    out: faer::MatMut<'_, T>,
    into: faer::Accum,
    (a, b): (faer::MatRef<'_, T>, faer::MatRef<'_, T>),
    schedule: Schedule,
) {
    let n_rows = a.nrows();
    if n_rows < 2 * LEAST_ROWS {
        faer::linalg::matmul::matmul(out, into, a, b, T::one_impl(), faer::Par::Seq);
        return clear_wide_registers();
    }
    let ((upper_out, lower_out), (upper, lower)) = (out.split_at_row_mut(n_rows / 2), a.split_at_row(n_rows / 2));
    let first = || multiply_rows(upper_out, into, (upper, b), schedule);
    let second = || multiply_rows(lower_out, into, (lower, b), schedule);
    both_by(schedule, first, second);
}

impl Scalar for Dual {
    fn constant(x: f64) -> Self {
        Dual::from(x)
    }

    fn value(self) -> f64 {
        self.re
    }

    packed_product!(Dual, 2, 2);
}
