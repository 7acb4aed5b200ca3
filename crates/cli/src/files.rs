//! Reads files, and writes files either completely or not at all.

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

/// A system error, with the file that it concerns.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Writes a file: writes a temporary file beside it and then renames it, so that neither a full disk nor the end of the
/// process leaves half of it or destroys the earlier content. A path that is not a regular file, such as /dev/stdout or
/// a pipe, is written directly.
///
/// # Errors
/// System errors; then the earlier content stays, and no temporary file remains.
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
        // Keeps the file's permissions.
        if let Some(found) = found {
            file.set_permissions(found.permissions())?;
        }
        // Otherwise the rename could reach the disk before the bytes do.
        file.sync_all()
    });
    let outcome = written.and_then(|()| fs::rename(&beside, path));
    if outcome.is_err() {
        // Ignores an error of the removal: the first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    outcome
}

/// Tests whether a file can be written, before the work whose result it will hold. Existing content stays.
///
/// # Errors
/// System errors.
pub(super) fn probe(path: &Path) -> io::Result<()> {
    let path = &target(path);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return File::options().write(true).open(path).map(drop);
    }
    let beside = beside(path);
    File::create(&beside)?;
    fs::remove_file(&beside)
}

/// Resolves a path: follows links, also to files that do not exist yet.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| Ok(path.with_file_name(fs::read_link(path)?)))
        .unwrap_or_else(|_: io::Error| path.to_path_buf())
}

/// The temporary file for the bytes until they are complete.
fn beside(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    PathBuf::from(beside)
}

/// The error for a file that cannot be written.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> InputError {
    InputError::Conflict {
        what: path.display().to_string().into(),
        problem: format!("cannot be written ({error})").into(),
        fix: "Check the folder, its permissions and the room on the disk.".into(),
    }
}
