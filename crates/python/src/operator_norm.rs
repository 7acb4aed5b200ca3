//! The spectral norm of any linear map that Python gives as two functions.

use lipscope_core::jacobian::LinearOperator;
use lipscope_core::spectral::{Assurance, Failure, Lanczos, LanczosOptions, Status};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::experiment::entries_of;

/// Value, relative residual, iterations, right and left singular vector, and the upper number where one was asked for.
type Norm<'py> = (f64, f64, usize, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Option<f64>);

/// The spectral norm of the map with `n_inputs` inputs and `n_outputs` outputs, whose products with a vector the
/// functions `apply` and `apply_transpose` compute; with a probability of failure also the upper number. Checks for
/// signals after every step of the iteration.
#[pyfunction]
pub(crate) fn operator_norm<'py>(
    py: Python<'py>,
    sizes: (usize, usize),
    apply: Bound<'py, PyAny>,
    apply_transpose: Bound<'py, PyAny>,
    options: (f64, usize, u64),
    failure: Option<f64>,
) -> PyResult<Norm<'py>> {
    let ((n_inputs, n_outputs), (tolerance, max_iterations, seed)) = (sizes, options);
    const MOST: f64 = LanczosOptions::MOST_TOLERANCE;
    if !(1e-15..=MOST).contains(&tolerance) {
        let sentence = format!(
            "`tolerance` is {tolerance}, but it must lie between 1e-15 and {MOST}: with a looser one the iteration may stop far \
             below the norm."
        );
        return Err(PyValueError::new_err(sentence));
    }
    let assurance = match failure {
        None => None,
        Some(failure) => Some(Assurance {
            failure: Failure::new(failure).ok_or_else(|| {
                PyValueError::new_err(format!("`failure` is {failure}, but it must be above 0 and at most 0.5."))
            })?,
            ..Assurance::default()
        }),
    };
    if n_inputs == 0 || n_outputs == 0 {
        return Err(PyValueError::new_err("The map has no inputs or no outputs. Give at least one of each."));
    }
    let mut map = Map { n_inputs, n_outputs, apply, apply_transpose, failure: None };
    let options = LanczosOptions { tolerance, max_iterations, seed, ..LanczosOptions::default() };
    let mut lanczos = Lanczos::new(n_inputs, options).assured(assurance);
    loop {
        let status = lanczos.step(&mut map);
        map.checked(py)?;
        if status == Status::Done {
            break;
        }
    }
    let triplet = lanczos.finish(&mut map);
    map.checked(py)?;
    if !(triplet.value.is_finite() && triplet.relative_residual.is_finite()) {
        return Err(PyValueError::new_err("The products of the map overflow 64-bit numbers. Make its inputs smaller."));
    }
    loop {
        let status = lanczos.assure(&mut map);
        map.checked(py)?;
        if status == Status::Done {
            break;
        }
    }
    let upper = assurance.and_then(|assurance| lanczos.upper(assurance.failure));
    let upper = upper.map(|upper| upper.at_least(triplet.value).value);
    let (right, left) = (PyArray1::from_vec(py, triplet.right), PyArray1::from_vec(py, triplet.left));
    Ok((triplet.value, triplet.relative_residual, triplet.iterations, right, left, upper))
}

/// Two Python functions as a linear map. A product cannot return an error, so the first failure is stored.
struct Map<'py> {
    n_inputs: usize,
    n_outputs: usize,
    apply: Bound<'py, PyAny>,
    apply_transpose: Bound<'py, PyAny>,
    failure: Option<PyErr>,
}

impl<'py> Map<'py> {
    /// Raises the exception of a product, or a signal.
    fn checked(&mut self, py: Python<'py>) -> PyResult<()> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => py.check_signals(),
        }
    }

    fn call(&mut self, function: &Bound<'py, PyAny>, name: &str, vector: &[f64], out: &mut [f64]) {
        if let Err(failure) = product(function, name, vector, out) {
            out.fill(0.0);
            self.failure.get_or_insert(failure);
        }
    }
}

fn product<'py>(function: &Bound<'py, PyAny>, name: &str, vector: &[f64], out: &mut [f64]) -> PyResult<()> {
    let given = PyArray1::from_slice(function.py(), vector);
    let found = function.call1((given,))?;
    let found: PyReadonlyArray1<'py, f64> = found
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("`{name}` must return an array of float64 with one axis.")))?;
    let found = entries_of(name, found.as_slice().ok())?;
    if found.len() != out.len() {
        let (found, expected) = (found.len(), out.len());
        return Err(PyValueError::new_err(format!(
            "`{name}` returned {found} numbers, but it must return {expected}."
        )));
    }
    if let Some(at) = found.iter().position(|entry| entry.is_nan()) {
        return Err(PyValueError::new_err(format!(
            "Entry {} of what `{name}` returned is NaN: the map has no norm.",
            at + 1
        )));
    }
    if let Some(at) = found.iter().position(|entry| entry.is_infinite()) {
        return Err(PyValueError::new_err(format!(
            "Entry {} of what `{name}` returned is infinite. The products overflow: make the map's inputs smaller.",
            at + 1
        )));
    }
    out.copy_from_slice(found);
    Ok(())
}

impl LinearOperator<f64> for Map<'_> {
    fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    fn apply(&mut self, v: &[f64], out: &mut [f64]) {
        let function = self.apply.clone();
        self.call(&function, "matvec", v, out);
    }

    fn apply_transpose(&mut self, u: &[f64], out: &mut [f64]) {
        let function = self.apply_transpose.clone();
        self.call(&function, "rmatvec", u, out);
    }
}
