//! How a text is written: in every language side by side.

use crate::language::{Language, language};

/// The one of the page's language, of texts in English and in Simplified Chinese.
pub fn t(english: &'static str, chinese: &'static str) -> &'static str {
    match language() {
        Language::English | Language::Mirrored => english,
        Language::Chinese => chinese,
    }
}

/// Functions that give a text each.
macro_rules! words {
    ($($name:ident: $english:literal, $chinese:literal;)*) => {
        $(pub fn $name() -> &'static str {
            $crate::strings::speak::t($english, $chinese)
        })*
    };
}

/// `format!` in the page's language.
macro_rules! say {
    ($english:literal, $chinese:literal $(, $value:expr)* $(,)?) => {
        match $crate::language::language() {
            $crate::language::Language::Chinese => format!($chinese $(, $value)*),
            _ => format!($english $(, $value)*),
        }
    };
}
