//! Calls around lists: which ones leave the numbers unchanged, and the calls of R that give them a shape.

use super::node::Node;
use super::node::{broken, no_rows};
use crate::experiment::error::shorten;
use crate::experiment::{InputError, Table};
use crate::phrase;

/// The place of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// The table that is read; errors name it.
    pub(super) table: Table,
    /// Whether an enclosing list is open.
    pub(super) nesting: Nesting,
}

/// Whether the call stands inside a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// Outside any list.
    Outermost,
    /// Inside an open list.
    Inside,
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    /// Arguments without a name.
    pub(super) positional: Vec<Node>,
    /// Named arguments whose value is read as a list: `data=`, and the columns of a data frame.
    pub(super) named: Vec<Node>,
    /// Named arguments whose value is kept as text.
    pub(super) options: Vec<(&'a str, &'a str)>,
}

impl Arguments<'_> {
    fn option(&self, names: &[&str]) -> Option<&str> {
        self.options.iter().find(|(name, _)| names.contains(name)).map(|(_, value)| *value)
    }

    /// The size that an option of R gives.
    fn size(&self, name: &str) -> Option<usize> {
        sizes(self.option(&[name])?)?.first().copied()
    }
}

/// Whether the argument `name` of a call is a list to be read.
pub(super) fn reads_named(call: &str, name: &str) -> bool {
    match call {
        "list" | "data.frame" | "cbind" | "rbind" | "tibble" => {
            !matches!(name, "row.names" | "stringsAsFactors" | "check.names")
        }
        _ => matches!(name, "data" | "object" | "value" | "initial_value" | "numpy"),
    }
}

/// The value of a call; `name` is written before its parenthesis.
///
/// # Errors
/// [`InputError::File`] for a function that may change the numbers, or sizes that do not fit.
pub(super) fn value(site: Site, name: &str, mut given: Arguments<'_>) -> Result<Node, InputError> {
    let unknown = || {
        let problem = phrase!(
            "call_not_known",
            "it calls `{name}`, and what that does to the numbers is not known here",
            name = shorten(name)
        );
        Err(InputError::File {
            file: site.table.name(),
            problem,
            fix: phrase!("print_the_result", "Run the program, print the result, and paste the list that it prints."),
        })
    };
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    let lower = last.trim_end_matches('!').to_ascii_lowercase();
    match name {
        "c" => {
            let mut numbers = Vec::new();
            for node in given.positional {
                match node.into_numbers() {
                    Some(part) => numbers.extend(part),
                    None => return Err(broken(site.table, no_rows())),
                }
            }
            return Ok(Node::Numbers(numbers));
        }
        "rbind" => {
            given.positional.append(&mut given.named);
            return lists(site, given.positional).map(Node::List);
        }
        "cbind" | "data.frame" | "tibble" => {
            given.positional.append(&mut given.named);
            return by_columns(site, given.positional);
        }
        "list" if !given.named.is_empty() && given.positional.is_empty() => return Ok(Node::Columns(given.named)),
        "structure" => {
            let is_frame = given.option(&["class", ".class"]).is_some_and(|class| class.contains("data.frame"));
            return match (given.positional.pop(), given.option(&["dim", ".Dim"]).and_then(sizes)) {
                (Some(Node::Columns(columns)), None) if is_frame => by_columns(site, columns),
                (Some(Node::Numbers(numbers)), Some(sizes)) => match &sizes[..] {
                    [rows, columns] => filled(site, numbers, (*rows, *columns), Fill::Columns),
                    _ => unknown(),
                },
                _ => unknown(),
            };
        }
        // Maxima gives the rows one after the other.
        "matrix"
            if given.options.is_empty()
                && given.positional.len() > 1
                && given.positional.iter().all(|node| matches!(node, Node::Numbers(_))) =>
        {
            return Ok(Node::List(given.positional));
        }
        "matrix" if is_of_r(&given) => {
            let is_vector =
                |at: usize| matches!((at, given.positional.get(at)), (1.., Some(Node::Numbers(_) | Node::List(_))));
            if (0..given.positional.len()).any(is_vector) {
                return unknown();
            }
            let mut positional = given.positional.clone().into_iter();
            let Some(Node::Numbers(numbers)) = positional.next() else { return unknown() };
            let count = numbers.len();
            let mut size = |name| {
                given.size(name).or_else(|| match positional.next() {
                    Some(Node::Number(x)) if x >= 1.0 && x <= count as f64 => Some(x as usize),
                    _ => None,
                })
            };
            let (rows, columns) = match (size("nrow"), size("ncol")) {
                (Some(rows), Some(columns)) => (rows, columns),
                (Some(rows), None) => (rows, count / rows.max(1)),
                (None, Some(columns)) => (count / columns.max(1), columns),
                (None, None) => (count, 1),
            };
            let is_by_row = given.option(&["byrow"]).is_some_and(|value| value.starts_with('T'));
            let fill = if is_by_row { Fill::Rows } else { Fill::Columns };
            return filled(site, numbers, (rows, columns), fill);
        }
        _ => {}
    }
    let is_number = ["float", "int", "uint", "double", "half", "bfloat", "longdouble"].iter().any(|kind| {
        lower.strip_prefix(kind).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_'))
    });
    let is_array = lower.ends_with("tensor")
        || matches!(
            lower.as_str(),
            "array" | "asarray" | "asanyarray" | "ascontiguousarray" | "masked_array" | "constant" | "variable"
                | "parameter" | "ndarray" | "devicearray" | "arrayimpl" | "arr1" | "arr2" | "mat" | "matrix" | "tuple"
                | "void" | "vec" | "single"
        )
        // NumPy prints the elements of an array of lists as `list(..)`. A list of R is not an array.
        || (lower == "list" && site.nesting == Nesting::Inside);
    given.positional.append(&mut given.named);
    given.positional.retain(|node| *node != Node::Text);
    match (given.positional.len(), given.positional.pop()) {
        (1, Some(node)) if is_number && matches!(node, Node::Number(_)) => Ok(node),
        (1, Some(node)) if is_array => Ok(node),
        _ => unknown(),
    }
}

