//! Every text of the page, as functions that the build makes of the catalogues in `words/`, a module for each of their files.
//!
//! A text without arguments gives a `&'static str`, one with arguments a `String`; its parameters are in the alphabetical
//! order of their names. Numbers are formatted before they get in. How functions are made of files is in `build/words.rs`.
//!
//! The functions hold English. Other languages are lists of texts, which nothing here names: the program fetches the one that a
//! reader has chosen (`src/main.rs`), and no other.

use std::fmt::{Display, Write};

use crate::language::translation;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// Where the first argument stands in a text, as `build/words.rs` writes it; the others follow.
const FIRST_PLACE: u32 = 0xE000;

/// No text has more arguments.
const MOST_ARGUMENTS: usize = 16;

/// The one of the page's language: the English text, or that of its number.
fn pick(english: &'static str, number: usize) -> &'static str {
    translation().and_then(|texts| texts.get(number).copied()).unwrap_or(english)
}

/// Which argument stands at a place of a text, by the alphabetical order of their names; `None` for a character of the text.
pub fn place(c: char) -> Option<usize> {
    (c as u32).checked_sub(FIRST_PLACE).map(|place| place as usize).filter(|place| *place < MOST_ARGUMENTS)
}

/// The translation of the text with an id, of a catalogue that is searched while the page runs; `first` is the number of its
/// first text.
fn find(ids: &[&str], first: usize, id: &str) -> Option<&'static str> {
    let at = ids.binary_search(&id).ok()?;
    translation()?.get(first + at).copied()
}

/// A text with its arguments in their places.
fn fill(text: &str, arguments: &[&dyn Display]) -> String {
    let mut out = String::with_capacity(2 * text.len());
    for c in text.chars() {
        match place(c).and_then(|place| arguments.get(place)) {
            // Writing into a text cannot fail.
            Some(argument) => drop(write!(out, "{argument}")),
            None => out.push(c),
        }
    }
    out
}
