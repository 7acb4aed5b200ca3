//! The tests of how work is run.

mod browser;
mod counting;
mod pool;
mod pool_orders;
mod runner;
mod train;
