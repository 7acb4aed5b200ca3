//! The parser: turns characters into lists.

use std::borrow::Cow;

use super::super::kind::number;
use super::around::is_list;
use super::calls::{self, Arguments, Nesting, Site};
use super::node::Node;
use super::node::broken;
use crate::experiment::error::shorten;
use crate::experiment::{InputError, Phrase, Table};
use crate::phrase;

/// Reads one list after the other.
pub(super) struct Parser<'a> {
    table: Table,
    text: Cow<'a, str>,
    at: usize,
    /// The position in each open list: the number of its complete elements.
    path: Vec<usize>,
    /// Calls that are open.
    calls: usize,
    /// Numbers and lists so far; the limits on a table bound them.
    count: usize,
}

/// The deepest allowed nesting: enough for matrices in a batch in a tuple, with the calls around them.
const MOST_DEPTH: usize = 16;

/// A line of a list that NumPy wraps has at least about this many characters; NumPy's default line width is 75.
const SHORTEST_WRAPPED_LINE: usize = 56;

impl<'a> Parser<'a> {
    pub(super) fn new(table: Table, text: Cow<'a, str>) -> Self {
        Parser { table, text, at: 0, path: Vec::new(), calls: 0, count: 0 }
    }

    /// The rest of the text, without the blanks and commas between two lists.
    pub(super) fn rest(&mut self) -> &str {
        let rest = self.text[self.at..].trim_start();
        let next = rest.strip_prefix(',').map(str::trim_start).filter(|next| is_list(next) || next.is_empty());
        let rest = next.unwrap_or(rest);
        self.at = self.text.len() - rest.len();
        rest.trim_end()
    }

