//! The Rust files of the repository.

use std::fs;
use std::path::PathBuf;

use crate::in_repository;

/// A text file of the repository.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path from the root of the repository.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The Rust files of a folder and its subfolders, with paths from the root of the repository, sorted by path.
#[must_use]
pub fn sources(folder: &str) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(in_repository(&folder)).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry.path()).expect("text");
                files.push(SourceFile { path: path.display().to_string(), text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
