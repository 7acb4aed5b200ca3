//! Tests of the logs of monitored runs.

mod reading;
mod runs;
mod schema;
