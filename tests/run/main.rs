//! Tests of the logs of monitored runs, and of their figures.

mod charts;
mod reading;
mod runs;
mod schema;
