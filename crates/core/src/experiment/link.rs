//! An experiment as a link in the older form, which the page still reads: `v1.` and the base64url-encoded experiment file, after the `#` of the page's address.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Phrase;
use super::{Experiment, InputError};
use crate::phrase;

/// The prefix of links in this format.
const VERSION: &str = "v1.";

impl Experiment {
    /// Reads the experiment from a link's fragment, with or without the `#`.
    ///
    /// # Errors
    /// [`InputError::Link`] if the link is damaged, otherwise as [`Experiment::from_json`].
    pub fn from_link(fragment: &str) -> Result<Self, InputError> {
        let fragment = fragment.trim_start_matches('#');
        let damaged = |problem: Phrase| InputError::Link { problem };
        let Some(encoded) = fragment.strip_prefix(VERSION) else {
            return Err(damaged(phrase!("does_not_start_v1", "it does not start with v1, the only version")));
        };
        let bytes = URL_SAFE_NO_PAD
            .decode(encoded)
            .map_err(|_| damaged(phrase!("characters_missing_changed", "characters are missing or changed")))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| damaged(phrase!("characters_missing_changed", "characters are missing or changed")))?;
        match Experiment::from_json(&text) {
            Err(InputError::Json { .. } | InputError::Empty { .. }) => {
                Err(damaged(phrase!("part_missing", "a part of it is missing")))
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> (Experiment, String) {
        let text = r#"{"tokens":{"source":"random","n":7,"radius":2.5},"weights":{"source":"random","seed":3}}"#;
        let experiment = Experiment::from_json(text).expect("valid");
        let link = format!("{VERSION}{}", URL_SAFE_NO_PAD.encode(experiment.to_json()));
        (experiment, link)
    }

    #[test]
    fn a_link_encodes_and_decodes_an_experiment_unchanged() {
        let (experiment, link) = link();
        assert_eq!(Experiment::from_link(&link), Ok(experiment.clone()));
        assert_eq!(Experiment::from_link(&format!("#{link}")), Ok(experiment));
    }

    #[test]
    fn a_truncated_or_altered_link_gives_an_error_message() {
        let (experiment, link) = link();
        for length in 0..link.len() {
            let problem = Experiment::from_link(&link[..length]).expect_err("cut").to_string();
            assert!(problem.contains("link"), "{problem}");
        }
        for at in 0..link.len() {
            let mut changed = link.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'?' } else { b'A' };
            let changed = String::from_utf8(changed).expect("ASCII");
            // An altered digit may still decode to a valid experiment; every other change must give an error.
            if let Err(problem) = Experiment::from_link(&changed) {
                assert!(problem.to_string().ends_with('.'), "{problem}");
            }
        }
        assert_eq!(Experiment::from_link(&link), Ok(experiment));
    }
}
