//! Files that are read, and files that are written whole or not at all.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use lipscope_core::experiment::InputError;

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

/// Writes a file: first one beside it, which then takes its name, so that neither a full disk nor the end of the process
/// leaves half of it or takes away what was there. What is no file, such as /dev/stdout or a pipe, is written to as it is.
///
/// # Errors
/// Those of the system; what was there stays, and nothing stays beside it.
pub(super) fn save(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let content = content.as_ref();
    let path = &target(path);
    let found = fs::metadata(path).ok();
    if found.as_ref().is_some_and(|found| !found.is_file()) {
        return File::options().write(true).open(path)?.write_all(content);
    }
    let beside = beside(path);
    let written = File::create(&beside).and_then(|mut file| {
        file.write_all(content)?;
        // Who may read the file stays as it was.
        if let Some(found) = found {
            file.set_permissions(found.permissions())?;
        }
        // Else the new name could reach the disk before the bytes do.
        file.sync_all()
    });
    let outcome = written.and_then(|()| fs::rename(&beside, path));
    if outcome.is_err() {
        // The first error is the one that is told.
        let _ = fs::remove_file(&beside);
    }
    outcome
}

/// Tries whether a file can be written, before the work that it is for. What is there stays.
///
/// # Errors
/// Those of the system.
pub(super) fn probe(path: &Path) -> io::Result<()> {
    let path = &target(path);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return File::options().write(true).open(path).map(drop);
    }
    let beside = beside(path);
    File::create(&beside)?;
    fs::remove_file(&beside)
}

/// What a path stands for: a link keeps pointing where it did, also where nothing is there yet.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| Ok(path.with_file_name(fs::read_link(path)?)))
        .unwrap_or_else(|_: io::Error| path.to_path_buf())
}

/// Where the bytes are until they are whole.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    PathBuf::from(beside)
}

/// The error for a file that the system cannot write.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> InputError {
    InputError::Conflict {
        what: path.display().to_string().into(),
        problem: format!("cannot be written ({error})").into(),
        fix: "Check the folder, its permissions and the room on the disk.".into(),
    }
}
