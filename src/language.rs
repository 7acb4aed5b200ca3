//! The languages of the page, and the present one, which is set once at the start. To change it, the page starts anew
//! with the same address.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::prelude::*;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
    /// English from right to left. It shows that the layout works for such scripts. Only the address can choose it.
    Mirrored,
}

/// The texts of the catalogues in a language other than English, in the order of the catalogues.
pub type Translation = &'static [&'static str];

/// The key under which the browser stores the choice.
const KEY: &str = "lipscope-language";

thread_local! {
    static NOW: Cell<Language> = const { Cell::new(Language::English) };
}

static CHINESE: OnceLock<Translation> = OnceLock::new();

impl Language {
    /// The languages that the page offers, under their own names.
    pub const OFFERED: [Language; 2] = [Language::English, Language::Chinese];

    /// Its tag, for the page's `lang`.
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

    /// The language of a tag from an address or a browser.
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

/// Sets the language of the page. Texts of a language other than English must have arrived ([`keep_chinese`]).
pub fn set(language: Language) {
    NOW.with(|now| now.set(language));
}

/// Stores the Chinese texts once they have arrived.
pub fn keep_chinese(texts: Translation) {
    // A second call would bring the same texts.
    let _ = CHINESE.set(texts);
}

/// The language of the address (`?lang=zh`), of the last visit or of the browser.
pub(crate) fn asked() -> Language {
    let search = window().location().search().unwrap_or_default();
    let asked = search.trim_start_matches('?').split('&').find_map(|pair| pair.strip_prefix("lang="));
    let stored = || window().local_storage().ok().flatten().and_then(|storage| storage.get_item(KEY).ok().flatten());
    asked
        .and_then(Language::of_tag)
        .or_else(|| stored().and_then(|tag| Language::of_tag(&tag)))
        .or_else(|| window().navigator().language().and_then(|tag| Language::of_tag(&tag)))
        .unwrap_or_default()
}

/// Sets the page to a language.
pub(crate) fn begin(language: Language) {
    set(language);
    if let Some(root) = document().document_element() {
        // If the browser refuses, the page still works.
        let _ = root.set_attribute("lang", language.tag());
        let _ = root.set_attribute("dir", language.direction());
    }
}

/// Stores another language, and starts the page in it.
pub(crate) fn choose(language: Language) {
    let location = window().location();
    if let Ok(Some(storage)) = window().local_storage() {
        // Where the browser stores nothing, the address carries the language.
        let _ = storage.set_item(KEY, language.tag());
    }
    let others: Vec<String> = location
        .search()
        .unwrap_or_default()
        .trim_start_matches('?')
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("lang="))
        .map(String::from)
        .collect();
    let search: Vec<String> = others.into_iter().chain([format!("lang={}", language.tag())]).collect();
    let search = search.join("&");
    // The address has the language already if its texts failed to load before. To set the same address again would load
    // nothing.
    let _ = if location.search().is_ok_and(|now| now.trim_start_matches('?') == search) {
        location.reload()
    } else {
        location.set_search(&search)
    };
}
