//! Checks whether the page has a Chinese text for an error of the engine.

use lipscope::chinese_texts;
use lipscope::language::{Language, keep_chinese, set};
use lipscope::problem_text;
use lipscope_core::experiment::InputError;

/// Names, and signs of the format, that are the same in every language.
const NAMES: [&str; 33] = [
    "JSON",
    "ALiBi",
    "CSV",
    "TSV",
    "NumPy",
    "MHA",
    "MiniLM",
    "SVD",
    "Unicode",
    "UTF",
    "MB",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "NaN",
    "inf",
    "true",
    "false",
    "null",
    "eps",
    "skew",
    "safetensors",
    "MLP",
    "QK",
    "RMS",
    "RoPE",
    "ReLU",
    "MATLAB",
    "Python",
    "pandas",
    "HDF",
    "PyTorch",
];
/// The page's sentence about an error, in Chinese.
pub fn in_chinese(error: &InputError) -> String {
    keep_chinese(chinese_texts());
    set(Language::Chinese);
    let said = problem_text(error);
    set(Language::English);
    said
}

/// Whether a text has any Han character.
pub fn has_han(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// The words of other languages in a Chinese text, without names (of files too) and without quoted texts.
pub fn foreign_words(text: &str) -> Vec<String> {
    let mut outside = String::new();
    let mut quote = None;
    for c in text.chars() {
        match quote {
            // A quoted text may have been cut.
            Some(end) if c == end || c == '…' => quote = None,
            Some(_) => {}
            None => {
                quote = match c {
                    '"' | '`' => Some(c),
                    '“' => Some('”'),
                    _ => None,
                };
                outside.push(if quote.is_some() { ' ' } else { c });
            }
        }
    }
    outside
        .split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)))
        // A word with a full stop inside is the name of a file.
        .filter(|part| !part.trim_matches('.').contains('.'))
        .flat_map(|part| part.split(|c: char| !c.is_ascii_alphabetic()))
        .filter(|word| word.len() > 1 && !NAMES.contains(word))
        .map(str::to_owned)
        .collect()
}

/// Fails where a word of an error's English is left in its Chinese.
#[track_caller]
pub fn assert_known(error: &InputError) {
    let said = in_chinese(error);
    assert!(has_han(&said) && foreign_words(&said).is_empty(), "{error}\n  is in Chinese: {said}");
}
