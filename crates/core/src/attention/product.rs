//! Matrix products on borrowed column-major storage, so that the Jacobian's products allocate nothing.

use super::scalar::Scalar;
use super::view::{Accumulate, View, ViewMut};

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
