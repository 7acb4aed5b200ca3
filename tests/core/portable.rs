//! Checks natively the numbers that the browser tests check too.

use lipscope_testkit::portable;

#[test]
fn random_numbers_are_equal_to_the_last_bit() {
    portable::check_draws_to_the_bit();
}

#[test]
fn a_search_is_equal_to_nine_digits() {
    portable::check_a_search_to_nine_digits();
}

#[test]
fn norms_are_equal_to_twelve_digits() {
    portable::check_norms_to_twelve_digits();
}
