//! Large crates, and those that decide numbers, are linked once.

use std::collections::BTreeSet;

use crate::tree::linked;

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

#[test]
fn what_is_large_or_decides_numbers_is_linked_once() {
    let linked = linked();
    for name in ONE_COPY {
        let found: BTreeSet<&str> =
            linked.iter().filter(|one| one.name == name).map(|one| one.version.as_str()).collect();
        assert_eq!(found.len(), 1, "{name} is linked as {found:?}");
    }
}
