//! Pointers of git-lfs: small texts that stand in a repository for large files, and in a copy that was made without
//! git-lfs.

use super::{InputError, Phrase};
use crate::phrase;

/// The first line of a pointer, of every version so far.
const FIRST: &[u8] = b"version https://git-lfs.github.com/spec/";
/// The most bytes of a pointer.
const MOST: usize = 1024;

/// Refuses a pointer of git-lfs in place of a file, given the bytes at the beginning of the file.
///
/// # Errors
/// [`InputError::File`] that says so.
pub fn refuse_lfs_pointer(file: impl Into<Phrase>, start: &[u8]) -> Result<(), InputError> {
    if !start.starts_with(FIRST) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&start[..start.len().min(MOST)]);
    let size = text.lines().find_map(|line| line.strip_prefix("size ")?.trim().parse::<u64>().ok());
    Err(InputError::File {
        file: file.into(),
        problem: match size {
            Some(size) => phrase!("lfs_pointer_to", "it is a git-lfs pointer to a file of {size} bytes", size = size),
            None => phrase!("lfs_pointer", "it is a git-lfs pointer to the file"),
        },
        fix: phrase!("pull_lfs", "Install git-lfs and run git lfs pull in its folder, or download the file itself."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_named_with_the_size_of_its_file_and_other_files_are_none() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345678\n";
        let said = refuse_lfs_pointer("model.safetensors", pointer).expect_err("a pointer").to_string();
        for words in ["model.safetensors", "git-lfs", "12345678", "git lfs pull"] {
            assert!(said.contains(words), "{said}");
        }
        assert!(refuse_lfs_pointer("t", b"version https://git-lfs.github.com/spec/v1").is_err());
        for other in [&b""[..], b"version 1", b"\x08\0\0\0\0\0\0\0{}"] {
            assert_eq!(refuse_lfs_pointer("t", other), Ok(()));
        }
    }
}
