//! On the main thread of a page in Chromium: a few of the numbers that a worker computes. The reference cases run only
//! in tests/web/worker.rs.

use lipscope_testkit::portable;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn draws_and_norms_are_the_same() {
    portable::check_draws_to_the_bit();
    portable::check_norms_to_twelve_digits();
}
