//! Helpers shared by the tests of several crates.

pub mod cost;
pub mod dice;
#[cfg(not(target_arch = "wasm32"))]
pub mod drawn;
pub mod drawn_variant;
#[cfg(not(target_arch = "wasm32"))]
pub mod imports;
pub mod kernels;
pub mod models;
#[cfg(not(target_arch = "wasm32"))]
pub mod peak;
pub mod pictures;
pub mod portable;
#[cfg(not(target_arch = "wasm32"))]
pub mod ratios;
pub mod reference;
#[cfg(not(target_arch = "wasm32"))]
pub mod repeated;
#[cfg(not(target_arch = "wasm32"))]
pub mod scripts;
pub mod settings;
pub mod sources;
pub mod steps;
pub mod tables;
pub mod two_sided;
pub mod weights;

use std::path::{Path, PathBuf};

/// A file of the repository, whatever the working directory of the test.
#[must_use]
pub fn in_repository(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
