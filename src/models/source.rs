//! Where the bytes of a file come from: all in memory, or a range at a time.

use std::ops::Range;

use crate::experiment::InputError;

/// A file that is read by ranges, such as one on disk or one that a browser holds.
pub trait Source {
    /// Its length in bytes.
    fn len(&self) -> u64;

    /// The bytes of a range within it.
    ///
    /// # Errors
    /// [`InputError::File`] where it cannot be read.
    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError>;

    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Source for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        let inside = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        inside.and_then(|(start, end)| self.get(start..end)).map(<[u8]>::to_vec).ok_or_else(|| InputError::File {
            file: "model.safetensors".into(),
            problem: format!("it has no bytes {} to {}", range.start, range.end),
            fix: "Copy the file again.".into(),
        })
    }
}
