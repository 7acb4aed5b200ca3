//! Own tokens and weights, and what can be taken away.

use crate::app::state::{PageState, TokenChoice, WeightChoice};
use crate::plot::Number;

pub const OWN: &str = "Your own tokens and weights";
pub const OWN_HINT: &str = "One token a line, its numbers separated by commas, tabs or blanks; or JSON; or a whole experiment file. Files (.csv .tsv .json .npy) can be dropped anywhere.";
pub const OWN_PLACEHOLDER: &str = "-1\n1\n1";
pub const READING: &str = "Reading …";
pub const APPLY: &str = "Use these";
pub const CHOOSE_FILE: &str = "Choose a file";
pub const DROP: &str = "Drop tokens or an experiment";
pub const EXPORT_HINT: &str = "The experiment on screen, as the file that lipscope measure reads:";
pub const COPY_EXPERIMENT: &str = "Copy experiment";
pub const COPY_LINK: &str = "Copy link";
pub const OWN_FORM: &str = "The form of weights";
pub const OWN_FORM_NOTE: &str = "Weights come in an experiment file. A head has Q and K (k rows of d numbers) and V (any number of rows of d); an output matrix may follow the heads as \"output\".";
pub const OWN_FORM_EXAMPLE: &str = r#"{
  "tokens": {"source": "random", "law": "ball", "n": 16, "d": 2, "radius": 2},
  "weights": {"source": "explicit", "heads": [
    {"q": [[1, 0.5]], "k": [[0.25, -1]], "v": [[1, 0], [0, 1]]}
  ]}
}"#;
pub const OWN_FORM_USE: &str = "Start from this";
pub const ADDRESS_TOO_SHORT: &str =
    "These numbers are too long for the page’s address, so a reload loses them. Save the experiment to keep them.";
pub const LINK_TOO_LONG: &str = "These tokens or weights are too long for a link; save the experiment instead.";
pub const DOWNLOAD_EXPERIMENT: &str = "Save experiment";
pub const DOWNLOAD_MEASUREMENT: &str = "Save numbers";

pub fn applied(state: &PageState) -> String {
    match (state.tokens, state.weights) {
        (TokenChoice::Own, WeightChoice::Own) => {
            format!("In use: your {} × {} tokens and your weights.", state.n_listed(), state.dim())
        }
        (TokenChoice::Own, _) => format!("In use: your {} × {} tokens.", state.n_listed(), state.dim()),
        (TokenChoice::Clusters, _) => {
            format!("In use: {} tokens at {} positions.", Number::short(state.n_tokens()), state.n_listed())
        }
        (_, WeightChoice::Own) => "In use: your weights.".into(),
        _ => "In use: the experiment.".into(),
    }
}
