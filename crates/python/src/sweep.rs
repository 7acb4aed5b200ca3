//! A sweep on all cores, as `lipscope sweep` makes it.

use std::sync::Arc;

use lipscope_core::experiment::InputError;
use lipscope_core::fit::fit_power_law;
use lipscope_core::measure::MeasureOptions;
use lipscope_core::sweep::{SweepPlan, SweepPoint, parse_lengths};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::experiment::PyExperiment;
use crate::measure::{norm_of, steps};
use crate::task::{interruptible, memory, value_error};

/// The lengths of a sweep.
#[derive(Debug, FromPyObject)]
pub(crate) enum Lengths {
    /// As on the command line: `2,4,8`, `2:98:2` or `2:512:x16`.
    Text(String),
    /// A list.
    List(Vec<usize>),
}

/// Measures a norm over lengths and draws. Returns a JSON object: `rows` and `fit` in the documented form, and
/// `left_out`, the lengths that are impossible.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    experiment: &PyExperiment,
    lengths: Lengths,
    draws: usize,
    norm: &str,
    threads: usize,
    memory_bytes: Option<u64>,
) -> PyResult<String> {
    let norm = norm_of(norm)?;
    let lengths = match lengths {
        Lengths::Text(text) => parse_lengths(&text).map_err(|problem| value_error(&problem))?,
        Lengths::List(list) => list,
    };
    let experiment = Arc::clone(&experiment.0);
    let options = MeasureOptions { memory: memory(memory_bytes), ..MeasureOptions::for_norm(norm) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("No threads can be started: {error}.")))?;
    let value = interruptible(py, move |stop| {
        let plan = SweepPlan::new(&experiment, &lengths, draws)?;
        plan.check(&options)?;
        let point = |point_idx: usize| -> Result<Option<SweepPoint>, InputError> {
            let measured = steps(&plan.experiment_at(point_idx)?, options, stop)?;
            Ok(measured.map(|measurement| plan.point(point_idx, &measurement)))
        };
        let points: Vec<SweepPoint> = pool
            .install(|| (0..plan.n_points()).into_par_iter().map(point).collect::<Result<Vec<_>, _>>())?
            .into_iter()
            .flatten()
            .collect();
        let pairs: Vec<(f64, f64)> = points.iter().filter_map(|p| Some((p.n as f64, p.norm(norm)?))).collect();
        let fit = fit_power_law(&pairs).map(|fit| fit.to_value());
        let list: Vec<Value> = points.iter().map(|point| point.to_value(norm)).collect();
        Ok(json!({"rows": list, "fit": fit, "left_out": plan.left_out()}))
    })?;
    Ok(value.to_string())
}
