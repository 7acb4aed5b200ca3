//! Tables of tokens, read as the page and the command line read them.

use lipscope_core::experiment::{
    FirstColumn, FirstRow, InputError, NumberComma, Table, TableAnswers, TableQuestion, TableSource,
};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::task::value_error;

/// The answer that a word stands for. `known` holds the words that this argument can have.
///
/// # Errors
/// `ValueError` for another word.
fn answer<T: Copy>(name: &str, given: Option<&str>, known: [(&str, T); 2]) -> PyResult<Option<T>> {
    let Some(given) = given else { return Ok(None) };
    match known.iter().find(|(word, _)| *word == given) {
        Some((_, value)) => Ok(Some(*value)),
        None => {
            let [(first, _), (second, _)] = known;
            Err(PyValueError::new_err(format!("`{name}` is {given:?}, but it must be one of: {first}, {second}.")))
        }
    }
}

/// Reads tokens from the bytes of a text or file; returns them with a note about how they were read.
#[pyfunction]
pub(crate) fn read_tokens<'py>(
    py: Python<'py>,
    file: Option<String>,
    bytes: Vec<u8>,
    header: Option<&str>,
    index: Option<&str>,
    decimal: Option<&str>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, String)> {
    let answers = TableAnswers {
        header: answer("header", header, [("first-row", FirstRow::Header), ("none", FirstRow::Numbers)])?,
        index: answer("index", index, [("first-column", FirstColumn::Index), ("none", FirstColumn::Numbers)])?,
        decimal: answer("decimal", decimal, [("comma", NumberComma::Decimal), ("point", NumberComma::Thousands)])?,
    };
    let source = TableSource { file, bytes, answers };
    let reading =
        py.detach(|| source.read(Table::Tokens)).map_err(|problem| match arguments_that_answer(&problem) {
            Some(arguments) => PyValueError::new_err(format!("{problem} {arguments}")),
            None => value_error(&problem),
        })?;
    let line = reading.line(Table::Tokens).to_string();
    let (n, d) = (reading.rows.n_rows(), reading.rows.n_columns());
    let array = PyArray1::from_slice(py, reading.rows.entries()).reshape([n, d])?;
    Ok((array, line))
}

/// The arguments that answer the question in an error; `None` for an error without a question.
fn arguments_that_answer(problem: &InputError) -> Option<&'static str> {
    match problem {
        InputError::TwoReadings { question, .. } => Some(match question {
            TableQuestion::Header => "Give header=\"first-row\" to drop it, or header=\"none\" to keep it.",
            TableQuestion::Index => "Give index=\"first-column\" to drop it, or index=\"none\" to keep it.",
            TableQuestion::Decimal => "Give decimal=\"comma\", or decimal=\"point\" where it stands between thousands.",
            TableQuestion::Columns => "Give decimal=\"comma\", or decimal=\"point\" where it separates columns.",
            TableQuestion::Point => "Give decimal=\"comma\" where it stands between thousands, or decimal=\"point\".",
        }),
        _ => None,
    }
}
