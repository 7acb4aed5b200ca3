//! What a bracket holds.

/// A value of a text.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Node {
    /// A number outside of a list of numbers.
    Number(f64),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// A list of lists.
    List(Vec<Node>),
    /// A text in quotes, which stands only where it is no number of the table.
    Text,
    /// Columns with names, of a data frame of R.
    Columns(Vec<Node>),
}

impl Node {
    /// The numbers of a list of numbers, or of a number alone.
    pub(super) fn into_numbers(self) -> Option<Vec<f64>> {
        match self {
            Node::Number(x) => Some(vec![x]),
            Node::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }
}
