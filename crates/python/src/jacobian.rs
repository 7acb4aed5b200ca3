//! The Jacobian as an array, and as products with vectors.

use std::sync::{Arc, Mutex};

use lipscope_core::attention::Forward;
use lipscope_core::experiment::{Experiment, InputError, Memory, TokenSource};
use lipscope_core::jacobian::{JacobianOperator, LinearOperator};
use lipscope_core::measure::{self, Detail, Grouping, MeasureOptions};
use lipscope_core::weights::inputs;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::experiment::{PyExperiment, entries_of};
use crate::task::{interruptible, memory};

/// The dense Jacobian: its entries column by column, and its numbers of rows and columns.
#[pyfunction]
pub(crate) fn dense_jacobian<'py>(
    py: Python<'py>,
    experiment: &PyExperiment,
    memory_bytes: Option<u64>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, usize, usize)> {
    let experiment = listed(experiment)?;
    let limit = memory(memory_bytes);
    let jacobian = interruptible(py, move |_| {
        let forward = forward(&experiment, limit, usize::MAX)?;
        Ok(lipscope_core::jacobian::dense_jacobian(&forward))
    })?;
    let (n_rows, n_columns) = jacobian.shape();
    let entries: Vec<f64> = jacobian.data.into();
    Ok((PyArray1::from_vec(py, entries), n_rows, n_columns))
}

/// Products with the Jacobian, which is never formed.
#[pyclass(frozen, name = "Jacobian", module = "lipscope._lipscope")]
#[derive(Debug)]
pub(crate) struct PyJacobian {
    operator: Mutex<JacobianOperator<f64>>,
    shape: (usize, usize),
}

#[pymethods]
impl PyJacobian {
    #[new]
    #[pyo3(signature = (experiment, memory_bytes=None))]
    fn new(py: Python<'_>, experiment: &PyExperiment, memory_bytes: Option<u64>) -> PyResult<Self> {
        let experiment = listed(experiment)?;
        let limit = memory(memory_bytes);
        let operator = interruptible(py, move |_| forward(&experiment, limit, 0).map(JacobianOperator::new))?;
        let shape = (operator.n_outputs(), operator.n_inputs());
        Ok(PyJacobian { operator: Mutex::new(operator), shape })
    }

    /// (n d_out, n d).
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// J v.
    fn matvec<'py>(&self, py: Python<'py>, v: PyReadonlyArray1<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (n_outputs, n_inputs) = self.shape;
        self.product(py, "v", &v, (n_inputs, n_outputs), |operator, v, out| operator.apply(v, out))
    }

    /// J^T u.
    fn rmatvec<'py>(&self, py: Python<'py>, u: PyReadonlyArray1<'py, f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.product(py, "u", &u, self.shape, |operator, u, out| operator.apply_transpose(u, out))
    }
}

impl PyJacobian {
    fn product<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        vector: &PyReadonlyArray1<'py, f64>,
        (n_from, n_to): (usize, usize),
        multiply: impl Fn(&mut JacobianOperator<f64>, &[f64], &mut [f64]) + Send + Sync,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let vector = entries_of(name, vector.as_slice().ok())?;
        if vector.len() != n_from {
            let found = vector.len();
            return Err(PyValueError::new_err(format!("`{name}` has {found} numbers, but it must have {n_from}.")));
        }
        let mut out = vec![0.0; n_to];
        py.detach(|| {
            let mut operator =
                self.operator.lock().map_err(|_| PyRuntimeError::new_err("An earlier product failed."))?;
            multiply(&mut operator, vector, &mut out);
            PyResult::Ok(())
        })?;
        Ok(PyArray1::from_vec(py, out))
    }
}

/// Returns the experiment; an error if its tokens are clusters.
fn listed(experiment: &PyExperiment) -> PyResult<Arc<Experiment>> {
    match &experiment.0.tokens {
        TokenSource::Clusters { .. } => Err(PyValueError::new_err(
            "Clusters stand for more tokens than a Jacobian could have rows. List the tokens, or ask for the spectrum.",
        )),
        _ => Ok(Arc::clone(&experiment.0)),
    }
}

/// The forward pass, after a check that memory suffices for it and, where the Jacobian has at most `dense_limit` rows
/// and columns, also for the dense Jacobian.
fn forward(experiment: &Experiment, memory: Memory, dense_limit: usize) -> Result<Forward<f64>, InputError> {
    let options = MeasureOptions {
        svd_limit: 0,
        dense_limit,
        grouping: Grouping::Never,
        detail: Detail::NormOnly,
        memory,
        ..MeasureOptions::default()
    };
    measure::check(experiment, &options)?;
    Forward::new(experiment, &inputs(experiment)?)
}
