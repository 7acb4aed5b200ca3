//! Measures an experiment: its norms, its bounds, and the accuracy of the results.
//!
//! [`measure`] runs to the end; [`Measuring`] runs in steps, so that a worker can handle messages between them.

pub(crate) mod cost;
mod group;
mod iteration;
mod leading;
mod limit;
mod local;
mod measurement;
mod options;
mod start;
mod steps;
mod system;
mod upper;

use crate::experiment::{Experiment, InputError};

pub use cost::{check, cost, cost_of_pictures};
pub(crate) use group::{Groups, clusters};
pub use leading::SingularPair;
pub(crate) use measurement::norm_of;
pub use measurement::{DenseNormValues, Measurement, Method, Warning};
pub use options::{BlockNorms, Detail, FirstNormBy, Grouping, MeasureOptions, UpperNumber};
pub use start::start_vector;
pub use steps::{FirstNorm, Measuring, Step, View};
pub(crate) use system::{Matrix, System};
pub use upper::{Upper, UpperBy};

/// Measures an experiment with the default options.
///
/// # Errors
/// [`InputError`] if the experiment cannot be measured.
pub fn measure(experiment: &Experiment) -> Result<Measurement, InputError> {
    measure_with(experiment, MeasureOptions::default())
}

/// Measures an experiment with given options.
///
/// # Errors
/// [`InputError`] if the experiment cannot be measured.
pub fn measure_with(experiment: &Experiment, options: MeasureOptions) -> Result<Measurement, InputError> {
    let mut measuring = Measuring::start(experiment, options)?;
    loop {
        if let Step::Done(measurement) = measuring.step()? {
            return Ok(*measurement);
        }
    }
}
