//! A model run backwards, for people: how many characters came back, and how each branch converged.

use super::look::{Ink, Look};
use super::page::Page;

/// The text of the lines of a summary, whose last one is the result.
pub(crate) fn inverted(summary: &str, look: Look) -> String {
    let mut lines: Vec<&str> = summary.lines().collect();
    let result = lines.pop().unwrap_or_default();
    Page::new(result, look)
        .lines(Ink::Text, lines)
        .line(Ink::Muted, "--csv writes the error of every iteration.")
        .text()
}
