//! A text of a lesson, in every language of the page.

use crate::language::{Language, language};

/// A text in every language, with the same places in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    english: &'static str,
    chinese: &'static str,
}

/// A text in English and in Simplified Chinese.
pub(super) const fn said(english: &'static str, chinese: &'static str) -> Said {
    Said { english, chinese }
}

/// A text that is the same in every language: a formula.
pub(super) const fn alike(text: &'static str) -> Said {
    Said { english: text, chinese: text }
}

impl Said {
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
