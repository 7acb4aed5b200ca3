//! Measurements: the plan of a run, its windows in batches, and what is computed at one window.
//!
//! Nothing here knows how results are drawn; files are reached through `read` alone.

pub(crate) mod adversarial;
pub(crate) mod at_window;
pub(crate) mod batch;
pub(crate) mod batch_step;
pub(crate) mod bounding;
pub(crate) mod certify;
pub(crate) mod estimating;
pub(crate) mod head_statistics;
pub(crate) mod layerwise;
pub(crate) mod maps;
pub(crate) mod norm;
pub(crate) mod plan;
pub(crate) mod plan_text;
pub(crate) mod probe;
pub(crate) mod statistics_plan;
pub(crate) mod window;
pub(crate) mod worst_change;
