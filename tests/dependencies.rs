//! Checks the crates that are linked into what we publish: licences, where they come from, and copies of the same crate.
//!
//! Over `cargo tree`, which needs no tool that takes minutes to compile, and no network once all crates are here. Advisories are not looked up:
//! see docs/reliability.md.

use std::collections::BTreeSet;
use std::process::Command;

use lipscope_testkit::in_repository;

/// Licences that let us link and publish. A crate may offer others besides one of these. The MPL binds those who change the
/// files of a crate, and we change none.
const LICENCES: [&str; 13] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that are large or decide numbers, of which one copy must be linked.
const ONE_COPY: [&str; 11] = [
    "nalgebra",
    "faer",
    "libm",
    "serde",
    "serde_json",
    "leptos",
    "plotters",
    "tokenizers",
    "wasm-bindgen",
    "web-sys",
    "postcard",
];

/// A crate that is linked into one of ours.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Linked {
    name: String,
    version: String,
    licence: String,
    /// A folder or an address; empty for a crate of the registry.
    origin: String,
}

/// The crates that are linked natively and in the browser, without what only builds or tests them. `cargo tree` knows which
/// optional parts are on; `cargo metadata` lists, and fetches, those that are off too.
fn linked() -> BTreeSet<Linked> {
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let told = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let mut all = BTreeSet::new();
    for target in [host, "wasm32-unknown-unknown"] {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--locked", "--workspace", "--edges", "normal", "--prefix", "none", "--format", "{p}\t{l}"])
            .args(["--target", target])
            .current_dir(in_repository("."))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        all.extend(lines.lines().filter(|line| !line.is_empty()).map(of_line));
    }
    all
}

/// A line such as `serde v1.0.0 (proc-macro)`, a tab, and the licence; `(*)` stands behind what was listed before.
fn of_line(line: &str) -> Linked {
    let (package, licence) = line.split_once('\t').expect("a package and its licence");
    let mut parts = package.splitn(3, ' ');
    let mut part = || parts.next().unwrap_or_default();
    let (name, version, rest) = (part(), part(), part());
    let origin = rest.replace("(proc-macro)", "");
    Linked {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: licence.trim_end_matches("(*)").trim().to_owned(),
        origin: origin.trim().trim_matches(['(', ')']).to_owned(),
    }
}

/// Whether a licence expression can be met with licences of the list: `A OR B`, `A AND B`, `(A OR B) AND C`, `A/B`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut depth = 0;
    // The last AND or OR outside of parentheses; OR binds less.
    for operator in [" OR ", " AND "] {
        for (at, c) in expression.char_indices() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 && expression[at..].starts_with(operator) {
                let (left, right) = (&expression[..at], &expression[at + operator.len()..]);
                return match operator {
                    " OR " => is_allowed(left) || is_allowed(right),
                    _ => is_allowed(left) && is_allowed(right),
                };
            }
        }
    }
    let one = expression.trim();
    match one.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => is_allowed(inside),
        None => LICENCES.contains(&one),
    }
}

#[test]
fn licences_are_read_as_they_are_written() {
    for allowed in
        ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0", "MIT OR GPL-2.0 AND X"]
    {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND X", "MITT"] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn every_crate_that_is_linked_comes_from_the_registry_with_a_licence_of_the_list() {
    let linked = linked();
    let mut wrong = Vec::new();
    for Linked { name, version, licence, origin } in &linked {
        if !is_allowed(licence) {
            wrong.push(format!("{name} {version} has the licence \"{licence}\""));
        }
        if !origin.is_empty() && !name.starts_with("lipscope") {
            wrong.push(format!("{name} {version} comes from {origin}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(linked.len() > 100, "only {} crates were found: the list is broken", linked.len());
}

#[test]
fn what_is_large_or_decides_numbers_is_linked_once() {
    let linked = linked();
    for name in ONE_COPY {
        let found: BTreeSet<&str> =
            linked.iter().filter(|one| one.name == name).map(|one| one.version.as_str()).collect();
        assert_eq!(found.len(), 1, "{name} is linked as {found:?}");
    }
}
