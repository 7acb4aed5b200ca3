//! Reading what the arguments name.

use std::path::Path;
use std::{fs, io};

/// Reads a file, or standard input for `-`.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    if path.as_os_str() == "-" {
        return io::read_to_string(io::stdin());
    }
    fs::read_to_string(path).map_err(|error| named(path, &error))
}

/// An error of the system, with the file that it is about.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
