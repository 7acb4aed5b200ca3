//! The packages that are built, as `cargo tree` lists them.

use std::collections::BTreeSet;
use std::process::Command;

use crate::in_repository;

/// A package that one of ours is built with.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub licence: String,
    /// A folder or an address; empty for a package of the registry.
    pub origin: String,
}

/// The packages that are linked natively and in the browser, without what only builds or tests them.
pub fn linked() -> BTreeSet<Package> {
    packages("normal")
}

/// The packages that are linked, and those that build and test them.
pub fn built() -> BTreeSet<Package> {
    packages("normal,build,dev")
}

/// The packages behind the given kinds of edges, natively and in the browser. `cargo tree` resolves which optional
/// dependencies are on; `cargo metadata` also lists, and downloads, those that are off.
fn packages(edges: &str) -> BTreeSet<Package> {
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let told = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let mut all = BTreeSet::new();
    for target in [host, "wasm32-unknown-unknown"] {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--workspace", "--edges", edges])
            .args(["--target", target, "--prefix", "none", "--format", "{p}\t{l}"])
            .current_dir(in_repository("."))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        all.extend(lines.lines().filter(|line| !line.is_empty()).map(of_line));
    }
    assert!(all.len() > 100, "only {} packages were found: the list is broken", all.len());
    all
}

/// A line such as `serde v1.0.0 (proc-macro)`, a tab, and the licence; `(*)` marks a package listed before.
fn of_line(line: &str) -> Package {
    let (package, licence) = line.split_once('\t').expect("a package and its licence");
    let mut parts = package.splitn(3, ' ');
    let mut part = || parts.next().unwrap_or_default();
    let (name, version, rest) = (part(), part(), part());
    let origin = rest.replace("(proc-macro)", "");
    Package {
        name: name.to_owned(),
        version: version.trim_start_matches('v').to_owned(),
        licence: licence.trim_end_matches("(*)").trim().to_owned(),
        origin: origin.trim().trim_matches(['(', ')']).to_owned(),
    }
}
