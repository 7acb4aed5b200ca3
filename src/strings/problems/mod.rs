//! The engine's sentences about wrong input, in the page's language.
//!
//! The engine speaks English and knows of no other language: what comes from it is a finished sentence. Its Chinese is found
//! as gettext finds it, but by pattern: a sentence is matched by its template, one for each `InputError`, and each of its
//! pieces by the patterns of pieces, and so on inwards. What no pattern matches (keys, numbers, names of files, the reader's
//! own text) stays as it is.
//!
//! | file | concept |
//! | --- | --- |
//! | `pattern` | matching a text, and putting what was found into another |
//! | `sentences` | the templates |
//! | `pieces` | what the engine and the page's state put into them |
//! | `models` | what models' files put into them |
//! | `libraries` | what other people's code says of broken files |
//!
//! `tests/page/chinese.rs` holds that no sentence of the engine is missing here.

mod libraries;
mod models;
mod pattern;
mod pieces;
mod sentences;

use crate::language::{Language, language};

use pattern::Catalogue;

/// A pattern and its Chinese. See [`pattern`] for the places in them.
type Entry = (&'static str, &'static str);

const CATALOGUE: Catalogue =
    Catalogue { sentences: sentences::ALL, pieces: &[models::ALL, pieces::ALL, libraries::ALL] };

/// A sentence of the engine's in the page's language; what is none of them stays as it is.
pub fn told(english: &str) -> String {
    match language() {
        Language::English | Language::Mirrored => english.to_owned(),
        Language::Chinese => CATALOGUE.translate(english).unwrap_or_else(|| english.to_owned()),
    }
}
