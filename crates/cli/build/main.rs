//! Finds the commit that a release is built from, for `lipscope --version`.
//!
//! A build for development and tests has no commit: this script and all that follows from it would run again after every commit.

mod commit;

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let found = if variable("PROFILE") == "release" { commit::find(&package) } else { commit::Found::default() };
    for file in &found.read {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let version = variable("CARGO_PKG_VERSION");
    let long = found.commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=LIPSCOPE_LONG_VERSION={long}");
}
