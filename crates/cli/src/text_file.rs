//! A text of which only the beginning is read, so far as it is needed.

use std::io::Read;
use std::path::{Path, PathBuf};

use lipscope_core::experiment::{DecodedText, InputError, refuse_lfs_pointer, whole_characters};
use lipscope_models::{TextEnd, TextSource};

use super::files::{not_text, open, unreadable};

/// A text file, or standard input for `-`.
pub(super) struct TextFile {
    path: PathBuf,
    reader: Box<dyn Read>,
    /// The bytes that were read so far.
    bytes: Vec<u8>,
    end: TextEnd,
}

impl TextFile {
    /// Opens a file without reading it.
    ///
    /// # Errors
    /// [`InputError::File`] if there is no such file.
    pub(super) fn open(path: &Path) -> Result<Self, InputError> {
        let (reader, _) = open(path)?;
        Ok(TextFile { path: path.to_path_buf(), reader, bytes: Vec::new(), end: TextEnd::Beyond })
    }

    /// Reads until there are `count` bytes, or the file ends.
    fn fill(&mut self, count: usize) -> Result<(), InputError> {
        let missing = count.saturating_sub(self.bytes.len());
        let read = self.reader.by_ref().take(missing as u64).read_to_end(&mut self.bytes);
        if read.map_err(|error| unreadable(&self.path, &error))? < missing {
            self.end = TextEnd::Reached;
        }
        Ok(())
    }

    /// The bytes so far, without a character that their end divides.
    fn whole(&self) -> &[u8] {
        if self.end == TextEnd::Reached { &self.bytes } else { whole_characters(&self.bytes) }
    }

    fn decoded(&self) -> Result<DecodedText<'_>, InputError> {
        DecodedText::from_bytes(self.whole()).ok_or_else(|| not_text(&self.path))
    }
}

impl TextSource for TextFile {
    fn beginning(&mut self, least: usize) -> Result<(DecodedText<'_>, TextEnd), InputError> {
        /// Room for a byte order mark and for what the end divides.
        const MORE: usize = 16;
        let mut count = least.saturating_add(MORE);
        loop {
            self.fill(count)?;
            refuse_lfs_pointer(self.path.display().to_string(), &self.bytes)?;
            // UTF-16 and carriage returns take more bytes than the text.
            if self.end == TextEnd::Reached || self.decoded()?.text.len() >= least {
                return Ok((self.decoded()?, self.end));
            }
            count = count.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &'static [u8]) -> TextFile {
        TextFile { path: "t.txt".into(), reader: Box::new(bytes), bytes: Vec::new(), end: TextEnd::Beyond }
    }

    #[test]
    fn no_more_of_a_file_is_read_than_is_asked_for() {
        let bytes: &'static [u8] = "é\r\n".repeat(100_000).leak().as_bytes();
        let mut text = file(bytes);
        let (decoded, end) = text.beginning(1000).expect("text");
        assert!((1000..2100).contains(&decoded.text.len()) && end == TextEnd::Beyond, "{}", decoded.text.len());
        assert!(decoded.text.starts_with("é\né\n") && !decoded.text.contains('\r'));
        assert!(text.bytes.len() < 2100, "{}", text.bytes.len());
        let (decoded, end) = text.beginning(usize::MAX).expect("text");
        assert_eq!((decoded.text.len(), end), (300_000, TextEnd::Reached));
    }

    #[test]
    fn a_file_that_is_no_text_is_named() {
        for bytes in [&b"a\xff\xfe"[..], b"\0\x01"] {
            let problem = file(bytes).beginning(10).expect_err("no text").to_string();
            assert!(problem.contains("t.txt") && problem.contains("UTF-8"), "{problem}");
        }
    }
}