    /// A list that is not inside another list.
    pub(super) fn top_level(&mut self) -> Result<Node, InputError> {
        self.value()
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn step(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn value(&mut self) -> Result<Node, InputError> {
        self.skip_blanks();
        match self.peek() {
            Some(open @ ('[' | '{' | '(')) => self.list(open),
            Some(quote @ ('"' | '\'')) => self.quoted(quote),
            Some(_) => self.word(),
            None => Err(self.open_bracket()),
        }
    }

    fn open_bracket(&self) -> InputError {
        broken(self.table, phrase!("last_bracket_open", "its last bracket is not closed"))
    }

    fn quoted(&mut self, quote: char) -> Result<Node, InputError> {
        let from = self.at;
        self.step(quote);
        while let Some(c) = self.peek() {
            self.step(c);
            if c == quote {
                // In a call, a quoted text is an option, such as the type in `array('d', [1.0])`.
                return if self.calls > 0 { Ok(Node::Text) } else { Err(self.not_a_number(&self.text[from..self.at])) };
            }
        }
        Err(self.open_bracket())
    }

    /// A number, or the value of a call.
    fn word(&mut self) -> Result<Node, InputError> {
        let from = self.at;
        let is_mark =
            |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '{' | '}' | ',' | ';' | '"' | '\'');
        let length = self.text[from..].find(is_mark).unwrap_or(self.text.len() - from);
        self.at += length;
        let word = &self.text[from..self.at];
        let begins_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-' | '.'));
        match self.peek() {
            Some('(') if begins_name => {
                let name = word.to_string();
                self.call(&name)
            }
            // Float32[1 2] and vec![1, 2].
            Some('[') if begins_name && (matches!(word, "vec!" | "array!") || is_julia_type(word)) => self.list('['),
            _ if word.is_empty() => {
                Err(broken(self.table, phrase!("marks_in_list", "its brackets, commas or semicolons do not match")))
            }
            _ => match number(word) {
                Some(x) => Ok(Node::Number(x)),
                None => {
                    range(word).filter(|_| self.calls > 0).map(Node::Numbers).ok_or_else(|| self.not_a_number(word))
                }
            },
        }
    }

    /// The place of the call being read.
    fn site(&self) -> Site {
        let nesting = if !self.path.is_empty() { Nesting::Inside } else { Nesting::Outermost };
        Site { table: self.table, nesting }
    }

    /// The error for an element that is no number, with its row and column.
    fn not_a_number(&self, found: &str) -> InputError {
        self.not_a_number_but(format!("\"{}\"", shorten(found.trim_matches(['"', '\'']))).into())
    }

    fn not_a_number_but(&self, found: Phrase) -> InputError {
        let begins_rows = self.text[self.at..].contains(';');
        let (row, column) = match (&self.path[..], self.table) {
            ([.., row, column], _) => (row + 1, column + 1),
            ([at], Table::Tokens) if !begins_rows => (at + 1, 1),
            ([at], _) => (1, at + 1),
            ([], _) => (1, 1),
        };
        InputError::NotANumber { what: self.table.inside(), row, column, found }
    }

    fn call(&mut self, name: &str) -> Result<Node, InputError> {
        self.enter('(')?;
        self.calls += 1;
        let mut given = Vec::new();
        let mut arguments = Arguments::default();
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return Err(self.open_bracket()),
                Some(')') => break,
                Some(',') => self.step(','),
                Some(_) => match self.key() {
                    Some(key) if calls::reads_named(name, &key) => {
                        let node = self.value()?;
                        arguments.named.push(node);
                    }
                    Some(key) => {
                        let value = self.skipped()?;
                        given.push((key, value));
                    }
                    None => {
                        let node = self.value()?;
                        arguments.positional.push(node);
                    }
                },
            }
        }
        self.step(')');
        self.calls -= 1;
        arguments.options = given.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        calls::value(self.site(), name, arguments)
    }

    /// Reads the name of an argument and the equals sign after it; `None` for an argument without a name.
    fn key(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))?;
        let after = rest[end..].trim_start();
        let is_key = end > 0 && after.starts_with('=') && !after.starts_with("==");
        let key = is_key.then(|| rest[..end].to_string());
        if is_key {
            self.at += rest.len() - after.len() + 1;
        }
        key
    }

    /// Skips an argument and returns its text, up to the next comma or parenthesis.
    fn skipped(&mut self) -> Result<String, InputError> {
        let from = self.at;
        let (mut open, mut quote) = (0usize, None);
        while let Some(c) = self.peek() {
            match (quote, c) {
                (Some(begun), c) if c == begun => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '(' | '[' | '{') => open += 1,
                (None, ',' | ')') if open == 0 => return Ok(self.text[from..self.at].trim().to_string()),
                (None, ')' | ']' | '}') => open = open.saturating_sub(1),
                _ => {}
            }
            self.step(c);
        }
        Err(self.open_bracket())
    }

    fn enter(&mut self, open: char) -> Result<(), InputError> {
        self.step(open);
        if self.path.len() + self.calls >= MOST_DEPTH {
            return Err(broken(self.table, phrase!("brackets_too_deep", "its brackets are nested too deeply")));
        }
        Ok(())
    }

    /// Reads the elements of a bracket.
    fn list(&mut self, open: char) -> Result<Node, InputError> {
        self.enter(open)?;
        let close = match open {
            '[' => ']',
            '{' => '}',
            _ => ')',
        };
        let from = self.at;
        let is_outermost = self.path.is_empty();
        self.path.push(0);
        let mut list = Elements::default();
        loop {
            let Some(c) = self.peek() else { return Err(self.open_bracket()) };
            match c {
                '\n' => {
                    self.step(c);
                    list.line_end();
                }
                c if c.is_whitespace() => self.step(c),
                ',' => {
                    self.step(c);
                    list.comma().map_err(|problem| broken(self.table, problem))?;
                }
                ';' if open != '(' => {
                    self.step(c);
                    self.path.pop();
                    self.path.push(list.rows.len() + 1);
                    list.end_row().map_err(|problem| broken(self.table, problem))?;
                }
                c if c == close => break,
                _ => {
                    // In a row that a semicolon began, the position of a number has two parts.
                    let is_in_rows = !list.rows.is_empty();
                    if is_in_rows {
                        self.path.push(list.numbers.len());
                    }
                    let node = self.value()?;
                    if is_in_rows {
                        self.path.pop();
                    }
                    self.count += 1;
                    self.table.check_entries(self.count)?;
                    self.push(&mut list, node)?;
                    if !is_in_rows && let Some(at) = self.path.last_mut() {
                        *at += 1;
                    }
                }
            }
        }
        self.step(close);
        self.path.pop();
        // In Python a number in parentheses is that number.
        if open == '('
            && !list.has_comma
            && list.children.is_empty()
            && let [x] = list.numbers[..]
        {
            return Ok(Node::Number(x));
        }
        let is_matrix_literal = open == '[' && is_outermost && self.calls == 0;
        match list.rows.is_empty() {
            false => list.into_rows().map_err(|problem| broken(self.table, problem)),
            true if is_matrix_literal && !list.breaks.is_empty() => {
                let longest =
                    self.text[from..self.at].lines().map(|line| line.chars().count()).max().unwrap_or_default();
                self.by_lines(list, longest)
            }
            true if list.children.is_empty() => Ok(Node::Numbers(list.numbers)),
            true => Ok(Node::List(list.children)),
        }
    }

    fn push(&self, list: &mut Elements, node: Node) -> Result<(), InputError> {
        let in_rows = !list.rows.is_empty();
        list.is_after_comma = false;
        match node {
            Node::Text => Err(self.not_a_number_but(phrase!("text_in_quotes", "a text in quotes"))),
            Node::Number(_) if !list.children.is_empty() && in_rows => Err(broken(self.table, beside())),
            Node::Number(x) if !list.children.is_empty() => Err(InputError::bad_value(
                phrase!(
                    "row_of_table",
                    "Row {row} of {what}",
                    row = list.children.len() + 1,
                    what = self.table.inside()
                ),
                x.to_string(),
                phrase!("list_numbers", "a list of numbers"),
            )),
            Node::Number(x) => {
                list.numbers.push(x);
                Ok(())
            }
            _ if !list.numbers.is_empty() => Err(broken(self.table, beside())),
            node => {
                list.children.push(node);
                Ok(())
            }
        }
    }

    /// Decides what a list of numbers over several lines means: each line is a row in MATLAB and Julia, while NumPy
    /// wraps one long list.
    fn by_lines(&self, list: Elements, longest: usize) -> Result<Node, InputError> {
        if !list.children.is_empty() {
            return Ok(Node::List(list.children));
        }
        let begins_with_line = list.breaks.first() == Some(&0);
        let mut ends: Vec<usize> = list.breaks.iter().copied().filter(|end| *end > 0).collect();
        if ends.last() != Some(&list.numbers.len()) {
            ends.push(list.numbers.len());
        }
        ends.dedup();
        let mut from = 0;
        let lines: Vec<&[f64]> =
            ends.iter().map(|end| &list.numbers[std::mem::replace(&mut from, *end)..*end]).collect();
        let Some((last, others)) = lines.split_last() else { return Ok(Node::Numbers(list.numbers)) };
        let width = others.first().map_or(last.len(), |line| line.len());
        let is_wrapped = |least_last: usize| {
            !others.is_empty()
                && others.iter().all(|line| line.len() == width)
                && (1..=least_last).contains(&last.len())
        };
        let is_even = others.iter().all(|line| line.len() == last.len());
        match (begins_with_line, is_even) {
            (false, false) if is_wrapped(width.saturating_sub(1)) && longest >= SHORTEST_WRAPPED_LINE => {
                Ok(Node::Numbers(list.numbers))
            }
            (false, true) if lines.len() > 1 && longest >= SHORTEST_WRAPPED_LINE => Err(InputError::Conflict {
                what: self.table.name(),
                problem: phrase!(
                    "lines_in_one_bracket",
                    "holds numbers over several lines in one bracket: each line may be a row, or all lines one list"
                ),
                fix: phrase!(
                    "bracket_each_row",
                    "Put a semicolon between the rows, as in [1 2; 3 4], or commas between the numbers of one list."
                ),
            }),
            _ if lines.len() == 1 => Ok(Node::Numbers(list.numbers)),
            // The code that assembles the rows reports rows of different lengths.
            _ => Ok(Node::List(lines.into_iter().map(|line| Node::Numbers(line.to_vec())).collect())),
        }
    }
}

