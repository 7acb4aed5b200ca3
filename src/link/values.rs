//! The words and numbers of a link's fields.

use std::ops::RangeInclusive;

use crate::strings;

/// The word of a choice.
pub fn word<T: PartialEq>(all: &[(&'static str, T)], now: &T) -> String {
    all.iter().find(|(_, choice)| choice == now).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// The choice with a word.
///
/// # Errors
/// A sentence that names the words there are.
pub fn pick<T: Copy>(all: &[(&'static str, T)], text: &str) -> Result<T, String> {
    let words = || all.iter().map(|(word, _)| *word).collect::<Vec<_>>();
    all.iter()
        .find(|(word, _)| *word == text)
        .map(|(_, choice)| *choice)
        .ok_or_else(|| strings::not_known(text, &words()))
}

/// A number in the shortest form that keeps all its digits.
pub fn digits(x: f64) -> String {
    let (plain, power) = (x.to_string(), format!("{x:e}"));
    if plain.len() <= power.len() { plain } else { power }
}

/// A number in a range.
///
/// # Errors
/// A sentence that names the range.
pub fn number(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let found = text.parse::<f64>().ok().filter(|x| x.is_finite() && range.contains(x));
    found.ok_or_else(|| strings::not_a_number_from(text, *range.start(), *range.end()))
}

/// A whole number in a range.
///
/// # Errors
/// A sentence that names the range.
pub fn whole(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let found = text.parse::<u64>().ok().filter(|x| range.contains(x));
    found.ok_or_else(|| strings::not_a_whole_number_from(text, *range.start(), *range.end()))
}

/// A whole number in a range, as a size.
///
/// # Errors
/// As [`whole`].
pub fn size(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    whole(text, *range.start() as u64..=*range.end() as u64).map(|x| x as usize)
}

/// A whole number that may be too large for a `u64`.
///
/// # Errors
/// As [`number`].
pub fn count(text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    let wrong = || strings::not_a_whole_number_from(text, *range.start() as u64, *range.end() as u64);
    number(text, range.clone()).ok().filter(|x| x.fract() == 0.0).ok_or_else(wrong)
}
