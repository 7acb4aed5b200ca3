//! The tests of how work is run.

mod browser;
mod counting;
mod first_tasks;
mod parts;
mod pool;
mod pool_orders;
mod pool_parts;
mod pool_workers;
mod received;
mod runner;
mod train;
mod train_helper;
