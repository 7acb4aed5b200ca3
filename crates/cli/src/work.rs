//! The threads of a command, and the page's tasks run in this process.

use std::io;
use std::time::Instant;

use lipscope_core::experiment::{InputError, Memory};
use lipscope_core::parallel::{on_one_thread, threads};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks};

/// The usual stack size of a main thread; rayon's threads have less.
const STACK_BYTES: usize = 8 << 20;

/// A pool of `threads` threads, or one per core for 0.
pub(super) fn pool(threads: usize) -> io::Result<rayon::ThreadPool> {
    let failed = |error: rayon::ThreadPoolBuildError| {
        io::Error::other(format!("--threads {threads}: no such number of threads can be started: {error}"))
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK_BYTES).build().map_err(failed)
}

/// Does one of `count` independent jobs that all threads share: on one thread, unless there are fewer jobs than
/// threads. Otherwise a thread that waits for parts of one job would start another one, and hold the memory of both.
pub(super) fn one_of<R>(count: usize, job: impl FnOnce() -> R) -> R {
    if count < threads() { job() } else { on_one_thread(job) }
}

/// Runs a task to its end; `hear` gets its events as they come.
///
/// # Errors
/// An error of the plan or the task, or the task would need more than `memory`.
pub(super) fn run(plan: EnginePlan, memory: Memory, hear: impl FnMut(EngineEvent)) -> Result<(), InputError> {
    let began = Instant::now();
    Runner::<EngineTasks>::new(memory).run(plan, || 1e3 * began.elapsed().as_secs_f64(), hear)
}
