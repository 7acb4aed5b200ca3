//! Finds the commit that a release is built from, for `lipscope --version`, and generates the names of the bounds.
//!
//! A build for development and tests has no commit: this script and all that follows from it would run again after every commit.

mod commit;
mod words;

use std::path::PathBuf;
use std::{env, fs};

/// The page's catalogue that has the names of the bounds.
const CATALOGUE: &str = "../../words/en/bounds.toml";

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={CATALOGUE}");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let source = fs::read_to_string(CATALOGUE).map_err(|problem| problem.to_string());
    let source = source.and_then(|catalogue| words::generate(&catalogue));
    let out = PathBuf::from(variable("OUT_DIR")).join("bound_words.rs");
    if let Err(problem) = source.and_then(|source| fs::write(out, source).map_err(|problem| problem.to_string())) {
        println!("cargo::error={CATALOGUE}: {problem}");
    }
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let found = if variable("PROFILE") == "release" { commit::find(&package) } else { commit::Found::default() };
    for file in &found.read {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let version = variable("CARGO_PKG_VERSION");
    let long = found.commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit})"));
    println!("cargo::rustc-env=LIPSCOPE_LONG_VERSION={long}");
}
