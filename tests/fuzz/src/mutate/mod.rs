//! Adds a fault to an input.

pub mod bytes;
pub mod json;
pub mod text;

use lipscope_testkit::dice::Dice;

/// Inputs are at most this long: a longer one takes the time of many shorter ones. Files of many megabytes, which some
/// doors take, are not tried here.
pub const MOST_BYTES: usize = 64 << 10;

/// The kinds of faults for the inputs of a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A JSON document.
    Json,
    /// Lines, numbers, words.
    Text,
    /// Bytes.
    Bytes,
}

/// A variation of one of the inputs, with one to four faults.
pub fn vary(dice: &mut Dice, inputs: &[Vec<u8>], form: Form) -> Vec<u8> {
    let mut input = dice.of(inputs).clone();
    for _ in 0..1 + dice.below(4) {
        input = match form {
            Form::Json if !dice.once_in(4) => json::vary(dice, &input),
            Form::Json | Form::Text if !dice.once_in(4) => text::vary(dice, &input),
            _ => bytes::vary(dice, &input, inputs),
        };
        input.truncate(MOST_BYTES);
    }
    input
}