/// The content read so far from an open bracket.
#[derive(Default)]
struct Elements {
    numbers: Vec<f64>,
    children: Vec<Node>,
    /// Rows that a semicolon has ended.
    rows: Vec<Node>,
    /// How many numbers were read at each line end that had no comma before it.
    breaks: Vec<usize>,
    has_comma: bool,
    is_after_comma: bool,
}

impl Elements {
    fn line_end(&mut self) {
        if !self.is_after_comma && self.breaks.last() != Some(&self.numbers.len()) {
            self.breaks.push(self.numbers.len());
        }
    }

    fn comma(&mut self) -> Result<(), Phrase> {
        if self.is_after_comma || (self.numbers.is_empty() && self.children.is_empty()) {
            return Err(phrase!(
                "two_commas",
                "it has two commas with nothing between them, or one with nothing before it"
            ));
        }
        self.has_comma = true;
        self.is_after_comma = true;
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), Phrase> {
        // Line ends end rows too; a line end beside a semicolon ends no row of its own.
        let breaks = std::mem::take(&mut self.breaks);
        let numbers = std::mem::take(&mut self.numbers);
        let mut children = std::mem::take(&mut self.children);
        self.is_after_comma = false;
        if numbers.is_empty() && children.is_empty() {
            return Err(phrase!(
                "two_semicolons",
                "it has two semicolons with nothing between them, or one with nothing before it"
            ));
        }
        match (children.pop(), children.is_empty()) {
            (None, _) => self.rows.extend(split(&numbers, &breaks)),
            (Some(Node::Numbers(row)), true) => self.rows.push(Node::Numbers(row)),
            _ => return Err(beside()),
        }
        Ok(())
    }

