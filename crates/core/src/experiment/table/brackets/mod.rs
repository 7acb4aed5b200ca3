//! Lists in brackets: JSON, literals of Python, MATLAB, Julia, R, Mathematica and Rust, and what NumPy, PyTorch, JAX
//! and TensorFlow print, such as `[[1. 2.]\n [3. 4.]]`, `[1 2; 3 4]` or `tensor([[1., 2.]], grad_fn=<MmBackward0>)`.

mod around;
mod calls;
mod node;
mod parser;

use super::reading::{Notes, TableReading};
use crate::experiment::{InputError, Rows, Table};
use crate::phrase;

use parser::Parser;

pub(super) use around::{is_list, without_dashes};
pub(super) use node::Node;
pub(super) use node::one_matrix;

use node::{broken, more_after_list, no_rows};

/// Reads the rows of a text that [`is_list`]: a list of lists, rows between semicolons, or lists one after the other. A
/// single list of n numbers is n tokens of dimension 1 in a table of tokens, and one row in any other table.
///
/// # Errors
/// [`InputError`] that names row and column.
pub(super) fn read(table: Table, text: &str, notes: Notes) -> Result<TableReading, InputError> {
    let mut parser = Parser::new(table, around::without_continuations(text));
    let mut lists = Vec::new();
    loop {
        lists.push(parser.top_level()?);
        match parser.rest() {
            "" => break,
            rest if around::is_end(rest) => break,
            rest if is_list(rest) => {}
            _ => return Err(broken(table, more_after_list())),
        }
    }
    let node = match lists.len() {
        1 => lists.remove(0),
        // Several lists of numbers are the rows. Of several lists of lists, it is unclear which one is meant.
        _ if lists.iter().all(|list| matches!(list, Node::Numbers(_))) => Node::List(lists),
        _ => return Err(broken(table, more_after_list())),
    };
    rows_of_node(table, node, notes)
}

/// The table that a list represents.
///
/// # Errors
/// [`InputError`] for a value that is no list, a list of more than two dimensions, and rows of different lengths.
pub(super) fn rows_of_node(table: Table, node: Node, mut notes: Notes) -> Result<TableReading, InputError> {
    let lists = match without_batch(node, &mut notes) {
        Node::Numbers(numbers) if table == Table::Tokens => numbers.into_iter().map(|x| vec![x]).collect(),
        Node::Numbers(numbers) => vec![numbers],
        Node::List(children) => rows_of(table, children)?,
        Node::Number(_) | Node::Text | Node::Columns(_) => return Err(broken(table, no_rows())),
    };
    Ok(notes.with(Rows::from_lists(table.inside(), &lists)?))
}

/// Unwraps lists of one element: a batch of one matrix is that matrix.
fn without_batch(mut node: Node, notes: &mut Notes) -> Node {
    loop {
        match node {
            Node::List(mut children) if children.len() == 1 && matches!(children[0], Node::List(_)) => {
                notes.drop(phrase!("batch_of_one", "the axis of a batch of one"));
                node = children.remove(0);
            }
            node => return node,
        }
    }
}

