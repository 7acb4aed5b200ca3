//! Prints that leave out part of the table: dots in the place of numbers, dashes in the place of rows, or a line that
//! counts what was not printed.

use super::decimal::is_numeric;
use super::lines::cells_of;

/// Whether a text leaves out numbers.
pub(super) fn is_abridged(text: &str) -> bool {
    let is_literal = text.contains('[') && text.contains(';');
    let is_labelled =
        text.lines().any(|line| is_label_of_data_table(line.split_whitespace().next().unwrap_or_default()));
    text.lines().any(|line| {
        has_dots_for_numbers(line, is_literal) || counts_what_is_left_out(line) || (is_labelled && line.trim() == "---")
    })
}

/// Whether a cell is a row label of R's data.table, such as `1:`.
pub(super) fn is_label_of_data_table(cell: &str) -> bool {
    cell.strip_suffix(':').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether dots stand for numbers. These dots do not: dots in a name, such as R's `...1`; a token of dots before a full
/// row; dots in quotes; and MATLAB's line continuation in a list with semicolons.
fn has_dots_for_numbers(line: &str, is_literal: bool) -> bool {
    const DOTS: [char; 5] = ['.', '…', '⋮', '⋱', '⋯'];
    let line = line.trim_end();
    let is_separator = |c: char| matches!(c, ' ' | '\t' | ',' | ';' | '|');
    let mut rest = line;
    while let Some(at) = rest.find(DOTS) {
        let (start, run) = (line.len() - rest.len() + at, &rest[at..]);
        let after = run.trim_start_matches(DOTS);
        let run = &run[..run.len() - after.len()];
        rest = after;
        let is_plain = run.chars().all(|c| c == '.');
        if is_plain && run.len() < 3 {
            continue;
        }
        let before = &line[..start];
        let is_in_name =
            is_plain && (before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric));
        let is_quoted = before.ends_with('"') && after.starts_with('"');
        let is_continued = is_plain && is_literal && after.is_empty();
        // A token of dots before a full row.
        let mut cells = cells_of(after).peekable();
        let is_token = before.trim().is_empty()
            && after.starts_with(is_separator)
            && cells.peek().is_some()
            && cells.all(|cell| is_numeric(cell.trim_matches(['"', '[', ']'])));
        if !(is_in_name || is_quoted || is_continued || is_token) {
            return true;
        }
    }
    false
}

/// Whether a line says how much was not printed: `# ℹ 2 more rows` of R's tibble, `[ reached 'max' /
/// getOption("max.print") -- omitted 998 rows ]` of R, `only showing top 20 rows` of Spark, `97 rows omitted` of Julia.
fn counts_what_is_left_out(line: &str) -> bool {
    // A quick test for most lines, which hold only numbers.
    if !["more", "omitted", "only showing"].iter().any(|word| line.contains(word)) {
        return false;
    }
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_part = |word: &str| {
        ["row", "column", "col", "variable", "entries", "entry", "line", "element"]
            .iter()
            .any(|part| word == *part || word.strip_suffix('s') == Some(part))
    };
    let is_count = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_showing = matches!(&words[..], ["only", "showing", "top", ..]);
    is_showing
        || words.windows(3).any(|window| match window {
            [count, "more", part] => is_count(count) && is_part(part),
            [count, part, "omitted"] => is_count(count) && is_part(part),
            ["omitted", count, part] => is_count(count) && is_part(part),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_print_that_leaves_out_numbers_is_found() {
        for text in [
            "[[1. ... 2.]]",
            "0    1.5\n..   ...\n9   2.5",
            "1.0\n ⋮\n2.0",
            "# A tibble: 5 × 2\n1 2\n# ℹ 2 more rows",
            "# i 9 more variables: a <dbl>",
            "# ℹ 1 more variable: z <dbl>",
            " [ reached 'max' / getOption(\"max.print\") -- omitted 998 rows ]",
            "+---+\n| 1 |\n+---+\nonly showing top 20 rows",
            "   1.0\n97 rows omitted",
            "     x\n1:  1.5\n---\n9:  2.5",
        ] {
            assert!(is_abridged(text), "{text}");
        }
    }

    #[test]
    fn dots_and_words_of_a_whole_table_leave_nothing_out() {
        for text in [
            "...1,...2\n1.5,2",
            "[1 2; ...\n3 4]",
            "... 1.25 -2.5\nthe 1 2",
            "…\t1.25\t-2.5",
            ".... 1.25 -2.5\n.. 1 2",
            "[{\"token\": \"....\", \"x\": 1}]",
            "[{\"token\": \"...\", \"x\": 1}]",
            "omitted 1.25 -2.5\nmore 2 3",
            "    x\n---\n1.5",
            "2 rows in set",
        ] {
            assert!(!is_abridged(text), "{text}");
        }
    }
}
