//! The models' worker's program: empty but in the browser.

#[cfg(all(target_arch = "wasm32", feature = "models"))]
fn main() {
    lipscope::model_worker::run();
}

#[cfg(not(all(target_arch = "wasm32", feature = "models")))]
fn main() {}
