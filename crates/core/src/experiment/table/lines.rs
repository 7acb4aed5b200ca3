//! The lines that hold the cells of a table, without rules between rows and without comments.

use std::borrow::Cow;

use super::decimal::is_numeric;
use super::reading::Notes;
use crate::experiment::Phrase;
use crate::experiment::error::shorten;
use crate::phrase;

/// The lines of a table.
#[derive(Debug, Default)]
pub(super) struct Lines<'a> {
    /// All lines in order. Some of them may be comments.
    all: Vec<Line<'a>>,
}

#[derive(Debug)]
struct Line<'a> {
    text: &'a str,
    kind: LineKind,
}

/// Whether a line begins with the mark of a comment. Tokens such as `#` and `##ing` begin so, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Plain,
    Marked,
}

/// The text without the mark that knitr and reprex write before every line of output: `##` or `#>`.
pub(super) fn without_prefix<'a>(text: &'a str, notes: &mut Notes) -> Cow<'a, str> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    for mark in ["##", "#>"] {
        let rest = |line: &'a str| line.strip_prefix(mark).filter(|rest| rest.starts_with(' ') || rest.is_empty());
        if lines().count() > 1 && lines().all(|line| rest(line).is_some()) {
            notes.drop(phrase!("the_mark", "the mark {mark} before each line", mark = mark));
            let plain: Vec<&str> = text.lines().map(|line| rest(line).unwrap_or_default()).collect();
            return Cow::Owned(plain.join("\n"));
        }
    }
    Cow::Borrowed(text)
}

/// Whether a line begins with the mark of a comment: `#`, `%` or `//`.
pub(super) fn is_marked(line: &str) -> bool {
    line.starts_with(['#', '%']) || line.starts_with("//")
}

/// The cells of a line, whatever separates them.
pub(super) fn cells_of(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',', ';', '|']).filter(|cell| !cell.is_empty())
}

impl<'a> Lines<'a> {
    /// The lines of `before`, which stood before the numbers, and then those of `text`.
    pub(super) fn of(before: &[&'a str], text: &'a str, notes: &mut Notes) -> Self {
        let is_rule =
            |line: &str| line.contains("--") && line.chars().all(|c| matches!(c, '|' | '+' | '-' | '=' | ':' | ' '));
        let mut all = Vec::new();
        let begins_with_number = |line: &str| cells_of(line).next().is_some_and(is_numeric);
        let mut is_after_gap = false;
        for line in before.iter().copied().chain(text.lines()).map(str::trim) {
            if line.is_empty() || is_rule(line) {
                is_after_gap |= line.is_empty();
                continue;
            }
            let last = all.last().map_or("", |line: &Line<'_>| line.text);
            if is_after_gap && begins_with_number(line) && begins_with_number(last) {
                notes.drop(phrase!("blank_lines", "blank lines between rows"));
            }
            is_after_gap = false;
            if is_marked(line) {
                all.push(Line { text: line, kind: LineKind::Marked });
                continue;
            }
            let line = match comment_behind(line) {
                Some(at) => {
                    notes.drop(phrase!("comments_behind_rows", "comments"));
                    line[..at].trim_end()
                }
                None => line,
            };
            all.push(Line { text: line, kind: LineKind::Plain });
        }
        // If no other line has a number, the marks are tokens.
        let has_number = |line: &Line<'_>| cells_of(line.text).any(|cell| is_numeric(cell.trim_matches('"')));
        if !all.iter().any(|line| line.kind == LineKind::Plain && has_number(line)) {
            all.iter_mut().filter(|line| has_number(line)).for_each(|line| line.kind = LineKind::Plain);
        }
        Lines { all }
    }

    /// The lines that are certainly no comments.
    pub(super) fn plain(&self) -> Vec<&'a str> {
        self.all.iter().filter(|line| line.kind == LineKind::Plain).map(|line| line.text).collect()
    }

    /// The lines of the table: the plain ones, and those marked ones for which `is_row` holds. The others are noted as
    /// comments.
    pub(super) fn rows(self, is_row: impl Fn(&str) -> bool, notes: &mut Notes) -> Vec<&'a str> {
        let (mut comments, mut marked) = (Vec::new(), Vec::new());
        let mut rows = Vec::with_capacity(self.all.len());
        for line in self.all {
            if line.kind == LineKind::Marked {
                if !is_row(line.text) {
                    comments.push(line.text);
                    continue;
                }
                marked.push(line.text);
            }
            rows.push(line.text);
        }
        note_comments(&comments, notes);
        match &marked[..] {
            [] => {}
            [one] => notes.guess(phrase!("marked_row", "the line {line} as a row", line = shorten(one))),
            [first, ..] => notes.guess(phrase!(
                "marked_rows",
                "{count} lines like {line} as rows",
                count = marked.len(),
                line = shorten(first)
            )),
        }
        rows
    }
}

/// Notes the comments that were dropped: their number and the first of them.
pub(super) fn note_comments(comments: &[&str], notes: &mut Notes) {
    let part: Phrase = match comments {
        [] => return,
        [one] => phrase!("comment_line", "the comment {line}", line = shorten(one)),
        [first, ..] => {
            phrase!("comment_lines", "{count} comments ({line}, ..)", count = comments.len(), line = shorten(first))
        }
    };
    notes.drop(part);
}

/// Where a comment behind the numbers of a line begins. A mark that only numbers follow is a cell and begins no
/// comment.
fn comment_behind(line: &str) -> Option<usize> {
    let at = line.find(" # ").or_else(|| line.find("\t# ")).or_else(|| line.find(" // "))?;
    let behind = line[at..].trim_start().trim_start_matches(['#', '/']);
    (!cells_of(behind).all(is_numeric)).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_dropped_with_their_number_and_marked_rows_are_kept() {
        let mut notes = Notes::default();
        let lines = Lines::of(&["# made by hand"], "a 1 2\n---- --\n##b 3 4\n% end\nc 5 6 # last", &mut notes);
        assert_eq!(lines.plain(), ["a 1 2", "c 5 6"]);
        assert_eq!(lines.rows(|line| line.starts_with("##"), &mut notes), ["a 1 2", "##b 3 4", "c 5 6"]);
        let words = |parts: &[Phrase]| parts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(words(&notes.dropped), ["comments", "2 comments (# made by hand, ..)"]);
        assert_eq!(words(&notes.guessed), ["the line ##b 3 4 as a row"]);
    }

    #[test]
    fn a_table_of_marks_alone_is_plain() {
        assert_eq!(Lines::of(&[], "# 1 2\n% 3 4", &mut Notes::default()).plain(), ["# 1 2", "% 3 4"]);
        assert_eq!(comment_behind("0 # 1.5 2"), None);
    }
}
