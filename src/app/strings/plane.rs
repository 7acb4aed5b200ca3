//! The token plane: moving tokens, the leading singular pair, the row of a token.

use crate::app::state::{Fixed, PageState};
use crate::bounds::Norm;
use crate::experiment::{Normalization, Scope};
use crate::measure::Measurement;
use crate::picture::{MOST_MOVABLE, MOST_MOVABLE_ENTRIES, TokenPicture};
use crate::plot::Number;

use super::norms::norm_symbol;
use super::numbers::{NONE_YET, kind_of};
use super::pictures::head;

pub const PLOT_TOKENS: &str = "Tokens";
pub const PLOT_TOKENS_HINT: &str = "Drag tokens and see what changes";
pub const PLANE_ROLE: &str = "token plane";
pub const PLANE_HINT: &str =
    "Drag a token; double-click adds one. Keys: n and p choose, arrows move (Shift: further), a adds, Delete removes.";
pub const ENLARGE: &str = "Enlarge";
pub const ENLARGE_HINT: &str = "The tokens in the place of the plot, with tools";
pub const ADD: &str = "Add";
pub const ADD_HINT: &str = "Add a token beside the selected one (a, or double-click where it is to be)";
pub const REMOVE: &str = "Remove";
pub const REMOVE_HINT: &str = "Remove the selected token (Delete); two stay";
pub const SNAP_INTO_HINT: &str = "Tokens outside the ball go to its edge (s)";
pub const SNAP_ONTO_HINT: &str = "All tokens go to the edge of the ball (Shift s)";
pub const PLANE_SHOWS: &str = "Shown over the tokens";
pub const SHOW_ROW: &str = "Row";
pub const SHOW_ROW_HINT: &str = "What the selected token attends to";
pub const SHOW_PAIR: &str = "Arrows";
pub const SHOW_PAIR_HINT: &str = "The change of the tokens that changes the output most, and what it does";
pub const BREATHE: &str = "Breathe";
pub const BREATHE_HINT: &str = "Swing the tokens along that change, and their outputs with it";
pub const NO_IMAGES: &str = "Outputs have another dimension than tokens, so they have no place here.";
/// Nudges, images and responses in the table.
pub const CHANGE_NAMES: [&str; 3] = ["v", "F(X)", "σu"];

pub fn snap_into(radius: f64) -> String {
    format!("Into |x| ≤ {}", Number::short(radius))
}

pub fn snap_onto(radius: f64) -> String {
    format!("Onto |x| = {}", Number::short(radius))
}

/// Why no token can be moved.
pub fn fixed(fixed: Fixed) -> &'static str {
    match fixed {
        Fixed::Skew => {
            "The skew witness brings weights made for exactly these tokens, so they stay where they are. Choose another law to move them."
        }
        Fixed::Many => "These are too many to be moved by hand: use at most 256 tokens, of 4096 numbers in all.",
        Fixed::Waiting => "Being measured …",
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
        (1, _) => format!("at {x}"),
        (_, None) => format!("at ({x}, {y})"),
        (_, Some(_)) => format!("at ({x}, {y}) on the first two axes"),
    };
    let value = measurement.norm(norm).map_or_else(|| NONE_YET.into(), |value| Number::of(value).to_string());
    format!("token {} {place}, {} {} {value}", token + 1, norm_symbol(norm), kind_of(measurement, norm).sign())
}

pub fn attention_from(token: usize) -> String {
    format!("attention from {}", token + 1)
}

pub fn nudge_legend(stretch: f64) -> String {
    format!(
        "v: of all small changes of the tokens, the one that changes the output most; drawn × {}.",
        Number::short(stretch)
    )
}

pub fn response_legend(stretch: f64, sigma: f64) -> String {
    format!(
        "Square: F(X), where attention takes each token; arrow: σu, what v does to it, to first order; drawn × {}. |u| = |v| = 1 over all tokens, σ = L = {}.",
        Number::short(stretch),
        Number::of(sigma)
    )
}

/// What swings.
pub fn swinging(stretch: f64) -> String {
    let e = Number::short(stretch);
    format!("Swinging: X + e v and F(X) + e σu, e between −{e} and {e}, to first order.")
}

/// Both ends of a swing, for a reader who wants no motion.
pub fn swing_ends(stretch: f64) -> String {
    let e = Number::short(stretch);
    format!("Rings and small squares: both ends of X ± e v and of F(X) ± e σu, with e = {e}, to first order.")
}

/// Why there are no arrows.
pub fn no_pair(state: &PageState, picture: &TokenPicture) -> String {
    let (n, d) = (picture.positions.len(), picture.d);
    if n > MOST_MOVABLE || n * d > MOST_MOVABLE_ENTRIES {
        return format!(
            "Arrows are drawn for at most {MOST_MOVABLE} tokens, of {MOST_MOVABLE_ENTRIES} numbers in all."
        );
    }
    if state.normalization != Normalization::None && state.scope == Scope::Inputs {
        return "The Jacobian is that at the normalised tokens, so v is no change of these: choose Map: normaliser and attention.".into();
    }
    "No change of single positions is the leading one here.".into()
}

/// What the selected token attends to.
pub fn row_legend(token: usize, head_idx: usize, shares: &[f64]) -> String {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let Some(to) = shares.iter().position(|share| *share == largest) else {
        return "The row of a token is shown for at most 192 tokens.".into();
    };
    format!(
        "Lines: what token {} attends to in head {}, as wide as the weight; most to {}: {}.",
        token + 1,
        head(head_idx),
        if to == token { "itself".to_owned() } else { format!("token {}", to + 1) },
        Number::of(largest)
    )
}