fn rows_of(table: Table, children: Vec<Node>) -> Result<Vec<Vec<f64>>, InputError> {
    let mut rows = Vec::with_capacity(children.len());
    for child in children {
        match child {
            Node::Numbers(numbers) => rows.push(numbers),
            _ => {
                return Err(InputError::File {
                    file: table.name(),
                    problem: phrase!("lists_too_deep", "it has more than two dimensions"),
                    fix: one_matrix(),
                });
            }
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<Vec<f64>>, String> {
        assert!(is_list(text), "{text}");
        let reading = read(Table::Tokens, text, Notes::default()).map_err(|problem| problem.to_string())?;
        Ok(reading.rows.iter().map(<[f64]>::to_vec).collect())
    }

    #[test]
    fn every_notation_of_a_list_gives_its_rows() {
        let expected = Ok(vec![vec![1.0, -2.0], vec![0.5, 3.0]]);
        for text in [
            "[1 -2; 0.5 3]",
            "[1, -2; 0.5, 3];",
            "[\n 1 -2\n 0.5 3\n]",
            "[1 -2\n 0.5 3]",
            "[1 -2; ...\n 0.5 3]",
            "[[1 -2]; [0.5 3]]",
            "Float32[1 -2; 0.5 3]",
            "[(1, -2), (0.5, 3)]",
            "((1, -2), (0.5, 3))",
            "[[1, -2],\n [0.5, 3],]",
            "{{1, -2}, {5.*^-1, 3}}",
            "vec![[1.0, -2.0], [0.5, 3.0]]",
            "array!([[1.0, -2.0], [0.5, 3.0]])",
            "[1, -2]\n[0.5, 3]",
            "[1, -2],\n[0.5, 3],",
            "(1, -2)\n(0.5, 3)",
            "[array([1., -2.]), array([0.5, 3.], dtype=float32)]",
            "[[[1, -2], [0.5, 3]]]",
            "(tensor([[[1., -2.], [0.5, 3.]]], device='cuda:0'),)",
            "tf.Tensor(\n[[1. -2.]\n [0.5 3.]], shape=(2, 2), dtype=float32)",
            "masked_array(\n  data=[[1.0, -2.0],\n        [0.5, 3.0]],\n  mask=False,\n  fill_value=1e+20)",
            "array([(1., -2.), (0.5, 3.)], dtype=[('x', '<f8'), ('y', '<f8')])",
            "[[1.0, -2.0],\n [0.5, 3.0]], shape=[2, 2], strides=[2, 1], layout=Cc (0x5), const ndim=2",
            "structure(c(1, 0.5, -2, 3), dim = c(2L, 2L))",
            "structure(c(1, 0.5, -2, 3), dim = c(2L, 2L), dimnames = list(NULL, c(\"x\", \"y\")))",
            "structure(c(1, 0.5, -2, 3), .Dim = c(2L, 2L))",
            "matrix(c(1, -2, 0.5, 3), nrow = 2, byrow = TRUE)",
            "matrix(c(1, 0.5, -2, 3), 2, 2)",
            "matrix(c(1, 0.5, -2, 3), ncol = 2)",
            "matrix([1, -2], [0.5, 3])",
            "rbind(c(1, -2), c(0.5, 3))",
            "cbind(c(1, 0.5), c(-2, 3))",
            "structure(list(x = c(1, 0.5), y = c(-2, 3)), class = \"data.frame\", row.names = c(NA, -2L))",
            "data.frame(x = c(1, 0.5), y = c(-2, 3))",
        ] {
            assert_eq!(rows(text), expected, "{text}");
        }
    }

    #[test]
    fn ranges_and_columns_of_numbers_are_read() {
        assert_eq!(rows("structure(1:4, dim = c(2L, 2L))"), Ok(vec![vec![1.0, 3.0], vec![2.0, 4.0]]));
        assert_eq!(rows("[1; 2; 3]"), Ok(vec![vec![1.0], vec![2.0], vec![3.0]]));
        assert_eq!(rows("c(1, 2, 3)"), Ok(vec![vec![1.0], vec![2.0], vec![3.0]]));
        let long = |count: usize| vec!["0.12345678"; count].join(" ");
        assert_eq!(rows(&format!("[{}\n {}]", long(6), long(2))).map(|rows| rows.len()), Ok(8));
        assert_eq!(rows("[\n  1.5,\n  2.5,\n  3.5\n]").map(|rows| rows.len()), Ok(3));
    }

    #[test]
    fn what_has_no_shape_or_no_known_meaning_is_refused() {
        let long = |count: usize| vec!["0.12345678"; count].join(" ");
        let wrapped = format!("[{}\n {}]", long(6), long(6));
        for (text, part) in [
            (wrapped.as_str(), "over several lines"),
            ("[1 2\n 3 4\n 5]", "Row 3"),
            ("[1,,2]", "two commas"),
            ("[1 2; 3]", "Row 2"),
            ("[[1, 2], [3, 4]", "not closed"),
            ("[1, 2)", "do not match"),
            ("np.exp([1, 2])", "np.exp"),
            ("-array([1, 2])", "-array"),
            ("array([1, 2]).T", "follows"),
            ("array([1, 2]) * 2", "follows"),
            ("[[1 2]; [3 4]] + 1", "follows"),
            ("[[1 2] [3 4]; 5 6]", "beside"),
            ("[[[1], [2]], [[3], [4]]]", "two dimensions"),
            ("[[[1, 2]], [[3, 4]]]", "x[0]"),
            ("[[1, 2], [[3, 4]]]", "two dimensions"),
            ("[[1, 2+3j]]", "2+3j"),
            ("[['cat', 1], ['dog', 2]]", "cat"),
            ("structure(c(1, 2, 3), dim = c(2L, 2L))", "3 numbers, not 2 x 2"),
            ("structure(list(c(1, 2), c(3, 4)))", "`list`"),
            ("matrix(c(1, 2, 3), nrow = 2)", "3 numbers"),
            ("matrix(c(1, 2, 3, 4), c(1, 2), nrow = 2)", "`matrix`"),
            ("data.frame(x = c(1, 2), y = c(1))", "Row 2"),
            ("[1 2;; 3 4]", "two semicolons"),
        ] {
            let problem = rows(text).expect_err(text);
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }

    #[test]
    fn lists_in_lists_without_end_are_refused_by_their_depth() {
        assert!(rows(&"[".repeat(1_000_000)).expect_err("deep").contains("brackets"));
        assert!(rows(&"(".repeat(100)).expect_err("deep").contains("brackets"));
    }
}
