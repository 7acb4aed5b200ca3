//! An experiment as a Python object.

use std::sync::Arc;

use lipscope_core::cost::shape_of;
use lipscope_core::experiment::{Experiment, Head, InputError, Rows, TokenSource, WeightSource, limits};
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::task::{interruptible, value_error};

/// Q, K and V of a head, as read from Python.
type HeadArrays<'py> = (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>);
/// Q, K and V of a head, as returned to Python.
type NewHead<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);
/// Tokens, heads and output matrix.
type NewArrays<'py> = (Bound<'py, PyArray2<f64>>, Vec<NewHead<'py>>, Option<Bound<'py, PyArray2<f64>>>);

/// One measurement: tokens, weights and the kind of attention. Runs share its arrays instead of copying them.
#[pyclass(frozen, name = "Experiment", module = "lipscope._lipscope")]
#[derive(Debug)]
pub(crate) struct PyExperiment(pub(crate) Arc<Experiment>);

#[pymethods]
impl PyExperiment {
    /// From an experiment file.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let read = py.detach(|| Experiment::from_json(text));
        read.map(PyExperiment::of).map_err(|problem| value_error(&problem))
    }

    /// From arrays: tokens n x d, for each head Q and K k x d and V d_v x d, the output matrix d_out x (sum of d_v).
    /// The other keys of an experiment file are in `options`, a JSON object.
    #[staticmethod]
    fn from_arrays(
        tokens: PyReadonlyArray2<'_, f64>,
        heads: Vec<HeadArrays<'_>>,
        output: Option<PyReadonlyArray2<'_, f64>>,
        options: &str,
    ) -> PyResult<Self> {
        let one_head = heads.len() == 1;
        let name = |matrix: &str, at: usize| if one_head { matrix.to_owned() } else { format!("{matrix}[{at}]") };
        let heads = heads.iter().enumerate().map(|(at, (q, k, v))| {
            let [q, k, v] = [("q", q), ("k", k), ("v", v)].map(|(matrix, array)| rows_of(&name(matrix, at), array));
            Ok(Head { q: q?, k: k?, v: v?, second: None })
        });
        let heads = heads.collect::<PyResult<Vec<Head>>>()?;
        let output = output.map(|output| rows_of("output", &output)).transpose()?;
        let tokens = rows_of("tokens", &tokens)?;
        options_and(options, tokens, heads, output).map(PyExperiment::of).map_err(|problem| value_error(&problem))
    }

    /// The experiment file on one line.
    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_json())
    }

    /// The number of tokens; for clusters it may be larger than every integer type.
    #[getter]
    fn n(&self) -> f64 {
        self.0.tokens.n_tokens()
    }

    /// The dimension of a token.
    #[getter]
    fn d(&self) -> u64 {
        shape_of(&self.0).d
    }

    /// The sources of tokens and weights, and the kinds of attention, mask and normaliser, by their names in files.
    fn kinds(&self) -> [&'static str; 5] {
        let tokens = match &self.0.tokens {
            TokenSource::Explicit(_) => "explicit",
            TokenSource::Random(_) => "random",
            TokenSource::Adversarial { .. } => "adversarial",
            TokenSource::Skew { .. } => "skew",
            TokenSource::Clusters { .. } => "clusters",
        };
        let weights = match &self.0.weights {
            Some(WeightSource::Explicit { .. }) => "explicit",
            Some(WeightSource::Random(_)) => "random",
            Some(WeightSource::Identity { .. }) => "identity",
            Some(WeightSource::Kim { .. }) => "kim",
            // Only the skew witness has default weights.
            None => "skew",
        };
        [tokens, weights, self.0.attention.id(), self.0.mask.id(), self.0.normalization.id()]
    }

    /// Tokens n x d, Q, K and V of each head, and the output matrix if there is one. Where the experiment draws them,
    /// they are drawn. For clusters the tokens are the positions.
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<NewArrays<'py>> {
        let experiment = Arc::clone(&self.0);
        let inputs = interruptible(py, move |_| inputs(&experiment))?;
        let heads = inputs
            .weights
            .heads
            .iter()
            .map(|head| Ok((new_array(py, &head.q)?, new_array(py, &head.k)?, new_array(py, &head.v)?)));
        let heads = heads.collect::<PyResult<Vec<NewHead<'py>>>>()?;
        let output = inputs.weights.output.as_ref().map(|output| new_array(py, output)).transpose()?;
        Ok((new_array(py, &inputs.tokens.transpose())?, heads, output))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl PyExperiment {
    /// Wraps an experiment of the engine.
    pub(crate) fn of(experiment: Experiment) -> Self {
        PyExperiment(Arc::new(experiment))
    }
}

/// Refuses a token matrix that is too large, before it is converted.
#[pyfunction]
pub(crate) fn check_token_sizes(n: usize, d: usize) -> PyResult<()> {
    limits::check_tokens(n, d).map_err(|problem| value_error(&problem))
}

/// Refuses weights of too many entries, before they are converted.
#[pyfunction]
pub(crate) fn check_weight_sizes(entries: u64) -> PyResult<()> {
    limits::check_weights(entries).map_err(|problem| value_error(&problem))
}

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

/// Reads an experiment file that has no tokens and weights, and adds the given tokens and weights.
fn options_and(options: &str, tokens: Rows, heads: Vec<Head>, output: Option<Rows>) -> Result<Experiment, InputError> {
    let mut file: Map<String, Value> = serde_json::from_str(options).unwrap_or_default();
    // Placeholders: the file reader needs tokens and weights, and checks everything else about the experiment.
    file.insert("tokens".into(), json!({"source": "explicit", "rows": [[0]]}));
    file.insert("weights".into(), json!({"source": "identity"}));
    let read = Experiment::from_value(Value::Object(file))?;
    limits::check_tokens(tokens.n_rows(), tokens.n_columns())?;
    let weights = Some(WeightSource::listed(heads, output)?);
    Ok(Experiment { tokens: TokenSource::Explicit(tokens), weights, ..read })
}

/// A matrix as a new C-contiguous array.
fn new_array<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    // Columns of the transposed matrix are the rows of the array.
    let entries: Vec<f64> = matrix.transpose().data.into();
    PyArray1::from_vec(py, entries).reshape([matrix.nrows(), matrix.ncols()])
}
