//! The languages of the page, and the one that it is in: set once, when it starts.

use std::cell::Cell;
use std::sync::OnceLock;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
    /// English set from right to left: shows that the layout holds for scripts that run so. Only by the address.
    Mirrored,
}

/// The texts of the catalogues in a language other than English, in their order.
pub type Translation = &'static [&'static str];

thread_local! {
    static NOW: Cell<Language> = const { Cell::new(Language::English) };
}

static CHINESE: OnceLock<Translation> = OnceLock::new();

impl Language {
    /// Those that are offered, by their own names.
    pub const OFFERED: [Language; 2] = [Language::English, Language::Chinese];

    /// Its tag: what the page's `lang` says.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
            Language::Mirrored => "en-XB",
        }
    }

    /// Its own name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "中文",
            Language::Mirrored => "English, mirrored",
        }
    }

    /// Which way its lines run.
    #[must_use]
    pub fn direction(self) -> &'static str {
        match self {
            Language::English | Language::Chinese => "ltr",
            Language::Mirrored => "rtl",
        }
    }

    /// The language of a tag as addresses and browsers have it.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase();
        if tag == Language::Mirrored.tag().to_ascii_lowercase() {
            return Some(Language::Mirrored);
        }
        match tag.split(['-', '_']).next() {
            Some("en") => Some(Language::English),
            Some("zh") => Some(Language::Chinese),
            _ => None,
        }
    }
}

/// The language of the page.
#[must_use]
pub fn language() -> Language {
    NOW.with(Cell::get)
}

/// The texts of the page's language, where it is not English.
#[must_use]
pub fn translation() -> Option<Translation> {
    match language() {
        Language::English | Language::Mirrored => None,
        Language::Chinese => CHINESE.get().copied(),
    }
}

/// Sets the language of the page. The texts of one that is not English have to be there ([`keep_chinese`]).
pub fn set(language: Language) {
    NOW.with(|now| now.set(language));
}

/// Keeps the texts in Chinese, once they are here.
pub fn keep_chinese(texts: Translation) {
    // They are the same every time.
    let _ = CHINESE.set(texts);
}
