//! Sentences about faults: what is wrong, where, and what to do.

use crate::words::wrong as words;

use lipscope_plot::Number;

pub fn not_a_number(name: &str, text: &str) -> String {
    match text {
        "" => words::not_a_number::empty(name),
        _ => words::not_a_number::other(name, shortened(text)),
    }
}

pub fn out_of_range(name: &str, text: &str, least: f64, most: f64) -> String {
    words::out_of_range(plain(least), plain(most), name, shortened(text))
}

pub fn not_whole(name: &str, text: &str) -> String {
    words::not_whole(name, shortened(text))
}

pub fn not_a_seed(text: &str, most: u64) -> String {
    words::not_a_seed(most, shortened(text))
}

pub fn file_too_large(name: &str, size: f64, most: f64) -> String {
    words::file_too_large(
        format_args!("{:.0}", most / 1048576.0),
        shortened(name),
        format_args!("{:.0}", size / 1048576.0),
    )
}

pub fn file_unreadable(name: &str) -> String {
    words::file_unreadable(shortened(name))
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
