//! The numbers that the browser must give too, natively.

use lipscope_testkit::portable;

#[test]
fn draws_are_the_same_to_the_last_bit() {
    portable::check_draws_to_the_bit();
}

#[test]
fn a_search_goes_the_same_way() {
    portable::check_a_search_to_nine_digits();
}

#[test]
fn norms_are_the_same_to_twelve_digits() {
    portable::check_norms_to_twelve_digits();
}
