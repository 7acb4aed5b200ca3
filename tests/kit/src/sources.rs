//! The Rust files of the repository.

use std::fs;
use std::path::PathBuf;

use crate::in_repository;

/// A file of the repository that is text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// From the root of the repository.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// The Rust files of a folder, named from the root of the repository, those in the folders inside it too; in order of path.
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
