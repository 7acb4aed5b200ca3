//! Own tokens and weights, and exports.

use crate::words::own as words;
pub use crate::words::own::*;

use super::controls::weight_choice;
use super::problems::phrase_text;
use crate::state::{PageState, TokenChoice, WeightChoice};
use lipscope_core::experiment::{Phrase, TableQuestion};
use lipscope_plot::Number;

/// Three tokens of the plane, as the box of own data takes them.
pub const OWN_PLACEHOLDER: &str = "0.5, -1\n1, 0.25\n-0.75, 0.5";
pub const OWN_FORM_EXAMPLE: &str = r#"{
  "tokens": {"source": "random", "distribution": "ball", "n": 16, "d": 2, "radius": 2},
  "weights": {"source": "explicit", "heads": [
    {"q": [[1, 0.5]], "k": [[0.25, -1]], "v": [[1, 0], [0, 1]]}
  ]}
}"#;

pub fn applied(state: &PageState) -> String {
    match (state.tokens, state.weights) {
        (TokenChoice::Own, WeightChoice::Own) => {
            applied::tokens_and_weights { d: state.dim(), n: state.n_listed() }.text()
        }
        (TokenChoice::Own, choice) => {
            applied::tokens { d: state.dim(), n: state.n_listed(), weights: weight_choice(choice, None) }.text()
        }
        (TokenChoice::Clusters, _) => {
            applied::clusters { n: state.n_listed(), n_tokens: Number::short(state.n_tokens()) }.text()
        }
        (_, WeightChoice::Own) => applied::weights().into(),
        _ => applied::experiment().into(),
    }
}

/// Says whose picture stands where data were refused, or wait for an answer.
pub fn still_shown(state: &PageState) -> String {
    words::still_shown(super::settings(state))
}

/// The data in use, and what was guessed or dropped when they were read.
pub fn applied_with(state: &PageState, guesses: &[Phrase]) -> String {
    guesses.iter().fold(applied(state), |applied, guess| {
        applied::with_guess { applied: &applied, guess: phrase_text(guess) }.text()
    })
}

/// The two answers to a question about a table. The first leaves something out or converts it, the second takes it as
/// it is.
pub fn own_answers(question: TableQuestion) -> [&'static str; 2] {
    match question {
        TableQuestion::Header => [answers::header_drop(), answers::header_keep()],
        TableQuestion::Index => [answers::index_drop(), answers::index_keep()],
        TableQuestion::Decimal => [answers::decimal_mark(), answers::decimal_thousands()],
        TableQuestion::Columns => [answers::decimal_mark(), answers::comma_columns()],
        TableQuestion::Point => [answers::point_thousands(), answers::point_mark()],
    }
}

/// The question about weights for tokens that came without any.
pub fn own_weights_question(state: &PageState) -> String {
    own_weights_asked(weight_choice(state.weights, None))
}

/// The name of weights to choose for own tokens.
pub fn own_weight(choice: WeightChoice) -> String {
    match choice {
        WeightChoice::Own => own_weights_own().into(),
        other => weight_choice(other, None),
    }
}

/// The hint above the boxes for matrices; `d` is the dimension of listed tokens.
pub fn own_matrices_hint(d: Option<usize>) -> String {
    match d {
        Some(d) => own_matrices_of(d),
        None => own_matrices().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_core::experiment::Given;

    #[test]
    fn the_example_in_the_box_is_tokens_of_the_plane() {
        match Given::read(None, OWN_PLACEHOLDER.as_bytes()) {
            Ok(Given::Tokens(reading)) => assert_eq!((reading.rows.n_rows(), reading.rows.n_columns()), (3, 2)),
            other => panic!("{other:?}"),
        }
    }
}
