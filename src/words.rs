//! Every text of the page, as functions that the build makes of the catalogues in `words/`, a module for each of their files.
//!
//! A text without arguments gives a `&'static str`, one with arguments a `String`; its parameters are in the alphabetical
//! order of their names. Numbers are formatted before they get in. How functions are made of files is in `build/words.rs`.

use std::fmt::{Display, Write};

use crate::language::{Language, language};

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// Where the first argument stands in a text, as `build/words.rs` writes it; the others follow.
const FIRST_PLACE: u32 = 0xE000;

/// The one of the page's language.
fn pick(texts: &'static [&'static str; LANGUAGES]) -> &'static str {
    match language() {
        Language::English | Language::Mirrored => texts[EN],
        Language::Chinese => texts[ZH],
    }
}

/// A text with its arguments in their places.
fn fill(text: &str, arguments: &[&dyn Display]) -> String {
    let mut out = String::with_capacity(2 * text.len());
    for c in text.chars() {
        match (c as u32).checked_sub(FIRST_PLACE).and_then(|place| arguments.get(place as usize)) {
            // Writing into a text cannot fail.
            Some(argument) => drop(write!(out, "{argument}")),
            None => out.push(c),
        }
    }
    out
}
