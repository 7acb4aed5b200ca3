//! The text of a lesson: sentences with places for what the page computes, and with controls of their own.
//!
//! A place is written in braces: `{measured}`, `{bound unified}`, `{formula jacobian}`. A text contains no computed
//! number itself, so its numbers always agree with the screen. Controls stand in brackets: `[slider R 1..5]`,
//! `[at R = 5](set R=5)`, `[share]`; `[words](https://..)` is a link,
//! and so is `[words](theory.html#sharp)`, to a document of the site.

use super::formulas::{self, LessonFormula};
use super::handle::Handle;
use super::slot::Slot;
use crate::theory::is_document;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// Words.
    Words(&'static str),
    /// A number of the page, or a setting.
    Value(Slot),
    /// A formula.
    Formula(LessonFormula),
    /// A slider.
    Slider(Handle),
    /// A button: its words, and the fields that it sets.
    Press(&'static str, &'static str),
    /// The link to the present scene, to be copied.
    Share,
    /// A link: its words and its address.
    Link(&'static str, &'static str),
}

/// The pieces of a text, in order.
///
/// # Errors
/// The place that names nothing.
pub fn pieces(text: &'static str) -> Result<Vec<Piece>, &'static str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '[']) {
        let (words, after) = rest.split_at(at);
        if !words.is_empty() {
            found.push(Piece::Words(words));
        }
        let (piece, after) = if let Some(after) = after.strip_prefix('{') {
            let (place, after) = after.split_once('}').ok_or(after)?;
            (place_of(place).ok_or(place)?, after)
        } else {
            control(&after[1..])?
        };
        found.push(piece);
        rest = after;
    }
    if !rest.is_empty() {
        found.push(Piece::Words(rest));
    }
    Ok(found)
}

/// The slots of a text. The list is empty where a place names nothing.
pub fn slots(text: &'static str) -> Vec<Slot> {
    let value = |piece: Piece| match piece {
        Piece::Value(slot) => Some(slot),
        _ => None,
    };
    pieces(text).unwrap_or_default().into_iter().filter_map(value).collect()
}

fn place_of(place: &'static str) -> Option<Piece> {
    match place.strip_prefix("formula ") {
        Some(name) => formulas::find(name).map(Piece::Formula),
        None => Slot::parse(place).map(Piece::Value),
    }
}

/// The control after an opening bracket, and what comes after it.
fn control(text: &'static str) -> Result<(Piece, &'static str), &'static str> {
    let (inside, after) = text.split_once(']').ok_or(text)?;
    let target = after.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match target {
        Some((target, after)) if target.starts_with("https://") || is_document(target) => {
            Ok((Piece::Link(inside, target), after))
        }
        Some((target, after)) => {
            let fields = target.strip_prefix("set ").ok_or(target)?;
            Ok((Piece::Press(inside, fields), after))
        }
        None if inside == "share" => Ok((Piece::Share, after)),
        None => {
            let handle = inside.strip_prefix("slider ").and_then(Handle::parse).ok_or(inside)?;
            Ok((Piece::Slider(handle), after))
        }
    }
}
