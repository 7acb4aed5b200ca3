//! One way to run work: what a task is, the envelope that plans and events travel in, the runner that does a run in a
//! worker, and the pool that gives runs to workers.
//!
//! The crate uses no browser and no clock: time is an argument, and workers are ids. The same tasks run natively in the
//! command line and in tests.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`task`] | the trait of a kind of work, and the macro that makes a list of them |
//! | `cut` | parts of work whose cost is known |
//! | [`envelope`] | requests, replies, progress |
//! | [`runner`] | one run at a time, in slices |
//! | [`pool`] | which worker gets which run; queues, cancelling, workers that die |
//! | [`tasks`] | the tasks of the engine's worker |
//! | [`models`] | the tasks of the models' worker |
//! | [`train`] | the tasks of the training worker |

mod cut;
pub mod envelope;
pub mod models;
pub mod pool;
pub mod runner;
pub mod task;
pub mod tasks;
pub mod train;
