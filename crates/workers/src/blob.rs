//! A blob as a source: a range of it is in memory only while it is read.

use std::ops::Range;

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use web_sys::{Blob, FileReaderSync};

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use lipscope_models::Source;

/// A file that the user gave, or one that was downloaded.
#[derive(Clone, Debug)]
pub struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
}

impl BlobSource {
    /// A source over a blob; `None` if the browser has no `FileReaderSync` in workers.
    pub fn new(blob: Blob) -> Option<Self> {
        Some(BlobSource { blob, reader: FileReaderSync::new().ok()? })
    }
}

impl Source for BlobSource {
    fn len(&self) -> u64 {
        self.blob.size() as u64
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        let part = self.blob.slice_with_f64_and_f64(range.start as f64, range.end as f64);
        let bytes =
            part.and_then(|part| self.reader.read_as_array_buffer(&part)).map(|buffer| Uint8Array::new(&buffer));
        match bytes {
            Ok(bytes) if u64::from(bytes.length()) == range.end.saturating_sub(range.start) => Ok(bytes.to_vec()),
            _ => Err(InputError::File {
                // A downloaded blob has no name.
                file: match self.blob.dyn_ref::<web_sys::File>() {
                    Some(file) => file.name().into(),
                    None => phrase!("file", "The file"),
                },
                problem: phrase!(
                    "bytes_cannot_be_read",
                    "bytes {start} to {end} have changed or are gone",
                    start = range.start,
                    end = range.end
                ),
                fix: phrase!("choose_again", "Choose it again."),
            }),
        }
    }
}
