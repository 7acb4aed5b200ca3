//! Lists in brackets: JSON, and what NumPy and PyTorch print, such as `[[1. 2.]\n [3. 4.]]` or
//! `tensor([[1., 2.]], dtype=torch.float64, grad_fn=<MmBackward0>)`.

use super::kind::{Table, number};
use crate::experiment::InputError;
use crate::experiment::error::shorten;
use crate::phrase;

/// The list in a text, without what stands around it; `None` for a text that is no list in brackets. Around it may stand a
/// call (`array(`..), a name that it is given to, or the heading of a parameter.
pub(super) fn list_of(text: &str) -> Option<&str> {
    let (before, _) = text.split_once('[')?;
    let before = before.trim_end();
    (before.is_empty() || before.ends_with(['(', '=', ':'])).then(|| &text[text.find('[').unwrap_or(0)..])
}

/// Reads the rows of a list. Numbers are separated by commas or blanks; a list without lists in it is one list of numbers.
///
/// # Errors
/// [`InputError`] that names row and column.
pub(super) fn rows(table: Table, list: &str) -> Result<Vec<Vec<f64>>, InputError> {
    let mut reader = Reader { table, depth: 0, calls: 0, is_nested: false, rows: Vec::new(), row: Vec::new() };
    let mut word_from = None;
    for (at, c) in list.char_indices() {
        let is_mark = c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ',' | ';');
        if !is_mark {
            word_from.get_or_insert(at);
            continue;
        }
        // What stands before an opening parenthesis is the name of a call, such as np.float64.
        if let Some(from) = word_from.take().filter(|_| c != '(') {
            reader.word(&list[from..at])?;
        }
        if reader.mark(c)? {
            return reader.end(&list[at + 1..]);
        }
    }
    Err(broken(table, phrase!("last_bracket_open", "its last bracket is not closed")))
}

struct Reader {
    table: Table,
    /// Brackets that are open.
    depth: usize,
    /// Parentheses that are open inside of them.
    calls: usize,
    is_nested: bool,
    rows: Vec<Vec<f64>>,
    row: Vec<f64>,
}

/// Rows in a list.
const MOST_DEPTH: usize = 2;

impl Reader {
    fn word(&mut self, word: &str) -> Result<(), InputError> {
        // Inside of a call: `dtype=torch.float64`.
        if self.calls > 0 && word.contains('=') {
            return Ok(());
        }
        if self.is_nested && self.depth < MOST_DEPTH {
            return Err(InputError::bad_value(
                phrase!("row_of_table", "Row {row} of {what}", row = self.rows.len() + 1, what = self.table.inside()),
                word,
                phrase!("list_numbers", "a list of numbers"),
            ));
        }
        match number(word) {
            Some(x) => self.row.push(x),
            None => {
                let (row, column) = match (self.is_nested, self.table) {
                    (false, Table::Tokens) => (self.row.len() + 1, 1),
                    _ => (self.rows.len() + 1, self.row.len() + 1),
                };
                let found = format!("\"{}\"", shorten(word)).into();
                return Err(InputError::NotANumber { what: self.table.inside(), row, column, found });
            }
        }
        Ok(())
    }

    /// True after the last bracket.
    fn mark(&mut self, mark: char) -> Result<bool, InputError> {
        match mark {
            '[' => {
                self.depth += 1;
                if self.depth > MOST_DEPTH {
                    let problem = phrase!("lists_too_deep", "it has more than two dimensions");
                    return Err(broken(self.table, problem));
                }
                if self.depth == MOST_DEPTH && !self.row.is_empty() {
                    return Err(broken(self.table, phrase!("numbers_beside_rows", "it holds numbers beside its rows")));
                }
                self.is_nested |= self.depth == MOST_DEPTH;
            }
            ']' => {
                self.depth -= 1;
                if self.is_nested && self.depth == MOST_DEPTH - 1 {
                    self.rows.push(std::mem::take(&mut self.row));
                }
                return Ok(self.depth == 0);
            }
            '(' => self.calls += 1,
            ')' => self.calls = self.calls.saturating_sub(1),
            _ => {}
        }
        Ok(false)
    }

    /// The rows, unless another list follows.
    fn end(self, rest: &str) -> Result<Vec<Vec<f64>>, InputError> {
        let rest = rest.trim();
        // The rest of a call: `, dtype=torch.float64)`.
        let is_call = rest.starts_with([',', ')']) && rest.ends_with([')', ';']) && !rest.contains('[');
        if !(rest.is_empty() || rest == ";" || is_call) {
            return Err(broken(self.table, phrase!("more_after_list", "something follows its last bracket")));
        }
        Ok(match (self.is_nested, self.table) {
            (true, _) => self.rows,
            // A flat list is n tokens of dimension 1, and one row of a matrix.
            (false, Table::Tokens) => self.row.into_iter().map(|x| vec![x]).collect(),
            (false, _) => vec![self.row],
        })
    }
}

fn broken(table: Table, problem: crate::experiment::Phrase) -> InputError {
    InputError::File {
        file: table.name(),
        problem,
        fix: phrase!("copy_whole_list", "Copy one whole list of rows, like [[1, 2], [3, 4]]."),
    }
}
