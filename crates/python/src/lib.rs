//! The compiled part of the Python package `lipscope`: the engine over arrays and experiment files.
//!
//! The folder `python/lipscope` beside this one contains the Python modules: they convert arguments and turn results
//! into objects. Here the same code as in the command line runs every task, in a thread of its own, so that the
//! interpreter stays responsive and Ctrl-C ends a long run. Results are JSON texts in the documented form wherever the
//! command line writes one, so that both give the same digits.

mod curves;
mod experiment;
mod jacobian;
mod measure;
mod operator_norm;
mod search;
mod sweep;
mod table;
mod task;

use pyo3::prelude::*;

/// The compiled part of the package `lipscope`.
#[pymodule]
mod _lipscope {
    #[pymodule_export]
    use crate::curves::{bound_table, certify, growth};
    #[pymodule_export]
    use crate::experiment::{PyExperiment, check_token_sizes, check_weight_sizes};
    #[pymodule_export]
    use crate::jacobian::{PyJacobian, dense_jacobian};
    #[pymodule_export]
    use crate::measure::{catalogue, measure, spectrum};
    #[pymodule_export]
    use crate::operator_norm::operator_norm;
    #[pymodule_export]
    use crate::search::search;
    #[pymodule_export]
    use crate::sweep::sweep;
    #[pymodule_export]
    use crate::table::read_tokens;
    use pyo3::prelude::*;

    /// Exports the version of the package.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
