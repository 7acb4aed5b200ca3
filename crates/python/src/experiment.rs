//! An experiment as a Python object.

use std::sync::Arc;

use lipscope_core::cost::shape_of;
use lipscope_core::experiment::{
    Experiment, Head, InputError, Mask, Rows, Score, SecondMap, Steps, TokenSource, WeightSource, json_problem, limits,
};
use lipscope_core::weights::inputs;
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::task::{interruptible, value_error};

/// The second Q of each head, the second K of each head of keys, and lambda of each head, as read from Python.
type SecondArrays<'py> = (Vec<PyReadonlyArray2<'py, f64>>, Vec<PyReadonlyArray2<'py, f64>>, Vec<f64>);
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
    /// From an experiment file. `forbidden` (n x n) says which pairs of tokens its mask forbids too.
    #[staticmethod]
    #[pyo3(signature = (text, forbidden=None))]
    fn from_json(py: Python<'_>, text: &str, forbidden: Option<PyReadonlyArray2<'_, bool>>) -> PyResult<Self> {
        let forbidden = forbidden.as_ref().map(Forbidden::new);
        let read = py.detach(|| masked(Experiment::from_json(text)?, forbidden.as_ref()));
        read.map(PyExperiment::of).map_err(|problem| value_error(&problem))
    }

    /// From arrays: tokens n x d, for each head Q k x d, for each head of keys and values K k x d and V d_v x d, the
    /// output matrix d_out x (sum of d_v). Consecutive heads share K and V where there are fewer of them. `second` has
    /// the second Q of each head, the second K of each head of keys, and lambda of each head. The other keys of an
    /// experiment file are in `options`: the text of a JSON object, and which pairs of tokens (n x n) the mask forbids too.
    #[staticmethod]
    fn from_arrays(
        tokens: PyReadonlyArray2<'_, f64>,
        queries: Vec<PyReadonlyArray2<'_, f64>>,
        keys_and_values: (Vec<PyReadonlyArray2<'_, f64>>, Vec<PyReadonlyArray2<'_, f64>>),
        second: Option<SecondArrays<'_>>,
        output: Option<PyReadonlyArray2<'_, f64>>,
        options: (String, Option<PyReadonlyArray2<'_, bool>>),
    ) -> PyResult<Self> {
        let list = |name: &str, arrays: &[PyReadonlyArray2<'_, f64>]| {
            let one_head = arrays.len() == 1;
            let name = |at: usize| if one_head { name.to_owned() } else { format!("{name}[{at}]") };
            arrays.iter().enumerate().map(|(at, array)| rows_of(&name(at), array)).collect::<PyResult<Vec<Rows>>>()
        };
        let (keys, values) = keys_and_values;
        let (q, k, v) = (list("q", &queries)?, list("k", &keys)?, list("v", &values)?);
        let second = match &second {
            Some((q2, k2, lambdas)) => Some((list("q2", q2)?, list("k2", k2)?, lambdas)),
            None => None,
        };
        let too_few = |name: &str| PyValueError::new_err(format!("`{name}` has too few heads."));
        let of_group = |rows: &[Rows], group: usize, name: &str| rows.get(group).cloned().ok_or_else(|| too_few(name));
        let (n_heads, n_groups) = (q.len(), k.len().max(1));
        let mut heads = Vec::with_capacity(n_heads);
        let mut shared = Vec::new();
        for (at, q) in q.into_iter().enumerate() {
            let group = at * n_groups / n_heads;
            let second = match &second {
                Some((q2, k2, lambdas)) => Some(SecondMap {
                    q: of_group(q2, at, "q2")?,
                    k: of_group(k2, group, "k2")?,
                    lambda: lambdas.get(at).copied().ok_or_else(|| too_few("lam"))?,
                }),
                None => None,
            };
            heads.push(Head { q, k: of_group(&k, group, "k")?, v: of_group(&v, group, "v")?, second });
            shared.push(group);
        }
        if n_groups == n_heads {
            shared.clear();
        }
        let output = output.map(|output| rows_of("output", &output)).transpose()?;
        let tokens = rows_of("tokens", &tokens)?;
        let weights = WeightSource::listed(heads, shared, output).map_err(|problem| value_error(&problem))?;
        let (options, forbidden) = options;
        let forbidden = forbidden.as_ref().map(Forbidden::new);
        options_and(&options, tokens, weights)
            .and_then(|experiment| masked(experiment, forbidden.as_ref()))
            .map(PyExperiment::of)
            .map_err(|problem| value_error(&problem))
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
        if inputs.weights.heads.iter().any(|head| head.second.is_some()) {
            return Err(PyValueError::new_err(
                "Differential attention has second matrices too: read them from `to_dict`.",
            ));
        }
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
fn options_and(options: &str, tokens: Rows, weights: WeightSource) -> Result<Experiment, InputError> {
    let mut file: Map<String, Value> =
        serde_json::from_str(options).map_err(|problem| InputError::Json { detail: json_problem(&problem) })?;
    // The steps may have a row for each token, so that they do not fit the placeholders below.
    let is_step = |key: &str| ["mask", "score", "weighting"].contains(&key);
    let steps: Map<String, Value> = file.iter().filter(|(key, _)| is_step(key)).map(owned).collect();
    file.retain(|key, _| !is_step(key));
    // Placeholders: the file reader needs tokens and weights, and checks everything else about the experiment.
    file.insert("tokens".into(), json!({"source": "explicit", "rows": [[0]]}));
    file.insert("weights".into(), json!({"source": "identity"}));
    let read = Experiment::from_value(Value::Object(file))?;
    let steps = Steps::from_json(&Value::Object(steps).to_string())?;
    limits::check_tokens(tokens.n_rows(), tokens.n_columns())?;
    let experiment =
        Experiment { tokens: TokenSource::Explicit(tokens), weights: Some(weights), ..read.with_steps(steps) };
    experiment.check()?;
    Ok(experiment)
}

/// Pairs of tokens that are forbidden beside those of a mask: a bias of minus infinity.
struct Forbidden {
    n_rows: usize,
    n_columns: usize,
    /// Whether token i may not attend to token j, row by row.
    entries: Vec<bool>,
}

impl Forbidden {
    fn new(array: &PyReadonlyArray2<'_, bool>) -> Self {
        let (n_rows, n_columns) = (array.shape()[0], array.shape()[1]);
        Forbidden { n_rows, n_columns, entries: array.as_array().iter().copied().collect() }
    }

    fn forbids(&self, i: usize, j: usize) -> bool {
        self.entries.get(i * self.n_columns + j).copied().unwrap_or(false)
    }
}

/// The experiment whose mask also forbids some pairs; the shortest mask that does. A bias of zeros is left out.
///
/// # Errors
/// As for [`Experiment::check`].
fn masked(experiment: Experiment, forbidden: Option<&Forbidden>) -> Result<Experiment, InputError> {
    let Some(forbidden) = forbidden else { return Ok(experiment) };
    let n = forbidden.n_rows;
    let allows = |i: usize, j: usize| experiment.mask.allows(i, j) && !forbidden.forbids(i, j);
    let is_mask = |mask: &Mask| (0..n).all(|i| (0..n).all(|j| allows(i, j) == mask.allows(i, j)));
    let mask = if is_mask(&experiment.mask) {
        experiment.mask
    } else if is_mask(&Mask::Causal) {
        Mask::Causal
    } else {
        let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| f64::from(u8::from(allows(i, j))));
        Mask::Allowed(Rows::new("`score.bias`", n, entries.collect())?)
    };
    // The rows of the bias are those of the tokens: that was checked where it was read.
    let bias = experiment.score.bias.filter(|bias| bias.entries().iter().any(|entry| *entry != 0.0));
    let score = Score { bias, ..experiment.score };
    let experiment = Experiment { mask, score, ..experiment };
    experiment.check()?;
    Ok(experiment)
}

fn owned((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

/// A matrix as a new C-contiguous array.
fn new_array<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    // Columns of the transposed matrix are the rows of the array.
    let entries: Vec<f64> = matrix.transpose().data.into();
    PyArray1::from_vec(py, entries).reshape([matrix.nrows(), matrix.ncols()])
}
