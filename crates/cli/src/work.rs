//! The threads of a command, and the page's tasks run in this process.

use std::io;
use std::time::Instant;

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::parallel::{on_one_thread, threads};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks};

/// What the main thread has on most systems; rayon's threads have less.
const STACK_BYTES: usize = 8 << 20;

/// A pool of that many threads, or all cores for 0.
pub(super) fn pool(threads: usize) -> io::Result<rayon::ThreadPool> {
    let failed = |error: rayon::ThreadPoolBuildError| {
        io::Error::other(format!("--threads {threads}: no such number of threads can be started: {error}"))
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build().map_err(failed)
}

/// Does one of `count` independent jobs that are handed to all threads: alone on its thread, unless there are fewer jobs
/// than threads. A thread that waits for parts of one job would otherwise begin another, and hold the memory of both.
pub(super) fn one_of<R>(count: usize, job: impl FnOnce() -> R) -> R {
    if count < threads() { job() } else { on_one_thread(job) }
}

/// Runs a task to its end; `hear` gets its events as they come.
///
/// # Errors
/// What is wrong with the plan, or cannot be done within that memory.
pub(super) fn run(plan: EnginePlan, memory: Memory, hear: impl FnMut(EngineEvent)) -> Result<(), InputError> {
    let began = Instant::now();
    Runner::<EngineTasks>::new(memory).run(plan, || 1e3 * began.elapsed().as_secs_f64(), hear)
}
