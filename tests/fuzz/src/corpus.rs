//! The valid inputs that everything starts from: `tests/fuzz/corpus/DOOR/*`.
//!
//! A file whose name begins with `fault-` is an input that once broke something.

use std::fs;
use std::io;
use std::path::PathBuf;

use lipscope_testkit::in_repository;

/// An input of the corpus.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of its file.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The folder of a door.
#[must_use]
pub fn folder(door: &str) -> PathBuf {
    in_repository("tests/fuzz/corpus").join(door)
}

/// The files of that name in the folders of small models of every kind, tests/data/models, by folder.
///
/// # Panics
/// Where the folder cannot be read.
#[must_use]
pub fn of_models(name: &str) -> Vec<Vec<u8>> {
    let folders = fs::read_dir(in_repository("tests/data/models")).unwrap_or_else(|problem| panic!("{problem}"));
    let mut paths: Vec<PathBuf> = folders.flatten().map(|folder| folder.path().join(name)).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// The inputs of a door, by name, so that the order is the same on every machine. A door whose inputs are all made by
/// code has no folder.
///
/// # Errors
/// Where the folder or a file in it cannot be read.
pub fn entries(door: &str) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let files = match fs::read_dir(folder(door)) {
        Ok(files) => files,
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(entries),
        Err(problem) => return Err(problem),
    };
    for file in files {
        let file = file?;
        entries.push(Entry { name: file.file_name().to_string_lossy().into_owned(), bytes: fs::read(file.path())? });
    }
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}
