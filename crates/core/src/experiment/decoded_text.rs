//! The text of a file, from its bytes: the one place that knows encodings, byte order marks and line ends.
//!
//! Bytes are read as Python's text mode reads them with `encoding="utf-8-sig"`: a byte order mark at the beginning is no
//! part of the text, and `\r\n` and a lone `\r` are `\n`. UTF-16 with a mark, which PowerShell writes, is read too.

use std::borrow::Cow;

use super::Phrase;
use crate::phrase;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// A text, and what was changed while it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text: without a byte order mark, and with `\n` at the end of every line.
    pub text: Cow<'a, str>,
    encoding: TextEncoding,
    line_ends: LineEnds,
}

/// The encodings that a file can state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextEncoding {
    Utf8,
    Utf8WithMark,
    Utf16,
}

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnds {
    /// With `\n`.
    Newline,
    /// Some with `\r\n` or `\r`.
    CarriageReturn,
}

impl<'a> DecodedText<'a> {
    /// The text of bytes in UTF-8, with or without a mark, or in UTF-16 with a mark. `None` for other bytes, and where one
    /// of the first two bytes is zero, as in UTF-16 without a mark.
    #[must_use]
    pub fn from_bytes(bytes: &'a [u8]) -> Option<Self> {
        let utf16 = |rest, unit| Some((Cow::Owned(utf16(rest, unit)?), TextEncoding::Utf16));
        let (text, encoding) = match bytes {
            [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
            [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
            [0, ..] | [_, 0, ..] => return None,
            _ => return std::str::from_utf8(bytes).ok().map(Self::from_text),
        };
        Some(with_newlines(text, encoding))
    }

    /// A text that is decoded already, such as a pasted one.
    #[must_use]
    pub fn from_text(text: &'a str) -> Self {
        match text.strip_prefix(MARK) {
            Some(rest) => with_newlines(Cow::Borrowed(rest), TextEncoding::Utf8WithMark),
            None => with_newlines(Cow::Borrowed(text), TextEncoding::Utf8),
        }
    }

    /// The same text, on its own.
    #[must_use]
    pub fn into_owned(self) -> DecodedText<'static> {
        let DecodedText { text, encoding, line_ends } = self;
        DecodedText { text: Cow::Owned(text.into_owned()), encoding, line_ends }
    }

    /// Notes on what was changed; each is a clause of a sentence.
    #[must_use]
    pub fn notes(&self) -> Vec<Phrase> {
        let encoding = match self.encoding {
            TextEncoding::Utf8 => None,
            TextEncoding::Utf8WithMark => Some(phrase!(
                "note_text_mark",
                "the text begins with a byte order mark, which is no part of it (as in Python's utf-8-sig)"
            )),
            TextEncoding::Utf16 => {
                Some(phrase!("note_text_utf16", "the text is in UTF-16, as its byte order mark says"))
            }
        };
        let line_ends = (self.line_ends == LineEnds::CarriageReturn).then(|| {
            phrase!(
                "note_text_line_ends",
                "lines of the text end with a carriage return (\\r\\n or \\r), which was read as \\n (as in Python's text mode)"
            )
        });
        encoding.into_iter().chain(line_ends).collect()
    }
}

/// The bytes of the beginning of a file, without a character or a line end that the cut divides.
#[must_use]
pub fn whole_characters(start: &[u8]) -> &[u8] {
    let without_return = |bytes, unit: fn([u8; 2]) -> u16| {
        let (units, _) = <[u8]>::as_chunks::<2>(bytes);
        let is_open = |unit: u16| (0xd800..0xdc00).contains(&unit) || unit == u16::from(b'\r');
        let open = units.last().is_some_and(|last| is_open(unit(*last)));
        2 * (units.len() - usize::from(open))
    };
    match start {
        [0xff, 0xfe, rest @ ..] => &start[..2 + without_return(rest, u16::from_le_bytes)],
        [0xfe, 0xff, rest @ ..] => &start[..2 + without_return(rest, u16::from_be_bytes)],
        // Half of a byte order mark.
        [0xff | 0xfe] => &[],
        _ => {
            let whole = match std::str::from_utf8(start) {
                // Bytes that no further ones complete are left for the error about them.
                Err(error) if error.error_len().is_none() => &start[..error.valid_up_to()],
                _ => start,
            };
            whole.strip_suffix(b"\r").unwrap_or(whole)
        }
    }
}

fn with_newlines(text: Cow<'_, str>, encoding: TextEncoding) -> DecodedText<'_> {
    if !text.contains('\r') {
        return DecodedText { text, encoding, line_ends: LineEnds::Newline };
    }
    let text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
    DecodedText { text, encoding, line_ends: LineEnds::CarriageReturn }
}

/// The text of UTF-16 without a mark; `None` for half a character, and for a text with a zero character.
pub(super) fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text: String = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok()?;
    (rest.is_empty() && !text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<(String, usize)> {
        DecodedText::from_bytes(bytes).map(|decoded| (decoded.text.to_string(), decoded.notes().len()))
    }

    /// The text in UTF-16 with a mark, in both orders.
    fn in_utf16(text: &str) -> [Vec<u8>; 2] {
        let marked = format!("{MARK}{text}");
        let units = || marked.encode_utf16();
        [units().flat_map(u16::to_le_bytes).collect(), units().flat_map(u16::to_be_bytes).collect()]
    }

    #[test]
    fn a_text_is_that_of_pythons_text_mode_and_changes_are_noted() {
        assert_eq!(read("Größe\nx".as_bytes()), Some(("Größe\nx".into(), 0)));
        assert_eq!(read(b"\xef\xbb\xbfa\nb"), Some(("a\nb".into(), 1)));
        assert_eq!(read(b"a\r\nb\rc\n\r\n"), Some(("a\nb\nc\n\n".into(), 1)));
        assert_eq!(read(b"\xef\xbb\xbfa\r\n"), Some(("a\n".into(), 2)));
        // One mark is left out, as Python does.
        assert_eq!(read("\u{feff}\u{feff}a".as_bytes()), Some(("\u{feff}a".into(), 1)));
        for bytes in in_utf16("x😀\r\ny") {
            assert_eq!(read(&bytes), Some(("x😀\ny".into(), 2)));
        }
        assert_eq!(read(b"ab\0c"), Some(("ab\0c".into(), 0)));
        for broken in [&b"\xff"[..], b"a\0b", b"\0ab", b"\xff\xfea", b"\xff\xfe\0\0", b"\xff\xfe\0\xd8"] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn a_beginning_that_is_cut_anywhere_is_a_beginning_of_the_text() {
        let text = "é😀\r\nb\rc";
        let [little, big] = in_utf16(text);
        for bytes in [text.as_bytes(), &little, &big, &format!("{MARK}{text}").into_bytes()] {
            let (whole, _) = read(bytes).expect("a text");
            for end in 0..=bytes.len() {
                let (start, _) = read(whole_characters(&bytes[..end])).expect("whole characters");
                assert!(whole.starts_with(&start), "{end}: {start:?}");
                assert!(whole.len() - start.len() <= bytes.len() - end + 4, "{end}: {start:?}");
            }
        }
        assert_eq!(whole_characters(b"a\xffb"), b"a\xffb");
    }
}
