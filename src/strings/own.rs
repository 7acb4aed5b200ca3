//! Own tokens and weights, and what can be taken away.

pub use crate::words::own::*;

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
        (TokenChoice::Own, _) => applied::tokens(state.dim(), state.n_listed()),
        (TokenChoice::Clusters, _) => applied::clusters(state.n_listed(), Number::short(state.n_tokens())),
        (_, WeightChoice::Own) => applied::weights().into(),
        _ => applied::experiment().into(),
    }
}
