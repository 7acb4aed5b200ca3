//! The engine as an npm package: functions for JavaScript, with TypeScript types for experiments and results.

use serde_json::Value;
use wasm_bindgen::prelude::*;

use lipscope_core::experiment::Experiment;
use lipscope_core::fit::fit_power_law;
use lipscope_core::measure::measure;
use lipscope_core::sweep::{SweepPlan, sweep};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("npm.d.ts");

#[wasm_bindgen]
extern "C" {
    /// An experiment as an object, or as the text of an experiment file.
    #[wasm_bindgen(typescript_type = "Experiment | string")]
    pub type ExperimentInput;
    /// The result of `measure`.
    #[wasm_bindgen(typescript_type = "Measurement")]
    pub type MeasurementOutput;
    /// The result of `sweep`.
    #[wasm_bindgen(typescript_type = "SweepResult")]
    pub type SweepOutput;
}

/// Measures an experiment: its spectral norm, the norms that need all entries of J if it is small enough, and the
/// bounds that apply.
///
/// # Errors
/// Throws an `Error` whose message names the field and the fix.
#[wasm_bindgen(js_name = measure)]
pub fn measure_in_js(experiment: &ExperimentInput) -> Result<MeasurementOutput, JsError> {
    let measurement = measure(&parse(experiment)?)?;
    to_js(&measurement.to_value())
}

/// Measures the spectral norm over lengths and random samples, and fits the slope of log L against log n.
///
/// # Errors
/// Throws an `Error` whose message names the field and the fix.
#[wasm_bindgen(js_name = sweep)]
pub fn sweep_in_js(experiment: &ExperimentInput, lengths: Vec<usize>, draws: usize) -> Result<SweepOutput, JsError> {
    let plan = SweepPlan::new(&parse(experiment)?, &lengths, draws)?;
    let points = sweep(&plan)?;
    let pairs: Vec<(f64, f64)> = points.iter().map(|p| (p.n as f64, p.spectral)).collect();
    let list: Vec<Value> = points.iter().map(|point| point.to_value(lipscope_core::bounds::Norm::Spectral)).collect();
    to_js(&serde_json::json!({ "points": list, "fit": fit_power_law(&pairs).map(|fit| fit.to_value()) }))
}

fn parse(input: &ExperimentInput) -> Result<Experiment, JsError> {
    let value: &JsValue = input.as_ref();
    let text = match value.as_string() {
        Some(text) => text,
        None => js_sys::JSON::stringify(value)
            .ok()
            .and_then(|text| text.as_string())
            .ok_or_else(|| JsError::new("The experiment is not an object. Give an object or the text of a file."))?,
    };
    Ok(Experiment::from_json(&text)?)
}

fn to_js<T: JsCast>(value: &Value) -> Result<T, JsError> {
    js_sys::JSON::parse(&value.to_string())
        .map(JsCast::unchecked_into)
        .map_err(|_| JsError::new("The result cannot be written as JSON."))
}
