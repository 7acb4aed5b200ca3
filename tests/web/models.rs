//! Models in Chromium, in a dedicated worker, as on the page: the references and rows of the native tests.

use lipscope_testkit::models as reference;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn hidden_states_and_attention_outputs_are_those_of_pytorch() {
    reference::check_states();
}

#[wasm_bindgen_test]
fn norms_and_released_script_values_are_those_of_a_dense_autograd_jacobian() {
    reference::check_norms();
}

#[wasm_bindgen_test]
fn rows_of_drawn_models_are_those_of_the_command_line() {
    reference::check_drawn_rows();
}
