//! Edits of a short token list on the token plane: move, add, remove, snap to the ball.

use serde::{Deserialize, Serialize};

use super::PlaneFrame;
use crate::experiment::{InputError, Rows};
use crate::phrase;

/// The most tokens that can be edited: longer lists are too crowded, and too slow to follow a drag.
pub const MOST_MOVABLE: usize = 256;
/// The most numbers in an editable token list: they are sent with every result (32 KiB).
pub const MOST_MOVABLE_ENTRIES: usize = 4096;
/// The fewest tokens: attention over one token is linear.
pub const FEWEST_TOKENS: usize = 2;

/// Whether tokens are projected into the ball or onto the sphere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Snap {
    /// Into the ball: tokens outside are scaled to its radius.
    Into,
    /// Onto the sphere: all tokens are scaled to its radius; a token at 0 is placed on the first axis.
    Onto,
}

/// One edit of a token list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenEdit {
    /// Moves a token to other coordinates on the plane.
    Move {
        /// Index of the token.
        token: usize,
        /// The new coordinates.
        to: (f64, f64),
    },
    /// Appends a token at given coordinates on the plane.
    Add {
        /// The coordinates.
        at: (f64, f64),
    },
    /// Removes a token, unless only two are left.
    Remove {
        /// Index of the token.
        token: usize,
    },
    /// Projects all tokens into the ball around 0, or onto its sphere.
    Snap {
        /// Radius of the ball.
        radius: f64,
        /// Ball or sphere.
        snap: Snap,
    },
}

impl TokenEdit {
    /// The tokens after the edit; unchanged if the edit does not apply.
    ///
    /// # Errors
    /// [`InputError::NotANumber`] if a token overflows.
    pub fn apply(&self, tokens: &Rows, frame: &PlaneFrame) -> Result<Rows, InputError> {
        let d = tokens.n_columns();
        let mut entries = tokens.entries().to_vec();
        match *self {
            TokenEdit::Move { token, to } => {
                if let Some(row) = entries.chunks_exact_mut(d).nth(token) {
                    let moved = frame.moved(row, to);
                    row.copy_from_slice(&moved);
                }
            }
            TokenEdit::Add { at } => {
                let fits = tokens.n_rows() < MOST_MOVABLE && entries.len() + d <= MOST_MOVABLE_ENTRIES;
                if fits && frame.mean.len() == d {
                    entries.extend(frame.token_at(at));
                }
            }
            TokenEdit::Remove { token } => {
                if token < tokens.n_rows() && tokens.n_rows() > FEWEST_TOKENS {
                    entries.drain(token * d..(token + 1) * d);
                }
            }
            TokenEdit::Snap { radius, snap } => {
                for row in entries.chunks_exact_mut(d) {
                    snap.apply(row, radius);
                }
            }
        }
        Rows::new(phrase!("tokens", "The tokens"), d, entries)
    }
}

impl Snap {
    fn apply(self, token: &mut [f64], radius: f64) {
        let norm = token.iter().fold(0.0f64, |norm, x| norm.hypot(*x));
        let is_inside = self == Snap::Into && norm <= radius;
        if is_inside {
            return;
        }
        if norm == 0.0 {
            token[0] = radius;
            return;
        }
        token.iter_mut().for_each(|x| *x *= radius / norm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::token_picture;
    use nalgebra::DMatrix;

    fn rows(d: usize, entries: &[f64]) -> Rows {
        Rows::new("The tokens", d, entries.to_vec()).expect("finite")
    }

    #[test]
    fn in_one_and_two_dimensions_a_token_moves_exactly_to_the_given_coordinates() {
        let edit = TokenEdit::Move { token: 1, to: (0.1, -0.7) };
        let moved = edit.apply(&rows(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &PlaneFrame::own(2)).expect("finite");
        assert_eq!(moved.entries(), [1.0, 2.0, 0.1, -0.7, 5.0, 6.0]);
        let moved = edit.apply(&rows(1, &[1.0, 2.0]), &PlaneFrame::own(1)).expect("finite");
        assert_eq!(moved.entries(), [1.0, 0.1]);
    }

    #[test]
    fn in_more_dimensions_a_moved_token_keeps_its_component_off_the_plane() {
        let tokens = DMatrix::from_fn(5, 12, |row, col| ((3 * row + 7 * col) as f64).sin());
        let picture = token_picture(&tokens, None);
        let (frame, before) = (&picture.frame, picture.tokens.as_ref().expect("few"));
        let moved = TokenEdit::Move { token: 4, to: (0.3, -1.1) }.apply(before, frame).expect("finite");
        let (old, new) = (before.iter().nth(4).expect("a row"), moved.iter().nth(4).expect("a row"));
        let (x, y) = frame.place(new);
        assert!((x - 0.3).abs() < 1e-12 && (y + 1.1).abs() < 1e-12, "({x}, {y})");
        let change: Vec<f64> = new.iter().zip(old).map(|(new, old)| new - old).collect();
        let (along, length) = (frame.direction(&change), change.iter().fold(0.0f64, |sum, x| sum.hypot(*x)));
        assert!((along.0.hypot(along.1) - length).abs() < 1e-12, "the change leaves the plane");
        assert!(before.iter().zip(moved.iter()).enumerate().all(|(at, (old, new))| at == 4 || old == new));
    }

    #[test]
    fn a_token_is_added_at_the_given_coordinates_and_the_last_two_cannot_be_removed() {
        let frame = PlaneFrame::own(2);
        let two = rows(2, &[1.0, 2.0, 3.0, 4.0]);
        let three = TokenEdit::Add { at: (5.0, 6.0) }.apply(&two, &frame).expect("finite");
        assert_eq!(three.entries(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let left = TokenEdit::Remove { token: 0 }.apply(&three, &frame).expect("finite");
        assert_eq!(left.entries(), [3.0, 4.0, 5.0, 6.0]);
        assert_eq!(TokenEdit::Remove { token: 0 }.apply(&left, &frame), Ok(left));
        let many = rows(2, &vec![1.0; 2 * MOST_MOVABLE]);
        assert_eq!(TokenEdit::Add { at: (0.0, 0.0) }.apply(&many, &frame), Ok(many));
        assert!(TokenEdit::Add { at: (f64::NAN, 0.0) }.apply(&two, &frame).is_err());
    }

    #[test]
    fn snapping_into_the_ball_keeps_inner_tokens_and_onto_the_sphere_moves_all() {
        let tokens = rows(2, &[3.0, 4.0, 0.3, 0.4, 0.0, 0.0]);
        let snapped = |snap| {
            let edit = TokenEdit::Snap { radius: 2.0, snap };
            edit.apply(&tokens, &PlaneFrame::own(2)).expect("finite")
        };
        let close = |found: &Rows, expected: &[f64]| {
            assert!(found.entries().iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-15), "{found:?}");
        };
        close(&snapped(Snap::Into), &[1.2, 1.6, 0.3, 0.4, 0.0, 0.0]);
        close(&snapped(Snap::Onto), &[1.2, 1.6, 1.2, 1.6, 2.0, 0.0]);
    }

    #[test]
    fn axes_keep_their_direction_between_pictures() {
        let tokens = DMatrix::from_fn(3, 9, |row, col| ((2 * row + 5 * col) as f64).cos());
        let picture = token_picture(&tokens, None);
        let mut mirrored = picture.clone();
        mirrored.frame.axes[1].iter_mut().for_each(|x| *x = -*x);
        mirrored.positions.iter_mut().for_each(|(_, y)| *y = -*y);
        assert_eq!(mirrored.aligned_with(&picture), picture);
    }
}
