//! Checks the crates that are linked into what we publish: licences, where they come from, and copies of the same crate.
//!
//! Over `cargo metadata`, which needs no tool that takes minutes to compile, and no network once all crates are here. Advisories are not looked up:
//! see docs/reliability.md.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use lipscope_testkit::in_repository;
use serde_json::Value;

/// Licences that let us link and publish. A crate may offer others besides one of these.
const LICENCES: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT-0",
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

fn metadata() -> Value {
    // Crates for other systems need not be on this machine.
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let told = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", host, "--filter-platform", "wasm32-unknown-unknown"])
        .current_dir(in_repository("."))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// The packages that are linked into crates of ours: without what only builds or tests them.
fn linked(metadata: &Value) -> BTreeSet<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let nodes: BTreeMap<String, &Value> =
        list(&metadata["resolve"], "nodes").iter().map(|node| (text(&node["id"]), node)).collect();
    let mut reached: Vec<String> = list(metadata, "workspace_members").iter().map(text).collect();
    let mut seen: BTreeSet<String> = reached.iter().cloned().collect();
    while let Some(id) = reached.pop() {
        let node = nodes.get(&id).unwrap_or_else(|| panic!("{id} is not resolved"));
        for dependency in list(node, "deps") {
            let is_linked = list(dependency, "dep_kinds").iter().any(|kind| kind["kind"].is_null());
            let id = text(&dependency["pkg"]);
            if is_linked && seen.insert(id.clone()) {
                reached.push(id);
            }
        }
    }
    seen
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
    let metadata = metadata();
    let linked = linked(&metadata);
    let mut wrong = Vec::new();
    let mut n_foreign = 0;
    for package in list(&metadata, "packages") {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        if !linked.contains(text("id")) {
            continue;
        }
        let name = format!("{} {}", text("name"), text("version"));
        if !is_allowed(text("license")) {
            wrong.push(format!("{name} has the licence \"{}\"", text("license")));
        }
        match package["source"].as_str() {
            None => {}
            Some(registry) if registry.starts_with("registry+") => n_foreign += 1,
            Some(elsewhere) => wrong.push(format!("{name} comes from {elsewhere}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_foreign > 100, "only {n_foreign} crates were found: the walk is broken");
}

#[test]
fn what_is_large_or_decides_numbers_is_linked_once() {
    let metadata = metadata();
    let linked = linked(&metadata);
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in list(&metadata, "packages") {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        if linked.contains(text("id")) {
            versions.entry(text("name")).or_default().insert(text("version"));
        }
    }
    for name in ONE_COPY {
        let found = versions.get(name).unwrap_or_else(|| panic!("{name} is not linked: take it off the list"));
        assert_eq!(found.len(), 1, "{name} is linked as {found:?}");
    }
}
