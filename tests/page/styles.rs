//! Every class, id and attribute that a style sheet names occurs in the page.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// Where classes, ids and attributes come from: the page, the names of bounds in the crates, and the scripts beside it.
const SOURCES: [&str; 5] = ["src", "crates", "words/en", "lessons/en", "assets"];

fn texts(folder: &Path, endings: &[&str], add: &mut impl FnMut(&Path, String)) {
    for entry in read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            texts(&path, endings, add);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            add(&path, read_to_string(&path).expect("text"));
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

/// The selectors of a style sheet.
fn selectors(sheet: &str) -> Vec<String> {
    let mut plain = String::new();
    for (at, part) in sheet.split("/*").enumerate() {
        plain.push_str(if at == 0 { part } else { part.split_once("*/").map_or("", |(_, rest)| rest) });
    }
    let before_brace = plain.split_inclusive(['{', '}', ';']).filter_map(|part| part.strip_suffix('{'));
    before_brace.map(|part| part.trim().to_owned()).filter(|part| !part.starts_with('@')).collect()
}

/// The classes, ids, attributes and values of attributes in a selector.
fn names(selector: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = selector;
    while let Some(at) = rest.find(['.', '#', '[']) {
        let (is_attribute, after) = (rest[at..].starts_with('['), &rest[at + 1..]);
        if is_attribute {
            let end = after.find(']').unwrap_or(after.len());
            found.extend(after[..end].split(|c| !is_of_name(c)).map(str::to_owned));
            rest = &after[end..];
        } else {
            let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
            found.push(after[..end].to_owned());
            rest = &after[end..];
        }
    }
    found.retain(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    found
}

#[test]
fn every_selector_names_what_the_page_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = read_to_string(root.join("index.html")).expect("the page");
    for folder in SOURCES {
        texts(&root.join(folder), &["rs", "toml", "js", "mjs", "md", "html"], &mut |_, text| all.push_str(&text));
    }
    let words: BTreeSet<&str> = all.split(|c| !is_of_name(c)).collect();
    let is_put_together = |name: &str| {
        // As in format!("{id}-lab").
        let mut parts = name.match_indices('-').map(|(at, _)| name.split_at(at));
        parts.any(|(first, last)| words.contains(first) && all.contains(&format!("}}{last}\"")))
    };
    let is_data_of_script = |name: &str| {
        let parts = name.strip_prefix("data-").into_iter().flat_map(|name| name.split('-').enumerate());
        let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
        let camel: String = parts.map(|(at, part)| if at == 0 { part.to_owned() } else { capital(part) }).collect();
        !camel.is_empty() && all.contains(&format!("dataset.{camel}"))
    };
    let is_known = |name: &str| words.contains(name) || is_put_together(name) || is_data_of_script(name);
    let mut unknown = Vec::new();
    let mut count = 0;
    texts(&root.join("style"), &["css"], &mut |path, sheet| {
        for selector in selectors(&sheet) {
            for name in names(&selector) {
                count += 1;
                if !is_known(&name) {
                    unknown.push(format!("{}: {name} in {selector}", path.display()));
                }
            }
        }
    });
    assert!(unknown.is_empty(), "the page has no {}", unknown.join("\n"));
    assert!(count > 1000, "only {count} names were read");
    assert!(!is_known("no-such-class") && is_known("growth-list"));
}

#[test]
fn names_are_read_from_selectors() {
    let sheet = "/* .old { } */ @media (min-width: 1.5em) { .a > #b[data-c~=\"d\"]:not(.e-f),\np.g { width: 1.5em; } }";
    let [selector] = &selectors(sheet)[..] else { panic!("one selector") };
    assert_eq!(names(selector), ["a", "b", "data-c", "d", "e-f", "g"]);
}
