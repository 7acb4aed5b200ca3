//! No package in the build has a published advisory, except those accepted here with a reason.
//!
//! The advisories are a copy in the repository, of the commit that `tests/advisories/packages.txt` names. A test that
//! downloads them would fail without a network, and on days without a change in this repository.
//! `scripts/advisories.sh` renews the copy.

use std::collections::BTreeSet;
use std::fs;

use rustsec::advisory::Informational;
use rustsec::database::Query;
use rustsec::{Advisory, Collection, Database, Lockfile, Version};

use crate::in_repository;
use crate::tree::built;

/// Advisories about a package in the build, and the reason to build with it all the same.
const ACCEPTED: [(&str, &str); 3] = [
    (
        "RUSTSEC-2024-0436",
        "paste is archived by its author, without a known fault. It is a macro by which leptos, burn, faer and tokenizers \
         write their source; nothing of it is in a program, and each of them would have to replace it",
    ),
    (
        "RUSTSEC-2026-0192",
        "ttf-parser has no maintainer, and no known fault. svg2pdf reads fonts with it, and the only font that the command \
         line gives it is its own; krilla, the other writer of PDF, needs it too",
    ),
    (
        "RUSTSEC-2026-0206",
        "rustybuzz has no maintainer, and no known fault. svg2pdf sets texts with it, in the font of the command line alone; \
         krilla, the other writer of PDF, needs it too",
    ),
];

fn copied() -> Database {
    Database::open(&in_repository("tests/advisories")).expect("the copy of the advisories can be read")
}

/// The advisories of the copy that apply to a version of a package: vulnerabilities, and unsound or unmaintained code.
fn about<'a>(database: &'a Database, name: &str, version: &str) -> Vec<&'a Advisory> {
    let version = Version::parse(version).expect("cargo tree writes versions");
    let query = Query::new().collection(Collection::Crates).withdrawn(false);
    let name = name.parse().expect("cargo tree writes names of packages");
    database.query(&query.package_name(name).package_version(version))
}

/// The id of each advisory that applies to a package in the build, and a line with the package, the advisory and the
/// fixed versions.
fn found() -> BTreeSet<(String, String)> {
    let database = copied();
    let mut found = BTreeSet::new();
    for package in built().iter().filter(|package| package.origin.is_empty()) {
        for advisory in about(&database, &package.name, &package.version) {
            let kind = advisory.metadata.informational.as_ref().map_or("vulnerable", Informational::as_str);
            let patched: Vec<String> = advisory.versions.patched().iter().map(ToString::to_string).collect();
            let mended = if patched.is_empty() { "no version".to_owned() } else { patched.join(" or ") };
            let id = advisory.id().to_string();
            let line = format!(
                "{} {} is {kind} ({id}: {}); mended in {mended}",
                package.name,
                package.version,
                advisory.title()
            );
            found.insert((id, line));
        }
    }
    found
}

#[test]
fn no_package_that_is_built_has_an_advisory_that_is_not_accepted() {
    let wrong: Vec<String> = found()
        .into_iter()
        .filter(|(id, _)| ACCEPTED.iter().all(|(accepted, _)| accepted != id))
        .map(|(_, line)| line)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_accepted_advisory_applies_and_has_a_reason() {
    let found = found();
    for (accepted, reason) in ACCEPTED {
        assert!(!reason.is_empty(), "{accepted} is accepted without a reason");
        assert!(found.iter().any(|(id, _)| id == accepted), "{accepted} applies no more: take it out of the list");
    }
}

#[test]
fn advisories_were_looked_up_for_every_package_of_the_lock_file() {
    let list = in_repository("tests/advisories/packages.txt");
    let list = fs::read_to_string(list).expect("the list of packages can be read");
    let looked_up: BTreeSet<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
    let lock = Lockfile::load(in_repository("Cargo.lock")).expect("Cargo.lock can be read");
    let missing: BTreeSet<&str> =
        lock.packages.iter().map(|package| package.name.as_str()).filter(|name| !looked_up.contains(name)).collect();
    assert!(
        missing.is_empty(),
        "Advisories about {} were never looked up: renew the copy with scripts/advisories.sh.",
        missing.into_iter().collect::<Vec<_>>().join(", ")
    );
}

#[test]
fn published_advisories_are_found_in_the_versions_that_they_name_alone() {
    let database = copied();
    let ids = |name, version| -> Vec<String> {
        about(&database, name, version).iter().map(|advisory| advisory.id().to_string()).collect()
    };
    // A vulnerability with its fix, and a package that is only unmaintained.
    assert_eq!(ids("smallvec", "1.6.0"), ["RUSTSEC-2021-0003"]);
    assert_eq!(ids("smallvec", "1.6.1"), [""; 0]);
    assert_eq!(ids("paste", "1.0.15"), ["RUSTSEC-2024-0436"]);
    assert_eq!(ids("serde", "1.0.0"), [""; 0]);
}
