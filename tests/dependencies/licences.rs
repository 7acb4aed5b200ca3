//! Every crate that is linked has a licence of a short list and comes from the registry.

use crate::tree::{Package, linked};

/// Licences that let us link and publish. A crate may offer others besides one of these. The MPL binds those who change
/// the files of a crate, and we change none.
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

/// Whether a licence expression can be met with licences of the list: `A OR B`, `A AND B`, `(A OR B) AND C`, `A/B`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut depth = 0;
    // The first OR outside of parentheses, or else the first AND: OR binds less.
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
    for Package { name, version, licence, origin } in &linked {
        if !is_allowed(licence) {
            wrong.push(format!("{name} {version} has the licence \"{licence}\""));
        }
        if !origin.is_empty() && !name.starts_with("lipscope") {
            wrong.push(format!("{name} {version} comes from {origin}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
