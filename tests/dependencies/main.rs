//! Checks the crates that we build with: licences, where they come from, copies of the same crate, and published
//! advisories.
//!
//! Uses `cargo tree` and a copy of the advisories, which need no tool that takes minutes to compile, and no network
//! once all crates are downloaded.

mod advisories;
mod copies;
mod licences;
mod tree;

use std::path::{Path, PathBuf};

/// A path within the repository. These tests use no crate of ours, not even the test kit.
fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
