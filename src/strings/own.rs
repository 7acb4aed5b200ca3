//! Own tokens and weights, and what can be taken away.

pub use crate::words::own::*;

use super::controls::weight_choice;
use crate::state::{PageState, TokenChoice, WeightChoice};
use lipscope_plot::Number;

pub const OWN_PLACEHOLDER: &str = "-1\n1\n1";
pub const OWN_FORM_EXAMPLE: &str = r#"{
  "tokens": {"source": "random", "law": "ball", "n": 16, "d": 2, "radius": 2},
  "weights": {"source": "explicit", "heads": [
    {"q": [[1, 0.5]], "k": [[0.25, -1]], "v": [[1, 0], [0, 1]]}
  ]}
}"#;

pub fn applied(state: &PageState) -> String {
    match (state.tokens, state.weights) {
        (TokenChoice::Own, WeightChoice::Own) => applied::tokens_and_weights(state.dim(), state.n_listed()),
        (TokenChoice::Own, choice) => applied::tokens(state.dim(), state.n_listed(), weight_choice(choice, None)),
        (TokenChoice::Clusters, _) => applied::clusters(state.n_listed(), Number::short(state.n_tokens())),
        (_, WeightChoice::Own) => applied::weights().into(),
        _ => applied::experiment().into(),
    }
}

/// What is in use, and which first line was not taken for a token.
pub fn applied_after_header(state: &PageState, header: Option<&str>) -> String {
    let applied = applied(state);
    header.map_or_else(|| applied.clone(), |header| applied::after_header(&applied, header))
}

/// What is asked when tokens came without weights.
pub fn own_weights_question(state: &PageState) -> String {
    own_weights_asked(weight_choice(state.weights, None))
}

/// Weights that are offered with own tokens.
pub fn own_weight(choice: WeightChoice) -> String {
    match choice {
        WeightChoice::Own => own_weights_own().into(),
        other => weight_choice(other, None),
    }
}

/// Above the boxes for matrices; `d` is the dimension of listed tokens.
pub fn own_matrices_hint(d: Option<usize>) -> String {
    match d {
        Some(d) => own_matrices_of(d),
        None => own_matrices().into(),
    }
}
