//! A file on a server as a source: only the ranges that are read travel.
//!
//! A source is read at once, and only requests of the older kind, `XMLHttpRequest`, can be waited for: a worker may, a page
//! must not.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use web_sys::{XmlHttpRequest, XmlHttpRequestResponseType};

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use lipscope_models::Source;

/// The status of an answer with a range of a file.
pub(crate) const PARTIAL: u16 = 206;
/// The most bytes of one request. A larger range is read by several.
const MOST: u64 = 16 << 20;
/// Headers and short pieces are read again whenever a model is opened. They are kept: of so many bytes each, and in all of
/// a file.
const KEPT: (usize, usize) = (1 << 20, 8 << 20);

/// A file at an address.
#[derive(Clone, Debug)]
pub struct RemoteSource {
    url: String,
    len: u64,
    /// Short ranges that were read, by their starts and ends.
    kept: Rc<RefCell<Kept>>,
}

/// Bytes by the start and the end of their range.
type Kept = BTreeMap<(u64, u64), Vec<u8>>;

impl RemoteSource {
    /// The file of `len` bytes at an address.
    #[must_use]
    pub fn new(url: String, len: u64) -> Self {
        RemoteSource { url, len, kept: Rc::default() }
    }

    fn problem(&self, range: &Range<u64>, status: u16) -> InputError {
        let (start, end) = (range.start, range.end);
        InputError::File {
            file: self.url.as_str().into(),
            problem: match status {
                0 => phrase!(
                    "no_answer_for_bytes",
                    "the server gives no answer for its bytes {start} to {end}",
                    start = start,
                    end = end
                ),
                _ => phrase!(
                    "server_answers_for_bytes",
                    "for its bytes {start} to {end} the server answers {status}, and not with these bytes alone",
                    start = start,
                    end = end,
                    status = status
                ),
            },
            fix: phrase!(
                "resume_or_download",
                "Continue the run to read on, or download the files to this computer and choose them."
            ),
        }
    }

    /// Reads a range of at most [`MOST`] bytes.
    fn request(&self, range: &Range<u64>) -> Result<Uint8Array, InputError> {
        let answer = || -> Result<(u16, JsValue), JsValue> {
            let request = XmlHttpRequest::new()?;
            request.open_with_async("GET", &self.url, false)?;
            request.set_response_type(XmlHttpRequestResponseType::Arraybuffer);
            request.set_request_header("Range", &range_header(range))?;
            request.send()?;
            Ok((request.status()?, request.response()?))
        };
        let (status, bytes) = answer().map_err(|_| self.problem(range, 0))?;
        if status != PARTIAL || !bytes.is_object() {
            return Err(self.problem(range, status));
        }
        let bytes = Uint8Array::new(&bytes);
        match u64::from(bytes.length()) == range.end - range.start {
            true => Ok(bytes),
            false => Err(self.problem(range, status)),
        }
    }
}

impl Source for RemoteSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        if let Some(known) = self.kept.borrow().get(&(range.start, range.end)) {
            return Ok(known.clone());
        }
        let mut read = Vec::with_capacity((range.end - range.start) as usize);
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + MOST);
            let part = self.request(&(start..end))?;
            let before = read.len();
            read.resize(before + part.length() as usize, 0);
            part.copy_to(&mut read[before..]);
            start = end;
        }
        let mut kept = self.kept.borrow_mut();
        let so_far: usize = kept.values().map(Vec::len).sum();
        if read.len() <= KEPT.0 && so_far + read.len() <= KEPT.1 {
            kept.insert((range.start, range.end), read.clone());
        }
        Ok(read)
    }
}

/// The header that asks for a range of bytes.
pub(crate) fn range_header(range: &Range<u64>) -> String {
    format!("bytes={}-{}", range.start, range.end.saturating_sub(1))
}
