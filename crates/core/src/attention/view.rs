//! The number types of attention and its Jacobian, and borrowed matrices of them in column-major storage: the operands
//! of products.

#[cfg(not(target_arch = "wasm32"))]
use std::ops::Range;

use num_dual::DualNum;

use crate::parallel::Schedule;

/// A borrowed matrix in column-major storage, possibly transposed.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T> {
    pub(super) data: &'a [T],
    pub(super) n_rows: usize,
    pub(super) n_columns: usize,
    /// Distance between two stored columns.
    pub(super) stride: usize,
    transposed: bool,
}

/// A borrowed matrix in column-major storage, to be written by a product.
#[derive(Debug)]
pub struct ViewMut<'a, T> {
    pub(super) data: &'a mut [T],
    pub(super) n_rows: usize,
    pub(super) n_columns: usize,
    pub(super) stride: usize,
}

impl<'a, T: Copy> View<'a, T> {
    /// A matrix whose columns are contiguous in `data`.
    #[must_use]
    pub fn new(data: &'a [T], n_rows: usize, n_columns: usize) -> Self {
        View::strided(data, n_rows, n_columns, n_rows)
    }

    /// A matrix whose columns start `stride` entries apart.
    #[must_use]
    pub fn strided(data: &'a [T], n_rows: usize, n_columns: usize, stride: usize) -> Self {
        View { data: &data[..storage_len(n_rows, n_columns, stride)], n_rows, n_columns, stride, transposed: false }
    }

    /// The transpose, without a copy.
    #[must_use]
    pub fn transpose(self) -> Self {
        View { n_rows: self.n_columns, n_columns: self.n_rows, transposed: !self.transposed, ..self }
    }

    /// Some of its rows.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn rows(self, rows: Range<usize>) -> Self {
        let start = rows.start * if self.transposed { self.stride } else { 1 };
        View { data: &self.data[start..], n_rows: rows.len(), ..self }
    }

    pub(super) fn is_transposed(&self) -> bool {
        self.transposed
    }

    #[cfg(test)]
    pub(super) fn at(&self, row: usize, col: usize) -> T {
        if self.transposed { self.data[col + row * self.stride] } else { self.data[row + col * self.stride] }
    }
}

impl<'a, T> ViewMut<'a, T> {
    /// A matrix whose columns are contiguous in `data`.
    #[must_use]
    pub fn new(data: &'a mut [T], n_rows: usize, n_columns: usize) -> Self {
        ViewMut::strided(data, n_rows, n_columns, n_rows)
    }

    /// A matrix whose columns start `stride` entries apart.
    #[must_use]
    pub fn strided(data: &'a mut [T], n_rows: usize, n_columns: usize, stride: usize) -> Self {
        let len = storage_len(n_rows, n_columns, stride);
        ViewMut { data: &mut data[..len], n_rows, n_columns, stride }
    }
}

/// Whether a product overwrites its output or adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    /// The product overwrites the output.
    Replace,
    /// The product is added to the output.
    Add,
}

/// Which entries of a product are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entries {
    /// All entries.
    All,
    /// At least those on and below the diagonal of a square product; the others may be anything.
    Lower,
}

/// A dual number a + b e with e^2 = 0: the value, and its derivative in one direction.
pub type Dual = num_dual::Dual64;

/// A number type of the engine (f64, f32 or a dual number), with its fastest matrix product.
pub trait Scalar: DualNum + Copy + PartialOrd + Send + Sync + 'static {
    /// Whether [`Scalar::multiply_rows_into`] spreads its parts over threads.
    const SPREADS_ROWS: bool = false;

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

    /// out = a b, or out += a b, in parts of rows, by the shape alone. Each part reads its own rows of a and all of b.
    /// Types without such parts compute it whole.
    fn multiply_rows_into(
        out: ViewMut<'_, Self>,
        into: Accumulate,
        a: View<'_, Self>,
        b: View<'_, Self>,
        _schedule: Schedule,
    ) {
        Self::multiply_into(out, into, Entries::All, a, b, Self::constant(1.0));
    }
}

/// Number of stored entries from the first to the last of a strided matrix.
fn storage_len(n_rows: usize, n_columns: usize, stride: usize) -> usize {
    if n_columns == 0 || n_rows == 0 { 0 } else { stride * (n_columns - 1) + n_rows }
}
