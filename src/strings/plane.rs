//! The token plane: moving tokens, the leading singular pair, the row of a token.

use crate::words::plane as words;
pub use crate::words::plane::*;

use crate::state::{NotMovable, PageState};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{Normalization, Scope};
use lipscope_core::measure::Measurement;
use lipscope_core::picture::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES, TokenPicture};
use lipscope_plot::Number;

use super::norms::norm_symbol;
use super::numbers::{NONE_YET, kind_of};
use super::pictures::head;

/// The names of nudges, images and responses in the table.
pub const CHANGE_NAMES: [&str; 3] = ["v", "F(X)", "σu"];

pub fn snap_into(radius: f64) -> String {
    words::snap_into(Number::short(radius))
}

pub fn snap_onto(radius: f64) -> String {
    words::snap_onto(Number::short(radius))
}

/// Why no token can be moved.
pub fn fixed(fixed: NotMovable) -> &'static str {
    match fixed {
        NotMovable::Skew => fixed::skew(),
        NotMovable::Many => fixed::many(),
        NotMovable::Waiting => fixed::waiting(),
    }
}

/// Where a token is, and the chosen norm.
pub fn token_said(
    token: usize,
    (x, y): (f64, f64),
    picture: &TokenPicture,
    measurement: &Measurement,
    norm: Norm,
) -> String {
    let (x, y) = (Number::of(x), Number::of(y));
    let place = match (picture.d, picture.variance_shares) {
        (1, _) => token_said::on_line(&x),
        (_, None) => token_said::in_plane { x: &x, y: &y }.text(),
        (_, Some(_)) => token_said::on_axes { x: &x, y: &y }.text(),
    };
    let kind = kind_of(measurement, norm);
    let number = |value| Number::digits(value, kind).to_string();
    let value = measurement.norm(norm).map_or_else(|| NONE_YET.into(), number);
    token_said::sentence { norm: norm_symbol(norm), place: &place, sign: kind.sign(), token: token + 1, value: &value }
        .text()
}

pub fn attention_from(token: usize) -> String {
    words::attention_from(token + 1)
}

pub fn attention_to(token: usize) -> String {
    words::attention_to(token + 1)
}

pub fn nudge_legend(stretch: f64) -> String {
    words::nudge_legend(Number::short(stretch))
}

pub fn response_legend(stretch: f64, sigma: f64) -> String {
    response_legend { sigma: Number::of(sigma), stretch: Number::short(stretch) }.text()
}

/// The amplitude of the swing.
pub fn swinging(stretch: f64) -> String {
    let e = Number::short(stretch);
    words::swinging(&e)
}

/// Both ends of a swing, for a reader who wants no motion.
pub fn swing_ends(stretch: f64) -> String {
    let e = Number::short(stretch);
    words::swing_ends(&e)
}

/// Why there are no arrows.
pub fn no_pair(state: &PageState, picture: &TokenPicture) -> String {
    let (n, d) = (picture.positions.len(), picture.d);
    if n > MOST_MOVABLE || n * d > MOST_MOVABLE_ENTRIES {
        return no_pair::too_many { most_movable: MOST_MOVABLE, most_movable_entries: MOST_MOVABLE_ENTRIES }.text();
    }
    if state.normalization != Normalization::None && state.scope == Scope::Inputs {
        return no_pair::normalized().into();
    }
    no_pair::other().into()
}

/// How much attention the selected token gets.
pub fn column_legend(token: usize, head_idx: usize, shares: &[f64]) -> String {
    if shares.is_empty() {
        return row_legend::too_many().into();
    }
    column_words { head: head(head_idx), sum: Number::of(shares.iter().sum()), token: token + 1 }.text()
}

/// What the selected token attends to.
pub fn row_legend(token: usize, head_idx: usize, shares: &[f64]) -> String {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let Some(to) = shares.iter().position(|share| *share == largest) else {
        return row_legend::too_many().into();
    };
    row_legend::sentence {
        head: head(head_idx),
        largest: Number::of(largest),
        to: if to == token { row_legend::itself().to_owned() } else { row_legend::token(to + 1) },
        token: token + 1,
    }
    .text()
}
