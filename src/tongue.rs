//! Finding the language of the page when it starts; another choice starts it anew, with the same address.

use crate::prelude::*;

use super::language::{Language, set};

const KEY: &str = "lipscope-language";

/// The language of the address (`?lang=zh`), of the last visit or of the browser.
pub fn asked() -> Language {
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
pub fn begin(language: Language) {
    set(language);
    if let Some(root) = document().document_element() {
        // A browser that refuses shows the page all the same.
        let _ = root.set_attribute("lang", language.tag());
        let _ = root.set_attribute("dir", language.direction());
    }
}

/// Keeps another language, and starts the page in it.
pub fn choose(language: Language) {
    let location = window().location();
    if let Ok(Some(storage)) = window().local_storage() {
        // Where nothing may be stored, the address carries it.
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
    // Where its texts were lost, the address has the language already, and the same address loads nothing.
    let _ = if location.search().is_ok_and(|now| now.trim_start_matches('?') == search) {
        location.reload()
    } else {
        location.set_search(&search)
    };
}
