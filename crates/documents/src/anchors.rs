//! The addresses of headings. They are those that GitHub gives, so that a link to a section of a Markdown file leads to
//! the same section of its page.

use std::collections::BTreeMap;

/// Gives headings their anchors, in the order of the document.
#[derive(Debug, Default)]
pub struct Anchors {
    taken: BTreeMap<String, usize>,
}

impl Anchors {
    /// The anchor of the next heading, from its plain text: in lower case, with hyphens for blanks, without other marks
    /// than `-` and `_`. A second heading with the same text gets `-1`, a third one `-2`.
    pub fn of(&mut self, text: &str) -> String {
        let kept = text
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .collect::<String>();
        let anchor = kept.trim().replace(' ', "-");
        let before = self.taken.entry(anchor.clone()).or_default();
        *before += 1;
        match *before {
            1 => anchor,
            again => format!("{anchor}-{}", again - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let mut anchors = Anchors::default();
        for (text, anchor) in [
            ("2. Upper bounds", "2-upper-bounds"),
            ("castin_general", "castin_general"),
            ("certified(eps)", "certifiedeps"),
            ("From local to unified, factor by factor", "from-local-to-unified-factor-by-factor"),
            ("Heads", "heads"),
            ("Heads", "heads-1"),
            ("Heads", "heads-2"),
        ] {
            assert_eq!(anchors.of(text), anchor);
        }
    }
}
