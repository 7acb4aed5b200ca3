//! Bounds over n, as in `lipscope bounds` and `lipscope growth`, and around tokens, as in `lipscope certify`.

use std::sync::Arc;

use lipscope_core::bounds::Bound;
use lipscope_core::certify::{CertifiedRow, CertifyPlan};
use lipscope_core::experiment::InputError;
use lipscope_core::growth::{Family, Growth, GrowthPlan, MOST_N, MOST_ROWS, growth_within};
use lipscope_core::search::NearbyEffort;
use lipscope_core::sweep::Spacing;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::experiment::PyExperiment;
use crate::task::{interruptible, memory, run};

/// A bound at one n: its id, its value (infinite above the range of f64), and its decimal logarithm.
type BoundAt = (&'static str, f64, f64);
/// n, R, and the bounds that apply there.
type Row = (f64, f64, Vec<BoundAt>);
/// eps/R; eps; upper bounds on the norm within eps, at the tokens, and on the ball; the largest norm found within eps.
type CertifiedNumbers = (f64, f64, f64, f64, f64, f64);
/// n and the exact norm at the adversarial tokens.
type Points = Vec<(f64, f64)>;
/// ln of the n at which the growth like sqrt(n) ends, and a there.
type Crossover = (f64, f64);
/// The whole growth view.
type Curves = (Vec<Row>, Points, Option<Crossover>);

/// The bounds at each n.
#[pyfunction]
pub(crate) fn bound_table(
    py: Python<'_>,
    experiment: &PyExperiment,
    lengths: Vec<f64>,
    memory_bytes: Option<u64>,
) -> PyResult<Vec<Row>> {
    let plan = plan(lengths, None)?;
    let experiment = Arc::clone(&experiment.0);
    let found = interruptible(py, move |_| growth_within(&experiment, &plan, memory(memory_bytes)))?;
    Ok(rows(&found))
}

/// The bounds at each n, the exact norms at the adversarial tokens, and where the growth like sqrt(n) ends.
#[pyfunction]
pub(crate) fn growth(
    py: Python<'_>,
    experiment: &PyExperiment,
    lengths: Vec<f64>,
    growing_from: Option<f64>,
    memory_bytes: Option<u64>,
) -> PyResult<Curves> {
    let plan = plan(lengths, growing_from)?;
    let experiment = Arc::clone(&experiment.0);
    interruptible(py, move |stop| {
        let curves = growth_within(&experiment, &plan, memory(memory_bytes))?;
        let mut family = Family::new_within(&experiment, &plan, memory(memory_bytes))?;
        let mut points = Vec::new();
        while !stop.is_asked() {
            let Some(point) = family.as_mut().and_then(Family::step) else { break };
            points.push((point.n, point.spectral));
        }
        Ok((rows(&curves), points, curves.crossover.map(|crossover| (crossover.ln_n, crossover.a))))
    })
}

/// For each eps (in units of R), the bounds and the largest norm found within eps of the tokens of an experiment.
#[pyfunction]
pub(crate) fn certify(
    py: Python<'_>,
    experiment: &PyExperiment,
    epsilon: Vec<f64>,
    effort: (usize, usize, u64),
    memory_bytes: Option<u64>,
) -> PyResult<Vec<CertifiedNumbers>> {
    let (restarts, iterations, seed) = effort;
    let effort = NearbyEffort { restarts, iterations, seed };
    let plan = CertifyPlan { experiment: (*experiment.0).clone(), relative: epsilon, effort };
    interruptible(py, move |stop| {
        let mut found = Vec::new();
        run(EnginePlan::Certify(plan), memory(memory_bytes), stop, |event| {
            if let EngineEvent::Certify(certified) = event {
                found = certified.rows;
            }
        })?;
        let numbers = |row: CertifiedRow| {
            let CertifiedRow { relative, epsilon, certified, local, ball, found } = row;
            (relative, epsilon, certified, local, ball, found)
        };
        Ok::<_, InputError>(found.into_iter().map(numbers).collect())
    })
}

/// A plan whose n are all in the allowed range.
fn plan(lengths: Vec<f64>, growing_from: Option<f64>) -> PyResult<GrowthPlan> {
    if let Some(wrong) = lengths.iter().find(|n| !(2.0..=MOST_N).contains(*n) || n.fract() != 0.0) {
        return Err(PyValueError::new_err(format!(
            "`lengths` holds {wrong:?}, but it must hold whole numbers of tokens from 2 to 1e300."
        )));
    }
    if lengths.is_empty() || lengths.len() > MOST_ROWS {
        let count = lengths.len();
        return Err(PyValueError::new_err(format!(
            "`lengths` holds {count} numbers, but it must hold 1 to {MOST_ROWS}."
        )));
    }
    let spacing = match growing_from {
        None => Spacing::Fixed,
        Some(from_n) if from_n >= 2.0 && from_n.is_finite() => Spacing::SqrtLog { from_n },
        Some(from_n) => {
            return Err(PyValueError::new_err(format!(
                "`growing_from` is {from_n:?}, but it must be a number of tokens of at least 2."
            )));
        }
    };
    Ok(GrowthPlan { lengths, spacing })
}

fn rows(found: &Growth) -> Vec<Row> {
    let of = |bound: &Bound| (bound.id.id(), bound.value.unwrap_or(f64::INFINITY), bound.log10);
    found.rows.iter().map(|row| (row.n, row.radius, row.bounds.iter().map(of).collect())).collect()
}
