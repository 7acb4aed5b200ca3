//! How near test results come to their limits: the largest ratio of an error to its tolerance, or of a norm to its
//! bound.
//!
//! Each test writes target/ratios/TEST.tsv, a line a name; scripts/test.sh prints them as one table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::in_repository;

/// The largest ratio of each name, test by test.
static WORST: Mutex<BTreeMap<String, BTreeMap<String, f64>>> = Mutex::new(BTreeMap::new());

/// Records a ratio if it is the largest of that name so far; 1 is the test's limit. NaN counts as infinite.
///
/// # Panics
/// Where the file cannot be written.
pub fn record(test: &str, name: &str, ratio: f64) {
    let ratio = if ratio.is_nan() { f64::INFINITY } else { ratio };
    // A test that panics while it holds the lock leaves correct numbers.
    let mut worst = WORST.lock().unwrap_or_else(PoisonError::into_inner);
    if worst.get(test).and_then(|names| names.get(name)).is_some_and(|before| *before >= ratio) {
        return;
    }
    let names = worst.entry(test.to_owned()).or_default();
    names.insert(name.to_owned(), ratio);
    let mut text = String::new();
    for (name, ratio) in names {
        writeln!(text, "{test}\t{name}\t{ratio:e}").expect("text");
    }
    let folder = folder();
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let file = folder.join(format!("{test}.tsv"));
    std::fs::write(&file, text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
}

/// Whether an error is at most what is allowed; records how near it comes.
#[must_use]
pub fn within(test: &str, name: &str, error: f64, allowed: f64) -> bool {
    record(test, name, if error == 0.0 { 0.0 } else { error / allowed });
    error <= allowed
}

fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| in_repository("target"), PathBuf::from);
    // A relative path counts from the root of the repository, where cargo was called.
    in_repository(target).join("ratios")
}
