//! The text of a lesson: sentences with places for what the page computes.
//!
//! A place is written in braces: `{measured}`, `{bound unified}`, `{formula jacobian}`. No number of the page stands in
//! a text itself, so that none can be another than the one on screen.

use super::formulas::{self, LessonFormula};
use super::slot::Slot;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// Words.
    Words(&'static str),
    /// What the page has computed, or what is set.
    Value(Slot),
    /// A formula.
    Formula(&'static LessonFormula),
}

/// The pieces of a text, in order.
///
/// # Errors
/// The place that names nothing.
pub fn pieces(text: &'static str) -> Result<Vec<Piece>, &'static str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((words, after)) = rest.split_once('{') {
        let (place, after) = after.split_once('}').ok_or(after)?;
        if !words.is_empty() {
            found.push(Piece::Words(words));
        }
        found.push(match place.strip_prefix("formula ") {
            Some(name) => Piece::Formula(formulas::find(name).ok_or(place)?),
            None => Piece::Value(Slot::parse(place).ok_or(place)?),
        });
        rest = after;
    }
    if !rest.is_empty() {
        found.push(Piece::Words(rest));
    }
    Ok(found)
}

/// The places of a text for what the page computes; a text with a place that names nothing has none.
pub fn slots(text: &'static str) -> Vec<Slot> {
    let value = |piece: Piece| match piece {
        Piece::Value(slot) => Some(slot),
        Piece::Words(_) | Piece::Formula(_) => None,
    };
    pieces(text).unwrap_or_default().into_iter().filter_map(value).collect()
}
