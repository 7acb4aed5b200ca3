//! The command line's tests.

mod cli;
mod model;
mod model_worker;
