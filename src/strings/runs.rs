//! Monitored runs of training.

pub use crate::words::runs::*;

use lipscope_plot::Number;
use lipscope_run::{LOSS, Row, Run, RunView, RunWords, claim, column_name};

/// Names of axes.
pub fn run_words() -> RunWords {
    RunWords {
        step: run_words::step().to_owned(),
        layer: run_words::layer().to_owned(),
        head: run_words::head().to_owned(),
        absent: run_words::absent().to_owned(),
    }
}

/// What a run is about: its file, its model, its layers and steps.
pub fn run_about_line(name: &str, run: &Run, map: &str) -> String {
    let layers = run.places(map).len();
    let (first, last) = ends(run);
    match run.header() {
        Some(header) => run_line { first, last, layers, model: &header.model, name }.text(),
        None => run_line_without_model { first, last, layers, name }.text(),
    }
}

/// The figure of a run in words.
pub fn run_in_words(run: &Run, view: &RunView) -> String {
    let (layers, steps) = (run.places(&view.map).len(), run.steps().len());
    run_finding { column: column_name(&view.column), layers, map: &view.map, steps }.text()
}

/// A row as a line: the norm with its sign, or why there is none, and the loss.
pub fn run_row(row: &Row) -> String {
    let (layer, step) = (row.place().to_string(), row.step);
    let line = match (row.value, row.residual) {
        (Some(value), residual) => {
            let residual = residual.map_or_else(String::new, |residual| Number::rough(residual).to_string());
            run_readout { layer: &layer, residual: &residual, step, value: Number::known(value, claim(row.kind)) }
                .text()
        }
        (None, _) => {
            let problem = row.problem.as_deref().unwrap_or_default();
            run_readout_missing { layer: &layer, problem, step }.text()
        }
    };
    match row.number(LOSS) {
        Some(loss) => run_readout_loss { loss: Number::of(loss), readout: &line }.text(),
        None => line,
    }
}

fn ends(run: &Run) -> (u64, u64) {
    (run.steps().first().copied().unwrap_or_default(), run.steps().last().copied().unwrap_or_default())
}
