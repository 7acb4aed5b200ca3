//! Faults of a link, and data that a link cannot hold.

use crate::words::link as words;
pub use crate::words::link::*;

use super::wrong::{plain, shortened};

pub fn link_unknown(key: &str) -> String {
    words::link_unknown(shortened(key))
}

/// The sentence about a link that names an unknown lesson or step.
pub fn link_unknown_lesson(text: &str) -> String {
    words::link_unknown_lesson(shortened(text))
}

pub fn link_version(version: &str) -> String {
    words::link_version(shortened(version))
}

pub fn not_known(text: &str, words: &[&str]) -> String {
    let known = match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => not_known::alternatives(last, rest.join(not_known::between())),
        None => String::new(),
    };
    not_known::sentence(&known, shortened(text))
}

pub fn not_a_number_from(text: &str, least: f64, most: f64) -> String {
    if most == f64::MAX {
        let from = if least > 0.0 {
            not_a_number_from::above_zero().to_owned()
        } else {
            not_a_number_from::at_least(plain(least))
        };
        return not_a_number_from::unbounded(&from, shortened(text));
    }
    not_a_number_from::bounded(plain(least), plain(most), shortened(text))
}

pub fn not_a_whole_number_from(text: &str, least: u64, most: u64) -> String {
    words::not_a_whole_number_from(least, most, shortened(text))
}
