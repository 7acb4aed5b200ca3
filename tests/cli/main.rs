//! Tests of the command line.

mod cli;
mod model;
mod model_worker;
mod train;
