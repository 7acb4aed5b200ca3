//! The same numbers on the main thread of a page in Chromium.

use lipscope_testkit::{portable, reference};

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn every_reference_case_agrees() {
    assert!(reference::check_golden_cases() >= 36);
}

#[wasm_bindgen_test]
fn draws_and_norms_are_the_same() {
    portable::check_draws_to_the_bit();
    portable::check_norms_to_twelve_digits();
}
