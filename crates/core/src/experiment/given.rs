//! Pasted text or a dropped file: tokens, or a whole experiment.

use serde::{Deserialize, Serialize};

use super::table::Table;
use super::{Experiment, InputError, Rows, WeightSource};

/// The content of a text or file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Given {
    /// A list of tokens.
    Tokens {
        /// The tokens.
        rows: Rows,
        /// The first line, where it was skipped as a header.
        header: Option<String>,
    },
    /// An experiment file.
    Experiment(Box<Experiment>),
    /// Listed weights, from a table for each matrix.
    Weights(WeightSource),
}

impl Given {
    /// Reads a text or file: an experiment if it starts with a brace, otherwise tokens. The name of a file is used in
    /// errors.
    ///
    /// # Errors
    /// [`InputError`] if it can be read as neither.
    pub fn read(file: Option<&str>, bytes: &[u8]) -> Result<Self, InputError> {
        match std::str::from_utf8(bytes) {
            Ok(text) if is_experiment(text) => {
                Experiment::from_json(text).map(|experiment| Given::Experiment(Box::new(experiment)))
            }
            _ => {
                let (rows, header) = Table::Tokens.read_with_header(file, bytes)?;
                Ok(Given::Tokens { rows, header })
            }
        }
    }
}

fn is_experiment(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_starts_with_a_brace_is_an_experiment_and_other_text_is_tokens() {
        let experiment =
            r#" {"tokens":{"source":"explicit","rows":[[-1],[1]]},"weights":{"source":"identity","sign":-1}}"#;
        assert!(matches!(Given::read(None, experiment.as_bytes()), Ok(Given::Experiment(_))));
        assert!(matches!(Given::read(Some("it.csv"), experiment.as_bytes()), Ok(Given::Experiment(_))));
        assert!(matches!(Given::read(None, b"1,2\n3,4"), Ok(Given::Tokens { rows, .. }) if rows.n_rows() == 2));
        assert!(Given::read(None, b"{").is_err() && Given::read(Some("junk.csv"), &[0xff, 0]).is_err());
    }
}
