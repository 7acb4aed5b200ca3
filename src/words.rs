//! Every text of the page, as functions that the build makes from the catalogues in `words/`, with a module for each
//! file.
//!
//! A text without arguments gives a `&'static str`, one with arguments a `String`. A text with several arguments is a
//! struct that names them: `words::plot::key { n, value }.text()`. Numbers are formatted before they are passed.
//! `build/words.rs` makes the functions.
//!
//! The functions hold English. Other languages are lists of texts. Nothing here refers to these lists: the program
//! fetches only the one that the reader has chosen (`src/main.rs`).

use std::fmt::{Display, Write};

use crate::language::translation;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The character for the first argument in a text, as `build/words.rs` writes it; the other arguments follow.
const FIRST_PLACE: u32 = 0xE000;

/// The most arguments that a text has.
const MOST_ARGUMENTS: usize = 16;

/// The text in the page's language: the English text, or the translation at the index `number`.
fn pick(english: &'static str, number: usize) -> &'static str {
    translation().and_then(|texts| texts.get(number).copied()).unwrap_or(english)
}

/// The index of the argument that a character of a text stands for, in the alphabetical order of the arguments' names.
/// `None` for an ordinary character.
pub fn place(c: char) -> Option<usize> {
    (c as u32).checked_sub(FIRST_PLACE).map(|place| place as usize).filter(|place| *place < MOST_ARGUMENTS)
}

/// The translation of the text with an id, in a catalogue that is searched while the page runs. `first` is the index of
/// the first text of this catalogue among all texts.
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
