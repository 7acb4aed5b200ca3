//! The larger and the smaller of numbers that may be NaN, and their order.
//!
//! `f64::max` and `f64::min` drop a NaN: the maximum of a list in which one size could not be computed would look like a
//! valid maximum of the others. The functions here follow one rule: **if any argument is NaN, so is the result**. The
//! caller decides what a NaN means: an error, an absent bound, or infinity for an upper bound.
//!
//! `f64::max` and `f64::min` remain in two places. Numbers that cannot be NaN, such as counts, constants and checked
//! settings, need no rule. And the least of several upper bounds on one number, or the greatest of several lower bounds,
//! leaves out a bound that could not be computed: each of the others holds without it.

use std::cmp::Ordering;

/// The larger of two numbers, and NaN if either is NaN: `maximum` of IEEE 754-2019. Of equal numbers it is the first.
#[must_use]
pub fn maximum(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// The smaller of two numbers, and NaN if either is NaN: `minimum` of IEEE 754-2019. Of equal numbers it is the first.
#[must_use]
pub fn minimum(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

/// The largest of sizes, which are at least 0: 0 if there are none, and NaN if any is NaN.
#[must_use]
pub fn largest(sizes: impl IntoIterator<Item = f64>) -> f64 {
    sizes.into_iter().fold(0.0, maximum)
}

/// An upper bound: infinity where its formula is NaN, which is no statement about the number that it bounds.
#[must_use]
pub fn or_infinity(upper: f64) -> f64 {
    if upper.is_nan() { f64::INFINITY } else { upper }
}

/// The order from the largest to the smallest size. A NaN of either sign comes first, so that a list cut to its first
/// entries keeps it.
#[must_use]
pub fn descending(a: &f64, b: &f64) -> Ordering {
    // The standard order of NaN depends on its sign, which differs between processors.
    b.abs().total_cmp(&a.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    #[test]
    fn the_larger_and_the_smaller_are_those_of_the_standard_library_without_a_nan() {
        let numbers = [f64::NEG_INFINITY, -2.5, -1e-320, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        for a in numbers {
            for b in numbers {
                assert_eq!(maximum(a, b), a.max(b), "{a} {b}");
                assert_eq!(minimum(a, b), a.min(b), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_nan_of_either_sign_in_either_place_remains() {
        for nan in [NAN, -NAN] {
            for x in [f64::NEG_INFINITY, -1.0, 0.0, 1.0, f64::INFINITY, NAN] {
                assert!(maximum(nan, x).is_nan() && maximum(x, nan).is_nan(), "{x}");
                assert!(minimum(nan, x).is_nan() && minimum(x, nan).is_nan(), "{x}");
            }
        }
    }

    #[test]
    fn of_equal_numbers_the_first_is_taken_so_no_size_is_minus_zero() {
        assert!(largest([-0.0]).is_sign_positive());
        assert!(maximum(-0.0, 0.0).is_sign_negative() && minimum(0.0, -0.0).is_sign_positive());
    }

    #[test]
    fn an_upper_bound_that_is_nan_is_infinite_and_another_one_is_itself() {
        assert_eq!([NAN, -NAN, f64::INFINITY].map(or_infinity), [f64::INFINITY; 3]);
        assert_eq!([0.0, 2.5].map(or_infinity), [0.0, 2.5]);
    }

    #[test]
    fn sizes_in_descending_order_begin_with_a_nan_of_either_sign() {
        for nan in [NAN, -NAN] {
            let mut sizes = [1.0, f64::INFINITY, nan, 0.0, 2.0];
            sizes.sort_by(descending);
            assert!(sizes[0].is_nan());
            assert_eq!(sizes[1..], [f64::INFINITY, 2.0, 1.0, 0.0]);
        }
    }

    #[test]
    fn the_largest_of_sizes_is_zero_for_none_and_nan_wherever_one_is() {
        assert_eq!(largest([]), 0.0);
        assert_eq!(largest([0.5, 3.0, 2.0]), 3.0);
        assert_eq!(largest([1.0, f64::INFINITY]), f64::INFINITY);
        for at in 0..3 {
            let mut sizes = [1.0, f64::INFINITY, 2.0];
            sizes[at] = NAN;
            assert!(largest(sizes).is_nan(), "at {at}");
        }
    }
}