/// Whether a call of `matrix` is R's: it names sizes or has several arguments. NumPy's `matrix` has one list.
fn is_of_r(given: &Arguments<'_>) -> bool {
    let has_size = given.options.iter().any(|(name, _)| matches!(*name, "nrow" | "ncol" | "byrow"));
    has_size || given.positional.len() > 1
}

/// How the numbers of a vector fill a matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Rows,
    Columns,
}

fn filled(site: Site, numbers: Vec<f64>, (n, d): (usize, usize), fill: Fill) -> Result<Node, InputError> {
    if n == 0 || d == 0 || n.checked_mul(d) != Some(numbers.len()) {
        let problem = phrase!(
            "holds_numbers_not",
            "it holds {count} numbers, not {shape}",
            count = numbers.len(),
            shape = phrase!("shape", "{rows} x {columns}", rows = n, columns = d)
        );
        return Err(broken(site.table, problem));
    }
    let at = |row: usize, column: usize| if fill == Fill::Rows { row * d + column } else { column * n + row };
    let row = |row: usize| Node::Numbers((0..d).map(|column| numbers[at(row, column)]).collect());
    Ok(Node::List((0..n).map(row).collect()))
}

/// The rows of a table that is given column by column.
fn by_columns(site: Site, columns: Vec<Node>) -> Result<Node, InputError> {
    let columns: Vec<Vec<f64>> = columns
        .into_iter()
        .map(|column| column.into_numbers().ok_or_else(|| broken(site.table, no_rows())))
        .collect::<Result<_, _>>()?;
    let n = columns.iter().map(Vec::len).max().unwrap_or_default();
    let row = |row: usize| Node::Numbers(columns.iter().filter_map(|column| column.get(row).copied()).collect());
    Ok(Node::List((0..n).map(row).collect()))
}

fn lists(site: Site, nodes: Vec<Node>) -> Result<Vec<Node>, InputError> {
    nodes
        .into_iter()
        .map(|node| node.into_numbers().map(Node::Numbers).ok_or_else(|| broken(site.table, no_rows())))
        .collect()
}

/// The sizes that R writes as `3:2` or `c(3L, 2L)`.
fn sizes(text: &str) -> Option<Vec<usize>> {
    let is_known = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, 'c' | 'L' | '(' | ')' | ',' | ':');
    let is_plain_range = |text: &str| text.matches(':').count() <= 1;
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let sizes: Vec<usize> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
    // 3:2 is 3, 2; 2:4 would be 2, 3, 4.
    let is_pair = !text.contains(':') || matches!(&sizes[..], [a, b] if a.abs_diff(*b) == 1);
    (text.chars().all(is_known) && is_plain_range(text) && is_pair).then_some(sizes)
}
