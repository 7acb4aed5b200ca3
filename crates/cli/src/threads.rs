//! The threads of a command.

use std::io;

use lipscope_core::parallel::{on_one_thread, threads};

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
