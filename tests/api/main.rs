//! What a Rust user of `lipscope-core` may depend on: every item that its documents show, with its signature, in the kept
//! list `core.txt`. A change of that list is a change of the public API, to be made on purpose and named in the changelog.
//!
//! `LIPSCOPE_WRITE_API=1 cargo test -p lipscope-public-api` writes the list anew.
//!
//! The list is read from the sources, so that it is the same with every version of the compiler; the list that rustdoc
//! writes as JSON needs an unstable option, and its format changes from version to version. These tests use no crate of
//! ours, so that `make check` need not compile one.

mod crate_files;
mod exports;
mod item;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate_files::CrateFiles;
use exports::exports;
use item::{Listed, named_types};

/// The sources of the crate whose API is kept.
const SOURCES: &str = "crates/core/src";
/// The kept list.
const KEPT: &str = "tests/api/core.txt";

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Every documented item by the path that a user writes.
fn listed() -> (CrateFiles, BTreeMap<String, Listed>) {
    let files = CrateFiles::read(&in_repository(SOURCES));
    let items = exports(files.root()).into_iter();
    let items = items.map(|export| (export.path.clone(), Listed::of(&files, &export))).collect();
    (files, items)
}

#[test]
fn the_public_api_is_the_kept_one() {
    let (_, items) = listed();
    assert!(items.len() > 60, "only {} items were found: the scan is broken", items.len());
    let text: Vec<String> = items.iter().map(|(path, item)| format!("== {path}\n{}", item.text)).collect();
    let text = text.join("\n");
    let kept = in_repository(KEPT);
    if std::env::var_os("LIPSCOPE_WRITE_API").is_some() {
        fs::write(&kept, &text).expect("the kept list can be written");
    }
    let before = fs::read_to_string(&kept).unwrap_or_default();
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (before.lines().collect(), text.lines().collect());
    let lines = |of: &BTreeSet<&str>, sign: &str| of.iter().map(|line| format!("{sign} {line}\n")).collect::<String>();
    let (gone, come): (BTreeSet<&str>, BTreeSet<&str>) = (&old - &new, &new - &old);
    assert!(
        text == before,
        "the public API of lipscope-core is not the one of {KEPT}:\n{}{}If that is meant, write the list anew \
         (LIPSCOPE_WRITE_API=1 cargo test -p lipscope-public-api) and say it in CHANGELOG.md.",
        lines(&gone, "-"),
        lines(&come, "+"),
    );
}

#[test]
fn no_documented_signature_names_a_type_that_is_not_exported() {
    let (files, items) = listed();
    let exported: BTreeSet<&str> = items.keys().filter_map(|path| path.rsplit("::").next()).collect();
    let mut missing = Vec::new();
    for (path, item) in &items {
        for name in named_types(item) {
            if files.defines(&name) && !exported.contains(name.as_str()) {
                missing.push(format!("{path} names {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "export these types, or hide what names them:\n{}", missing.join("\n"));
}
