//! Numbers, words and lines of a text that are wrong.

use std::ops::Range;

use lipscope_testkit::dice::Dice;

/// Replacements for a number.
const NUMBERS: [&str; 26] = [
    "NaN",
    "nan",
    "Infinity",
    "-inf",
    "1e308",
    "-1.7976931348623157e308",
    "1e309",
    "1e-320",
    "5e-324",
    "-0",
    "0",
    "-1",
    "1",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "4294967296",
    "",
    "+",
    "0x10",
    "1_000",
    "1.2.3",
    "\u{2212}3",
    "1e",
    "000000000000000000000000000000000000000000000000000001",
];

/// Replacements for a word, or insertions between two.
const WORDS: [&str; 16] = [
    "",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{1f600}",
    "e\u{301}\u{301}\u{301}",
    "\r",
    "\"",
    "\\u0000",
    "\\ud800",
    "<img src=x onerror=alert(1)>",
    "=1+1",
    "...",
    "[[[[[[[[",
    "]]]]",
    "#",
];

/// The same text with one fault; bytes that are not text stay unchanged.
pub fn vary(dice: &mut Dice, input: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(input) else { return input.to_vec() };
    match dice.below(8) {
        0..4 => replaced(text, dice, number_spans(text), &NUMBERS),
        4 => replaced(text, dice, word_spans(text), &WORDS),
        5 => separators(dice, text),
        _ => lines(dice, text),
    }
}

fn replaced(text: &str, dice: &mut Dice, spans: Vec<Range<usize>>, by: &[&str]) -> Vec<u8> {
    if spans.is_empty() {
        return (text.to_owned() + *dice.of(by)).into_bytes();
    }
    let span = dice.of(&spans).clone();
    [&text[..span.start], *dice.of(by), &text[span.end..]].concat().into_bytes()
}

fn number_spans(text: &str) -> Vec<Range<usize>> {
    spans(text, |c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'))
        .into_iter()
        .filter(|span| text[span.clone()].contains(|c: char| c.is_ascii_digit()))
        .collect()
}

fn word_spans(text: &str) -> Vec<Range<usize>> {
    spans(text, char::is_alphanumeric)
}

/// The ranges of characters of a kind.
fn spans(text: &str, is_inside: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is_inside(*c)) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + c.len_utf8(),
            _ => found.push(at..at + c.len_utf8()),
        }
    }
    found
}

/// One kind of separator becomes another, everywhere or once.
fn separators(dice: &mut Dice, text: &str) -> Vec<u8> {
    const MARKS: [&str; 12] = [",", "\t", ";", " ", "\n", "\r\n", "&", "=", ":", "[", "]", "\""];
    let (from, to) = (*dice.of(&MARKS), *dice.of(&MARKS));
    let most = if dice.once_in(2) { 1 } else { usize::MAX };
    text.replacen(from, to, most).into_bytes()
}

/// A line is lost, doubled, exchanged with another one, cut, or repeated up to a thousand times.
fn lines(dice: &mut Dice, text: &str) -> Vec<u8> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let at = dice.below(lines.len());
    let line = lines[at];
    match dice.below(5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, line),
        2 => {
            let other = dice.below(lines.len());
            lines.swap(at, other);
        }
        3 => {
            let cut = (0..=dice.below(line.len() + 1)).rev().find(|cut| line.is_char_boundary(*cut)).unwrap_or(0);
            lines[at] = &line[..cut];
        }
        _ => {
            let times = dice.times(1000).min(super::MOST_BYTES / line.len().max(1));
            lines.splice(at..at, std::iter::repeat_n(line, times));
        }
    }
    lines.concat().into_bytes()
}
