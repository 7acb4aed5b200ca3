//! Reads files, and writes files either completely or not at all.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use lipscope_core::experiment::limits::MAX_TEXT_BYTES;
use lipscope_core::experiment::{DecodedText, InputError, refuse_lfs_pointer};
use lipscope_core::phrase;

/// The largest file of an experiment, or of a table of tokens or weights.
pub(super) const MOST_INPUT: u64 = MAX_TEXT_BYTES as u64;
/// The largest table of results: a million windows take about 300 MB.
pub(super) const MOST_RESULTS: u64 = 1 << 30;

/// Reads the text of an experiment, or standard input for `-`.
///
/// # Errors
/// As [`read_text_up_to`].
pub(super) fn read_text(path: &Path) -> Result<String, InputError> {
    Ok(read_text_up_to(path, MOST_INPUT)?.text.into_owned())
}

/// Reads the text of a file of at most `most` bytes, or of standard input for `-`.
///
/// # Errors
/// As [`read_bytes`]; [`InputError::File`] for bytes that are not text.
pub(super) fn read_text_up_to(path: &Path, most: u64) -> Result<DecodedText<'static>, InputError> {
    let bytes = read_bytes(path, most)?;
    DecodedText::from_bytes(&bytes).map(DecodedText::into_owned).ok_or_else(|| not_text(path))
}

/// Reads a file of at most `most` bytes, or standard input for `-`.
///
/// # Errors
/// [`InputError::TooLarge`] for a larger one, of which nothing is read if the system says its size; [`InputError::File`]
/// if it cannot be read.
pub(super) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, InputError> {
    let (reader, size) = open(path)?;
    check_size(path, size, most)?;
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    // The size of a pipe is known at its end only.
    check_size(path, bytes.len() as u64, most)?;
    refuse_lfs_pointer(path.display().to_string(), &bytes)?;
    Ok(bytes)
}

/// A reader of a file, or of standard input for `-`, and its size so far as the system says it.
pub(super) fn open(path: &Path) -> Result<(Box<dyn Read>, u64), InputError> {
    if path.as_os_str() == "-" {
        return Ok((Box::new(io::stdin().lock()), 0));
    }
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    opened.map(|(size, file)| (Box::new(file) as Box<dyn Read>, size)).map_err(|error| unreadable(path, &error))
}

fn check_size(path: &Path, size: u64, most: u64) -> Result<(), InputError> {
    if size <= most {
        return Ok(());
    }
    let megabytes = |bytes: u64| phrase!("megabytes", "{count} MB", count = bytes.div_ceil(1 << 20));
    Err(InputError::TooLarge {
        what: path.display().to_string().into(),
        found: megabytes(size),
        limit: megabytes(most),
        fix: phrase!("give_smaller_file", "Give a smaller file."),
    })
}

/// The error for a file that is not text.
pub(super) fn not_text(path: &Path) -> InputError {
    InputError::File {
        file: path.display().to_string().into(),
        problem: phrase!("not_text_utf_8", "it is not text (UTF-8, or UTF-16 with a byte order mark)"),
        fix: phrase!("save_as_utf_8", "Save it as plain text in UTF-8."),
    }
}

/// The error for a file that the system cannot read.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> InputError {
    InputError::File {
        file: path.display().to_string().into(),
        problem: error.to_string().into(),
        fix: "Check the path, and that the file is there.".into(),
    }
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
