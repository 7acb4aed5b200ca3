//! Tests of the command line.

mod cli;
mod faults;
mod help;
mod kept_cases;
mod model;
mod model_bench;
mod model_worker;
mod no_derivative;
mod train;
