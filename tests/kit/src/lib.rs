//! Helpers shared by the tests of several crates.

pub mod cost;
pub mod dice;
#[cfg(not(target_arch = "wasm32"))]
pub mod drawn;
pub mod drawn_variant;
pub mod extreme;
#[cfg(not(target_arch = "wasm32"))]
pub mod imports;
pub mod kernels;
pub mod models;
pub mod notation;
#[cfg(not(target_arch = "wasm32"))]
pub mod peak;
pub mod pictures;
pub mod portable;
#[cfg(not(target_arch = "wasm32"))]
pub mod precise;
#[cfg(not(target_arch = "wasm32"))]
pub mod ratios;
pub mod reference;
#[cfg(not(target_arch = "wasm32"))]
pub mod repeated;
#[cfg(not(target_arch = "wasm32"))]
pub mod scripts;
pub mod settings;
pub mod shrink;
pub mod sources;
pub mod steps;
pub mod tables;
pub mod two_sided;
#[cfg(not(target_arch = "wasm32"))]
pub mod upper_numbers;
pub mod weights;

use std::path::{Path, PathBuf};

/// A file of the repository, whatever the working directory of the test.
#[must_use]
pub fn in_repository(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
