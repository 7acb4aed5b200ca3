//! What a hand does to a short list of tokens: moving one on the plane, adding, removing, snapping to the ball.

use serde::{Deserialize, Serialize};

use super::frame::PlaneFrame;
use crate::experiment::{InputError, Rows};

/// The most tokens that are moved by hand: more are a crowd, and slower than a hand.
pub const MOST_MOVABLE: usize = 256;
/// The most numbers of tokens that are moved by hand: 32 KiB travel with every answer.
pub const MOST_MOVABLE_ENTRIES: usize = 4096;
/// The fewest tokens: with one, attention is linear.
pub const FEWEST_TOKENS: usize = 2;

/// Where tokens go that are snapped to a ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Snap {
    /// Into the ball: those outside go to its edge.
    Into,
    /// Onto the sphere: all go to its edge; a token at the origin goes along the first number.
    Onto,
}

/// An edit of tokens by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenEdit {
    /// A token goes to a place on the plane.
    Move {
        /// Which, from zero.
        token: usize,
        /// Where to.
        to: (f64, f64),
    },
    /// A token comes, the last one, at a place on the plane.
    Add {
        /// Where.
        at: (f64, f64),
    },
    /// A token goes, unless there are two.
    Remove {
        /// Which, from zero.
        token: usize,
    },
    /// All tokens are snapped to the ball around the origin.
    Snap {
        /// Its radius.
        radius: f64,
        /// How.
        snap: Snap,
    },
}

impl TokenEdit {
    /// The tokens after the edit; the same ones where it has nothing to act on.
    ///
    /// # Errors
    /// [`InputError::NotANumber`] where a token leaves the range of numbers.
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
        Rows::new("The tokens", d, entries)
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
    fn in_the_plane_and_on_the_line_a_token_goes_exactly_where_it_is_put() {
        let edit = TokenEdit::Move { token: 1, to: (0.1, -0.7) };
        let moved = edit.apply(&rows(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &PlaneFrame::own(2)).expect("finite");
        assert_eq!(moved.entries(), [1.0, 2.0, 0.1, -0.7, 5.0, 6.0]);
        let moved = edit.apply(&rows(1, &[1.0, 2.0]), &PlaneFrame::own(1)).expect("finite");
        assert_eq!(moved.entries(), [1.0, 0.1]);
    }

    #[test]
    fn in_more_dimensions_a_token_moves_along_the_plane_and_keeps_what_is_off_it() {
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
    fn a_token_comes_where_it_is_put_and_two_stay() {
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
    fn snapping_into_the_ball_leaves_those_inside_and_onto_the_sphere_none() {
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
    fn axes_point_as_they_did() {
        let tokens = DMatrix::from_fn(3, 9, |row, col| ((2 * row + 5 * col) as f64).cos());
        let picture = token_picture(&tokens, None);
        let mut mirrored = picture.clone();
        mirrored.frame.axes[1].iter_mut().for_each(|x| *x = -*x);
        mirrored.positions.iter_mut().for_each(|(_, y)| *y = -*y);
        assert_eq!(mirrored.aligned_with(&picture), picture);
    }
}
