//! Access to the bytes of a file: in memory, or by ranges.

use std::ops::Range;

use lipscope_core::experiment::{DecodedText, InputError, Phrase, refuse_lfs_pointer};
use lipscope_core::phrase;

/// A file that is read by ranges, such as one on disk or one held by a browser.
pub trait Source {
    /// Length in bytes.
    fn len(&self) -> u64;

    /// Reads the bytes of a range.
    ///
    /// # Errors
    /// [`InputError::File`] if it cannot be read.
    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError>;

    /// Whether the file is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<S: Source + ?Sized> Source for &mut S {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        (**self).read(range)
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        (**self).read(range)
    }
}

/// The whole of a text file.
///
/// # Errors
/// [`InputError::File`] if it is too large, cannot be read, or is not text.
pub fn whole_text(file: &str, source: &mut impl Source) -> Result<String, InputError> {
    /// Well above the largest tokenizers, which have about ten million bytes.
    const MOST: u64 = 128 << 20;
    let broken = |problem: Phrase| InputError::File {
        file: file.into(),
        problem,
        fix: phrase!("copy_file_again_from", "Copy the file again from the model's folder."),
    };
    let len = source.len();
    if len > MOST {
        return Err(broken(phrase!(
            "has_bytes_text_kind",
            "it has {count} bytes, and a text of its kind has at most {most}",
            count = len,
            most = MOST
        )));
    }
    let bytes = source.read(0..len)?;
    refuse_lfs_pointer(file, &bytes)?;
    let decoded = DecodedText::from_bytes(&bytes).map(|decoded| decoded.text.into_owned());
    decoded.ok_or_else(|| broken(phrase!("not_text_utf_8", "it is not text (UTF-8, or UTF-16 with a byte order mark)")))
}

impl Source for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        let inside = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        inside.and_then(|(start, end)| self.get(start..end)).map(<[u8]>::to_vec).ok_or_else(|| InputError::File {
            file: "model.safetensors".into(),
            problem: phrase!("has_no_bytes", "it has no bytes {start} to {end}", start = range.start, end = range.end),
            fix: phrase!("copy_file_again", "Copy the file again."),
        })
    }
}
