//! The same numbers on the main thread of a page in Chromium.
#![cfg(target_arch = "wasm32")]

#[path = "common/mod.rs"]
mod common;
#[path = "common/portable.rs"]
mod portable;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn every_reference_case_agrees() {
    assert!(common::check_golden_cases() >= 36);
}

#[wasm_bindgen_test]
fn draws_and_norms_are_the_same() {
    portable::check_draws_to_the_bit();
    portable::check_norms_to_twelve_digits();
}
