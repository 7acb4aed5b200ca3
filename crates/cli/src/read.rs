//! Reading what the arguments name.

use std::path::Path;
use std::{fs, io};

/// Reads a file, or standard input for `-`.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    if path.as_os_str() == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(path).map_err(named) }
}
