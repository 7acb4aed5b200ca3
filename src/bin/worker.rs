//! The worker's program: empty but in the browser.

#[cfg(all(target_arch = "wasm32", feature = "page"))]
fn main() {
    lipscope::worker::run();
}

#[cfg(not(all(target_arch = "wasm32", feature = "page")))]
fn main() {}
