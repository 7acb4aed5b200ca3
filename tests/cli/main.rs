//! Tests of the command line.

mod checkpoints;
mod cli;
mod doors;
// The commands of the documents are those of a Unix shell.
#[cfg(unix)]
mod documents;
mod faults;
mod figures;
mod help;
mod kept_cases;
mod model;
mod model_bench;
mod model_worker;
mod no_derivative;
mod people;
mod plot;
mod train;
