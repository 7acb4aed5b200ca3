//! Generates functions from the word catalogues and MathML from the formulas, checks the lessons, and tells the linker to
//! keep the relocations in the page's module: scripts/modules.sh needs them to cut the module into parts.

mod formulas;
mod lessons;
mod words;

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=words");
    let source =
        words::read(Path::new("words")).map_err(|problem| vec![problem]).and_then(|files| words::generate(&files));
    match source {
        Ok(source) => write("words.rs", &source),
        Err(problems) => problems.iter().for_each(|problem| println!("cargo::error={problem}")),
    }
    println!("cargo::rerun-if-changed={}", formulas::BOUNDS);
    match formulas::generate() {
        Ok(source) => write("formulas.rs", &source),
        Err(problem) => println!("cargo::error={problem}"),
    }
    println!("cargo::rerun-if-changed=src/lessons/file.rs");
    println!("cargo::rerun-if-changed=lessons");
    if let Err(problem) = lessons::check() {
        println!("cargo::error={problem}");
    }
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "wasm32") {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
}

/// Writes generated code where the crate includes it.
fn write(name: &str, source: &str) {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join(name);
    std::fs::write(out, source).expect("the folder of build outputs can be written");
}

/// The text of a file, or a sentence that names it.
fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|problem| format!("{}: {problem}", path.display()))
}
