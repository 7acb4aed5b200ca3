//! Matrix products on borrowed column-major storage, so that the Jacobian's products allocate nothing.

use super::packed::multiply_packed;
use super::view::{Accumulate, Entries, Scalar, View, ViewMut};
use crate::parallel::{Schedule, for_parts, token_parts};

/// out = alpha a b ([`Accumulate::Replace`]) or out += alpha a b ([`Accumulate::Add`]).
///
/// # Panics
/// If the shapes do not fit. They come from checked weights, so no input reaches this.
pub fn multiply<T: Scalar>(out: ViewMut<'_, T>, into: Accumulate, a: View<'_, T>, b: View<'_, T>, alpha: T) {
    multiply_entries(out, (into, Entries::All), a, b, alpha);
}

/// out = a a^T (n x n); only the entries on and below the diagonal are sure to be written.
///
/// # Panics
/// As [`multiply`].
pub(crate) fn multiply_gram<T: Scalar>(out: ViewMut<'_, T>, a: View<'_, T>) {
    multiply_entries(out, (Accumulate::Replace, Entries::Lower), a, a.transpose(), T::constant(1.0));
}

/// out = a b, or out + a b, in f32 with the same digits on every target: natively too, each sum is added in order,
/// without fused products. `panels` grows as `scratch` does in [`multiply_packed`].
///
/// # Panics
/// As [`multiply`].
pub(crate) fn multiply_portably(
    panels: &mut Vec<f32>,
    out: ViewMut<'_, f32>,
    into: Accumulate,
    a: View<'_, f32>,
    b: View<'_, f32>,
) {
    assert_shapes(&out, &a, &b);
    multiply_packed::<f32, 8, 4>(panels, out, (into, Entries::All), a, b, 1.0);
}

fn multiply_entries<T: Scalar>(
    out: ViewMut<'_, T>,
    (into, entries): (Accumulate, Entries),
    a: View<'_, T>,
    b: View<'_, T>,
    alpha: T,
) {
    assert_shapes(&out, &a, &b);
    T::multiply_into(out, into, entries, a, b, alpha);
}

fn assert_shapes<T: Scalar>(out: &ViewMut<'_, T>, a: &View<'_, T>, b: &View<'_, T>) {
    assert_eq!(
        (a.n_rows, a.n_columns, b.n_columns),
        (out.n_rows, b.n_rows, out.n_columns),
        "shapes of out, a and b do not fit"
    );
}

/// out (m x n) = a x, or out + a x, where x (k x n) has one column per token. Large products run on all threads.
///
/// The larger factor is the one that is cut, so that it is read once: the rows of a matrix of weights for a few tokens,
/// the tokens otherwise. With a layer's weights cut by tokens, four parts read 14 MB each, which took half as long
/// again as the whole product.
///
/// # Panics
/// As [`multiply`].
pub(crate) fn multiply_tokens<T: Scalar>(out: &mut [T], into: Accumulate, a: View<'_, T>, x: &[T], n: usize) {
    let (m, k) = (a.n_rows, a.n_columns);
    let operations = 2 * (m as u64) * (k as u64) * (n as u64);
    let schedule = Schedule::of(operations);
    if T::SPREADS_ROWS && m > n {
        let (out, x) = (ViewMut::new(out, m, n), View::new(x, k, n));
        assert_shapes(&out, &a, &x);
        return T::multiply_rows_into(out, into, a, x, schedule);
    }
    let parts = token_parts(n, operations);
    let start = |part: usize| m * (part * n / parts);
    for_parts(schedule, 0..parts, &mut out[..m * n], &start, &|part, out| {
        let (first, end) = (part * n / parts, (part + 1) * n / parts);
        let x = View::new(&x[first * k..end * k], k, end - first);
        multiply(ViewMut::new(out, m, end - first), into, a, x, T::constant(1.0));
    });
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
    fn a_gram_matrix_has_its_lower_entries() {
        for (n, k) in [(1, 3), (4, 4), (37, 5), (64, 300), (70, 2)] {
            let a: Vec<f64> = (0..n * k).map(|i| ((i * 7919) % 101) as f64 / 50.0 - 1.0).collect();
            for view in [View::new(&a, n, k), View::new(&a, k, n).transpose()] {
                let (mut gram, mut whole) = (vec![7.0; n * n], vec![0.0; n * n]);
                multiply_gram(ViewMut::new(&mut gram, n, n), view);
                multiply(ViewMut::new(&mut whole, n, n), Accumulate::Replace, view, view.transpose(), 1.0);
                for col in 0..n {
                    for row in col..n {
                        let (found, expected) = (gram[col * n + row], whole[col * n + row]);
                        assert!((found - expected).abs() < 1e-12, "{n} x {k} at {row}, {col}: {found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_portable_product_is_the_plain_sum_to_the_last_bit() {
        let (m, n, k) = (19, 7, 32);
        let numbers = |len: usize| (0..len).map(|i| ((i * 7919) % 101) as f32 / 7.0 - 6.3).collect::<Vec<f32>>();
        let (a, b) = (numbers(m * k), numbers(k * n));
        let mut out = vec![0.0; m * n];
        let (left, right) = (View::new(&a, m, k), View::new(&b, k, n));
        multiply_portably(&mut Vec::new(), ViewMut::new(&mut out, m, n), Accumulate::Replace, left, right);
        for (at, found) in out.iter().enumerate() {
            let (row, column) = (at % m, at / m);
            let plain = (0..k).fold(0.0, |sum, inner| sum + a[inner * m + row] * b[column * k + inner]);
            assert_eq!(found.to_bits(), plain.to_bits(), "at {row}, {column}: {found} {plain}");
        }
    }

    #[test]
    fn every_scalar_type_gives_the_same_product() {
        check::<f64>();
        check::<f32>();
        check::<Dual>();
    }
}
