//! Matrix products on borrowed column-major storage, so that the Jacobian's products allocate nothing.

pub use super::scalar::Accumulate;
use super::scalar::Scalar;

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

/// A borrowed matrix in column-major storage, to be written.
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

/// out = alpha a b ([`Accumulate::Replace`]) or out += alpha a b ([`Accumulate::Add`]).
///
/// # Panics
/// If the shapes do not fit. They come from checked weights, so no input reaches this.
pub fn multiply<T: Scalar>(out: ViewMut<'_, T>, into: Accumulate, a: View<'_, T>, b: View<'_, T>, alpha: T) {
    assert_eq!(
        (a.n_rows, a.n_columns, b.n_columns),
        (out.n_rows, b.n_rows, out.n_columns),
        "shapes of out, a and b do not fit"
    );
    T::multiply_into(out, into, a, b, alpha);
}

/// Number of stored entries from the first to the last of a strided matrix.
fn storage_len(n_rows: usize, n_columns: usize, stride: usize) -> usize {
    if n_columns == 0 || n_rows == 0 { 0 } else { stride * (n_columns - 1) + n_rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attention::Dual;

    /// Multiplies a (2x3) by b (3x2), b stored transposed.
    fn check<T: Scalar>() {
        let numbers = |list: &[f64]| list.iter().map(|x| T::constant(*x)).collect::<Vec<T>>();
        let a = numbers(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let b_transposed = numbers(&[7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
        let mut out = numbers(&[1.0; 4]);
        let b = View::new(&b_transposed, 2, 3).transpose();
        multiply(ViewMut::new(&mut out, 2, 2), Accumulate::Add, View::new(&a, 2, 3), b, T::constant(2.0));
        let found: Vec<f64> = out.iter().map(|x| x.value()).collect();
        // [[1,2,3],[4,5,6]] [[7,8],[9,10],[11,12]] = [[58,64],[139,154]]
        assert_eq!(found, [117.0, 279.0, 129.0, 309.0]);
    }

    #[test]
    fn every_scalar_type_gives_the_same_product() {
        check::<f64>();
        check::<f32>();
        check::<Dual>();
    }
}
