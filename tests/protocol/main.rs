//! The tests of how work is run.

mod runner;
