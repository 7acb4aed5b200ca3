//! A text of a lesson, in every language of the page.

use crate::language::{Language, language};

/// A text in every language, with the same places in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Localized {
    english: &'static str,
    chinese: &'static str,
}

impl Localized {
    /// A text in English and in Simplified Chinese.
    pub(super) const fn new(english: &'static str, chinese: &'static str) -> Self {
        Localized { english, chinese }
    }

    /// The text in the page's language.
    #[must_use]
    pub fn now(self) -> &'static str {
        match language() {
            Language::English | Language::Mirrored => self.english,
            Language::Chinese => self.chinese,
        }
    }

    /// The text in every language.
    #[must_use]
    pub fn all(self) -> [&'static str; 2] {
        [self.english, self.chinese]
    }
}