    /// The rows between semicolons.
    fn into_rows(mut self) -> Result<Node, Phrase> {
        if !(self.numbers.is_empty() && self.children.is_empty()) {
            self.end_row()?;
        }
        Ok(Node::List(self.rows))
    }
}

/// Cuts the numbers into rows at the line ends.
fn split(numbers: &[f64], breaks: &[usize]) -> Vec<Node> {
    let mut from = 0;
    let mut rows = Vec::new();
    for end in breaks.iter().copied().chain([numbers.len()]) {
        if end > from {
            rows.push(Node::Numbers(numbers[from..end].to_vec()));
            from = end;
        }
    }
    rows
}

fn beside() -> Phrase {
    phrase!("numbers_beside_rows", "it holds numbers beside its rows")
}

/// The element types that Julia writes before a bracket.
fn is_julia_type(word: &str) -> bool {
    matches!(
        word,
        "Float64"
            | "Float32"
            | "Float16"
            | "BFloat16"
            | "Int"
            | "Int64"
            | "Int32"
            | "Int16"
            | "Int8"
            | "UInt8"
            | "UInt16"
            | "UInt32"
            | "UInt64"
            | "Real"
            | "Number"
            | "Any"
    )
}

/// The whole numbers of a range of R, such as 1:6.
fn range(word: &str) -> Option<Vec<f64>> {
    /// Longer than any range that R writes in this form.
    const MOST: i64 = 1_000_000;
    let (from, to) = word.split_once(':')?;
    let (from, to): (i64, i64) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to && to.checked_sub(from)? < MOST).then(|| (from..=to).map(|x| x as f64).collect())
}
