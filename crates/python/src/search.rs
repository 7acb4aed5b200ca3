//! The worst-case search, as `lipscope search` makes it.

use lipscope_core::bounds::Bound;
use lipscope_core::experiment::{Experiment, TokenSource};
use lipscope_core::search::{Region, SearchCheckpoint, SearchDomain, SearchPlan, SearchStep};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, SearchEvent, SearchRequest};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::experiment::PyExperiment;
use crate::task::{interruptible, memory, run};

/// Searches a ball or sphere for tokens with a large norm. Returns the JSON object that `lipscope search --json`
/// writes, and the experiment at the best tokens.
#[pyfunction]
pub(crate) fn search(
    py: Python<'_>,
    experiment: &PyExperiment,
    effort: (usize, usize, u64),
    region: &str,
    dim: Option<usize>,
    memory_bytes: Option<u64>,
) -> PyResult<(String, PyExperiment)> {
    let region = [Region::Ball, Region::Sphere].into_iter().find(|known| known.id() == region).ok_or_else(|| {
        PyValueError::new_err(format!("`region` is {region:?}, but it must be one of: ball, sphere."))
    })?;
    let (restarts, iterations, seed) = effort;
    let plan = SearchPlan { experiment: (*experiment.0).clone(), region, dim, restarts, iterations, seed };
    let found = interruptible(py, move |stop| {
        let (mut domain, mut found, mut steps) = (None, None, Vec::new());
        let request = SearchRequest { plan, checkpoint: None, starts: None };
        run(EnginePlan::Search(request), memory(memory_bytes), stop, |event| match event {
            EngineEvent::Search(SearchEvent::Domain(at)) => domain = at.open(),
            EngineEvent::Search(SearchEvent::Steps { steps: more, checkpoint, .. }) => {
                steps.extend(more);
                found = Some(checkpoint);
            }
            _ => {}
        })?;
        Ok(domain.zip(found).map(|(domain, found)| outcome(&domain, &found, &steps)))
    })?;
    found.ok_or_else(|| PyValueError::new_err("The search made no step. Allow more restarts or iterations."))
}

fn outcome(domain: &SearchDomain, found: &SearchCheckpoint, steps: &[SearchStep]) -> (String, PyExperiment) {
    let best = Experiment { tokens: TokenSource::Explicit(found.best_tokens().clone()), ..domain.experiment.clone() };
    let bound = |bound: &Bound| json!({"id": bound.id.id(), "side": bound.side.id(), "norm": bound.norm.id(), "value": bound.value});
    let step = |step: &SearchStep| {
        json!({
            "at": step.at, "restart": step.restart, "start": step.start.id(), "iteration": step.iteration,
            "norm": step.norm, "best": step.best, "relative_residual": step.relative_residual,
        })
    };
    let bounds: Vec<Value> = domain.bounds.iter().map(bound).collect();
    let steps: Vec<Value> = steps.iter().map(step).collect();
    let value = json!({
        "lower_bound_found": found.best_norm(), "n": domain.n, "d": domain.d, "radius": domain.radius,
        "on": domain.region.id(), "bounds": bounds, "rows": steps, "experiment": best.to_value(),
    });
    (value.to_string(), PyExperiment::of(best))
}
