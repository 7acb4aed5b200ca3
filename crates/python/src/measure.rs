//! One measurement, as `lipscope measure` makes it, and the singular values, as in `lipscope spectrum`.

use std::collections::BTreeMap;
use std::sync::Arc;

use lipscope_core::bounds::{ALL, BoundId, Domain, Norm};
use lipscope_core::experiment::{Experiment, InputError};
use lipscope_core::measure::{BlockNorms, MeasureOptions, Measurement, Measuring, Step, UpperNumber};
use lipscope_core::spectral::LanczosOptions;
use lipscope_core::spectrum::{SpectrumMap, SpectrumPlan};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::experiment::PyExperiment;
use crate::task::{Stop, interruptible, memory, run};

/// The largest dense Jacobian formed for a requested norm: 16384 square takes 2 GiB.
const MOST_DENSE: usize = 16_384;

/// Measures an experiment. Returns a JSON object: `measurement` in the documented form, `absent` with the reasons for
/// the bounds without a value, `max_token`, and the limits `mean_field_limit` and `large_radius_limit`.
#[pyfunction]
pub(crate) fn measure(
    py: Python<'_>,
    experiment: &PyExperiment,
    norm: &str,
    tolerance: f64,
    memory_bytes: Option<u64>,
) -> PyResult<String> {
    let asked = norm_of(norm)?;
    const MOST: f64 = LanczosOptions::MOST_TOLERANCE;
    if !(1e-15..=MOST).contains(&tolerance) {
        let sentence = format!(
            "`tolerance` is {tolerance}, but it must lie between 1e-15 and {MOST}: with a looser one the iteration may stop far \
             below the norm."
        );
        return Err(PyValueError::new_err(sentence));
    }
    let mut options = MeasureOptions {
        lanczos: LanczosOptions { tolerance, ..LanczosOptions::default() },
        block_norms: BlockNorms::for_norm(asked),
        upper: UpperNumber::Included,
        memory: memory(memory_bytes),
        ..MeasureOptions::default()
    };
    if asked != Norm::Spectral {
        options.dense_limit = MOST_DENSE;
    }
    let experiment = Arc::clone(&experiment.0);
    let found = interruptible(py, move |stop| steps(&experiment, options, stop))?;
    Ok(found.as_ref().map_or_else(|| "null".to_owned(), |found| to_value(found).to_string()))
}

/// A measurement in steps; `None` if it was stopped.
pub(crate) fn steps(
    experiment: &Experiment,
    options: MeasureOptions,
    stop: &Stop,
) -> Result<Option<Measurement>, InputError> {
    let mut measuring = Measuring::start(experiment, options)?;
    while !stop.is_asked() {
        if let Step::Done(measurement) = measuring.step()? {
            return Ok(Some(*measurement));
        }
    }
    Ok(None)
}

/// A norm by its name in files.
///
/// # Errors
/// `ValueError` with the names.
pub(crate) fn norm_of(name: &str) -> PyResult<Norm> {
    Norm::ALL.into_iter().find(|norm| norm.id() == name).ok_or_else(|| {
        let names: Vec<&str> = Norm::ALL.into_iter().map(Norm::id).collect();
        PyValueError::new_err(format!("`norm` is {name:?}, but it must be one of: {}.", names.join(", ")))
    })
}

/// The static data of every bound, upper ones first: a JSON list of objects with id, side, norm, domain and formula.
#[pyfunction]
pub(crate) fn catalogue() -> String {
    let entry = |id: BoundId| {
        let domain = match id.domain() {
            Domain::Tokens => "tokens",
            Domain::Ball => "ball",
            Domain::OtherWeights => "other weights",
        };
        let (side, norm) = (id.side().id(), id.norm().id());
        json!({"id": id.id(), "side": side, "norm": norm, "domain": domain, "formula": id.formula()})
    };
    Value::Array(ALL.into_iter().map(entry).collect()).to_string()
}

/// The singular values. Returns a JSON object: `spectrum` as `lipscope spectrum --json` writes it, `converged`
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

fn to_value(found: &Measurement) -> Value {
    let mut absent: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (id, absence) in &found.absent {
        absent.entry(id.id()).or_default().push(absence.phrase().to_string());
    }
    let absent: Map<String, Value> =
        absent.into_iter().map(|(id, reasons)| (id.to_owned(), Value::String(reasons.join("; ")))).collect();
    json!({
        "measurement": found.to_value(), "absent": absent, "max_token": found.norm(Norm::MaxToken),
        "mean_field_limit": found.mean_field_limit, "large_radius_limit": found.large_radius_limit,
    })
}

/// A map by its name.
fn map_of(name: &str) -> PyResult<SpectrumMap> {
    SpectrumMap::by_id(name).ok_or_else(|| {
        let names: Vec<&str> = SpectrumMap::ALL.iter().map(|(id, _)| *id).collect();
        PyValueError::new_err(format!("`map` is {name:?}, but it must be one of: {}.", names.join(", ")))
    })
}
