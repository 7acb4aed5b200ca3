//! Sentences about faults: what is wrong, where, and what to do; faults of a link, and data that a link cannot hold.

pub use crate::words::link::*;
use crate::words::{link, wrong};

use crate::fault::NumberFault;
use crate::state::{MAX_N, MAX_WITNESS_N};
use lipscope_plot::Number;

/// What is wrong with a number in a box, as a sentence.
pub fn number_fault(fault: &NumberFault) -> String {
    match fault {
        NumberFault::NotANumber { name, text } => not_a_number(name, text),
        NumberFault::TooLarge { name, text } => wrong::too_large { name, text: shortened(text) }.text(),
        NumberFault::OutOfRange { name, text, least, most } if least == most => {
            wrong::only_value { name, text: shortened(text), value: plain(*least) }.text()
        }
        NumberFault::OutOfRange { name, text, least, most } => {
            wrong::out_of_range { least: plain(*least), most: plain(*most), name, text: shortened(text) }.text()
        }
        NumberFault::NotWhole { name, text } => wrong::not_whole { name, text: shortened(text) }.text(),
        NumberFault::MustDivide { name, found, heads } => {
            wrong::must_divide { found: *found, heads: *heads, name }.text()
        }
    }
}

fn not_a_number(name: &str, text: &str) -> String {
    match text {
        "" => wrong::not_a_number::empty(name),
        _ => wrong::not_a_number::other { name, text: shortened(text) }.text(),
    }
}

pub fn not_a_seed(text: &str, most: u64) -> String {
    wrong::not_a_seed { most, text: shortened(text) }.text()
}

pub fn file_too_large(name: &str, size: f64, most: f64) -> String {
    wrong::file_too_large {
        most: format_args!("{:.0}", most / 1048576.0),
        name: shortened(name),
        size: format_args!("{:.0}", size / 1048576.0),
    }
    .text()
}

pub fn file_unreadable(name: &str) -> String {
    wrong::file_unreadable(shortened(name))
}

pub fn link_unknown(key: &str) -> String {
    link::link_unknown(shortened(key))
}

/// The sentence about a link that names an unknown lesson or step.
pub fn link_unknown_lesson(text: &str) -> String {
    link::link_unknown_lesson(shortened(text))
}

pub fn link_version(version: &str) -> String {
    link::link_version(shortened(version))
}

pub fn not_known(text: &str, words: &[&str]) -> String {
    let known = match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => not_known::alternatives { last, others: rest.join(not_known::between()) }.text(),
        None => String::new(),
    };
    not_known::sentence { known: &known, text: shortened(text) }.text()
}

pub fn not_a_number_from(text: &str, least: f64, most: f64) -> String {
    if most == f64::MAX {
        let from = if least > 0.0 {
            not_a_number_from::above_zero().to_owned()
        } else {
            not_a_number_from::at_least(plain(least))
        };
        return not_a_number_from::unbounded { from: &from, text: shortened(text) }.text();
    }
    not_a_number_from::bounded { least: plain(least), most: plain(most), text: shortened(text) }.text()
}

pub fn not_a_whole_number_from(text: &str, least: u64, most: u64) -> String {
    not_a_whole_number_from { least, most, text: shortened(text) }.text()
}

/// A number of tokens that no choice of tokens takes.
pub fn not_a_token_count(text: &str) -> String {
    not_a_token_count { least: 2, most: MAX_N, most_of_witness: MAX_WITNESS_N, text: shortened(text) }.text()
}

pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(super) fn plain(x: f64) -> String {
    if (1e-4..1e7).contains(&x) || x == 0.0 { x.to_string() } else { Number::short(x).to_string() }
}
