//! The singular values of the Jacobian, as in `lipscope spectrum`.

use lipscope_core::experiment::InputError;
use lipscope_core::spectrum::{SpectrumMap, SpectrumPlan};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::experiment::PyExperiment;
use crate::task::{interruptible, memory, run};

/// The singular values. Returns a JSON object: `spectrum` as `lipscope spectrum --format json` writes it, `converged`
/// for each value, `rank` and `gap`.
#[pyfunction]
pub(crate) fn spectrum(
    py: Python<'_>,
    experiment: &PyExperiment,
    count: usize,
    map: &str,
    memory_bytes: Option<u64>,
) -> PyResult<String> {
    let plan = SpectrumPlan { experiment: (*experiment.0).clone(), count, map: map_of(map)? };
    let value = interruptible(py, move |stop| {
        let mut found = None;
        run(EnginePlan::Spectrum(plan), memory(memory_bytes), stop, |event| {
            if let EngineEvent::Spectrum(spectrum) = event {
                found = Some(spectrum);
            }
        })?;
        let Some(found) = found else { return Ok(Value::Null) };
        let converged: Vec<bool> = found.levels.iter().map(|level| level.is_converged()).collect();
        let (rank, gap) = (found.rank(), found.gap());
        Ok::<_, InputError>(json!({"spectrum": found, "converged": converged, "rank": rank, "gap": gap}))
    })?;
    Ok(value.to_string())
}

/// A map by its name.
fn map_of(name: &str) -> PyResult<SpectrumMap> {
    SpectrumMap::by_id(name).ok_or_else(|| {
        let names: Vec<&str> = SpectrumMap::ALL.iter().map(|(id, _)| *id).collect();
        PyValueError::new_err(format!("`map` is {name:?}, but it must be one of: {}.", names.join(", ")))
    })
}
