//! The text of a table's file. Adds to [`DecodedText`] the encodings that a file does not state.
//!
//! Does not use `encoding_rs`, which would add 130 KB to the first download of the page only for names in a header:
//! numbers are ASCII in all encodings but UTF-16, which the standard library decodes.

use std::borrow::Cow;

use super::reading::Notes;
use crate::experiment::decoded_text::{DecodedText, utf16};
use crate::phrase;

/// The text of the bytes, with `\n` at the end of every line and without byte order marks; `None` for bytes that are
/// not text. Notes a guessed encoding.
pub(super) fn text_of<'a>(bytes: &'a [u8], notes: &mut Notes) -> Option<Cow<'a, str>> {
    let text = match DecodedText::from_bytes(bytes) {
        Some(decoded) => decoded.text,
        None if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") => return None,
        None => Cow::Owned(DecodedText::from_text(&guessed(bytes, notes)?).text.into_owned()),
    };
    // Some programs write a second mark.
    Some(match text.strip_prefix('\u{feff}') {
        Some(rest) => Cow::Owned(rest.trim_start_matches('\u{feff}').to_owned()),
        None => text,
    })
}

/// The text of bytes that are not UTF-8 and have no byte order mark.
fn guessed(bytes: &[u8], notes: &mut Notes) -> Option<String> {
    // In UTF-16 every second byte of digits and separators is zero.
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let mostly = bytes.len() / 4;
    let found = match (even, odd) {
        (0, 0) => (windows_1252(bytes)?, "Windows-1252"),
        (0, odd) if odd > mostly => (utf16(bytes, u16::from_le_bytes)?, "UTF-16"),
        (even, 0) if even > mostly => (utf16(bytes, u16::from_be_bytes)?, "UTF-16"),
        _ => return None,
    };
    notes.guess(phrase!("encoding_guessed", "the encoding {name}, which was guessed", name = found.1));
    Some(found.0)
}

/// Decodes Windows-1252, the encoding of Excel in Western European languages; `None` where a byte is not one of its
/// characters, or is a control character that no text has.
fn windows_1252(bytes: &[u8]) -> Option<String> {
    /// The characters of the bytes 0x80 to 0x9f; all other bytes have the same number as their characters.
    const UPPER: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    let character = |byte: &u8| match *byte {
        byte @ 0x80..=0x9f => UPPER[usize::from(byte - 0x80)],
        byte => char::from(byte),
    };
    let text: String = bytes.iter().map(character).collect();
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    text.chars().all(is_text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<(String, usize)> {
        let mut notes = Notes::default();
        let text = text_of(bytes, &mut notes)?.into_owned();
        Some((text, notes.guessed.len()))
    }

    #[test]
    fn encodings_are_read_and_those_without_a_mark_are_noted() {
        let text = "x;Größe\n1;\u{2212}2";
        let utf16 = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
        let same = Some((text.to_string(), 0));
        assert_eq!(read(text.as_bytes()), same);
        assert_eq!(read(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), same);
        assert_eq!(read(&[b"\xff\xfe", &little[..]].concat()), same);
        assert_eq!(read(&[b"\xfe\xff", &big[..]].concat()), same);
        let plain = "1\t2\n3\t4";
        let units: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&units), Some((plain.into(), 1)));
        assert_eq!(read(b"Gr\xf6\xdfe\n\x961"), Some(("Größe\n–1".into(), 1)));
    }

    #[test]
    fn line_ends_are_the_same_everywhere_and_bytes_that_are_no_text_are_none() {
        assert_eq!(read(b"1\r2\r\n3\n"), Some(("1\n2\n3\n".into(), 0)));
        for bytes in [&b"\xff\xfe\0"[..], b"\x81abc", b"a\0b\xff", b"\xffx\x01"] {
            assert_eq!(read(bytes), None, "{bytes:?}");
        }
    }
}
