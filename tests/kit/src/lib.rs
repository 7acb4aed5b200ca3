//! What the tests of several crates share.

#[cfg(not(target_arch = "wasm32"))]
pub mod drawn;
pub mod models;
pub mod pictures;
pub mod portable;
#[cfg(not(target_arch = "wasm32"))]
pub mod ratios;
pub mod reference;
#[cfg(not(target_arch = "wasm32"))]
pub mod repeated;
#[cfg(not(target_arch = "wasm32"))]
pub mod scripts;
pub mod sources;

use std::path::{Path, PathBuf};

/// A file of the repository, wherever the tests are run from.
#[must_use]
pub fn in_repository(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
