//! What cannot be: what is wrong, where, and what to do.

use crate::plot::Number;

pub const WHAT_N: &str = "The number of tokens n";
pub const FIX_N: &str = "Use fewer tokens here, or the command line.";
pub const WHAT_D: &str = "The token dimension d";
pub const FIX_D: &str = "Use a smaller dimension here, or the command line.";
pub const WHAT_ND: &str = "n times d";
pub const FIX_ND: &str = "Use fewer tokens or fewer dimensions here, or the command line.";
pub const WHAT_WEIGHTS: &str = "The number of weights";
pub const FIX_WEIGHTS: &str = "Use fewer heads or smaller dimensions here, or the command line.";
pub const FIX_HEADS: &str = "Use a number of heads that does, or other tokens.";
pub const FIX_FIT: &str = "Use tokens of that dimension, or other weights.";
pub const SKEW_WITHOUT_WEIGHTS: &str = "skew without weights or with the identity, or other tokens";

pub fn tokens_of_dim(d: usize) -> String {
    format!("A token list of dimension {d}")
}

pub fn do_not_fit_weights(d: usize) -> String {
    format!("does not fit your weights, which take dimension {d}")
}

pub fn heads_of(heads: usize) -> String {
    format!("{heads} heads of L2-MHA")
}

pub fn do_not_divide(d: usize) -> String {
    format!("cannot share the token dimension {d} equally")
}

pub fn not_a_number(name: &str, text: &str) -> String {
    match text {
        "" => format!("{name} is empty. Type a number."),
        _ => format!("{name} is “{}”, which is not a number. Type digits, with a point for decimals.", shortened(text)),
    }
}

pub fn out_of_range(name: &str, text: &str, least: f64, most: f64) -> String {
    format!("{name} is {}, but it must be from {} to {}.", shortened(text), plain(least), plain(most))
}

pub fn not_whole(name: &str, text: &str) -> String {
    format!("{name} is {}, but it must be a whole number.", shortened(text))
}

pub fn not_a_seed(text: &str, most: u64) -> String {
    format!("The seed is “{}”, but it must be a whole number from 0 to {most}.", shortened(text))
}

pub fn file_too_large(name: &str, size: f64, most: f64) -> String {
    format!(
        "{} has {:.0} MB; this page reads up to {:.0} MB. Use fewer tokens, or the command line.",
        shortened(name),
        size / 1048576.0,
        most / 1048576.0
    )
}

pub fn file_unreadable(name: &str) -> String {
    format!("{} cannot be read. Check that it is a file, and choose it again.", shortened(name))
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
