//! Converts Python arrays to the engine's matrices.

use lipscope_core::experiment::Rows;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::task::value_error;

/// A matrix from a C-contiguous array, copied once; `name` names it in errors.
///
/// # Errors
/// `ValueError` for an empty array or an entry that is not finite, `TypeError` for an array that is not C-contiguous.
pub(crate) fn rows_of(name: &str, array: &PyReadonlyArray2<'_, f64>) -> PyResult<Rows> {
    let entries = entries_of(name, array.as_slice().ok().filter(|_| array.is_c_contiguous()))?;
    Rows::new(format!("`{name}`"), array.shape()[1], entries.to_vec()).map_err(|problem| value_error(&problem))
}

/// The entries of an array that must be C-contiguous.
///
/// # Errors
/// `TypeError` where it is not C-contiguous.
pub(crate) fn entries_of<'a>(name: &str, slice: Option<&'a [f64]>) -> PyResult<&'a [f64]> {
    slice.ok_or_else(|| PyTypeError::new_err(format!("`{name}` must be a C-contiguous array of float64.")))
}
