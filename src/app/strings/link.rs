//! What is wrong with a link, and what cannot be put into one.

use super::wrong::{plain, shortened};

pub const LINK_REST: &str = "The rest of the link was taken.";
pub const LINK_DAMAGED: &str = "characters are missing or changed; copy the whole link again.";
pub const LINK_NO_DATA: &str = "the link brings no such numbers; copy the whole link again.";
pub const LINK_KIM_IS_L2: &str = "these weights are those of L2 attention; l2 is used.";
pub const LINK_NO_LESSON: &str = "that is no step of a lesson; write its name, a point and the step.";
pub const LINK_FAR_TOO_LONG: &str = "The link is too long to be read. Open the experiment's file instead.";

/// What is wrong with a field.
pub fn link_field(key: &str, problem: &str) -> String {
    format!("`{key}`: {problem}")
}

pub fn link_unknown(key: &str) -> String {
    format!("`{}`: this page knows no such field.", shortened(key))
}

pub fn link_twice(key: &str) -> String {
    format!("`{key}` is there twice; the last one counts.")
}

pub fn link_more(count: usize) -> String {
    format!("And {count} more like these.")
}

pub fn link_version(version: &str) -> String {
    format!(
        "The link starts with “{}”, but this page reads links of version v1 and v2. Copy the whole link again.",
        shortened(version)
    )
}

pub fn not_known(text: &str, words: &[&str]) -> String {
    let known = match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    };
    format!("“{}” is not known; use {known}.", shortened(text))
}

pub fn not_a_number_from(text: &str, least: f64, most: f64) -> String {
    if most == f64::MAX {
        let from = if least > 0.0 { "above 0".to_owned() } else { format!("from {}", plain(least)) };
        return format!("“{}” is no number {from}.", shortened(text));
    }
    format!("“{}” is no number from {} to {}.", shortened(text), plain(least), plain(most))
}

pub fn not_a_whole_number_from(text: &str, least: u64, most: u64) -> String {
    format!("“{}” is no whole number from {least} to {most}.", shortened(text))
}
