//! What the writers of all tools share: how long a script is, and texts in it.

/// The most lines of a script, without its data.
pub const MOST_LINES: usize = 40;
/// The line that separates the data of a source from its script, after the mark of a comment.
pub const SCRIPT: &str = "---- the script ----";

/// Texts in one line each, at most `most` of them: the last ones share lines where there are more.
pub(super) fn in_lines(texts: Vec<String>, most: usize, between: &str) -> Vec<String> {
    let of_line = texts.len().div_ceil(most.max(1)).max(1);
    texts.chunks(of_line).map(|chunk| chunk.join(between)).collect()
}

/// A text in one line, without control characters.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text between double quotes, as Python and JSON read it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}
