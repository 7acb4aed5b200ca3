//! Shared by several commands: the thread pool, the page's tasks run in this process, the memory limit, and the names
//! of norms.

use std::io;
use std::time::Instant;

use clap::{Args, ValueEnum};
use lipscope_core::bounds::Norm;
use lipscope_core::experiment::{InputError, Memory};
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

/// Runs a task to its end; `on_event` gets its events as they come.
///
/// # Errors
/// An error of the plan or the task, or the task would need more than `memory`.
pub(super) fn run(plan: EnginePlan, memory: Memory, on_event: impl FnMut(EngineEvent)) -> Result<(), InputError> {
    let began = Instant::now();
    Runner::<EngineTasks>::new(memory).run(plan, || 1e3 * began.elapsed().as_secs_f64(), on_event)
}

/// The memory limit of a command's tasks.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = LIMITS)]
pub(super) struct MemoryArguments {
    /// The most memory that a task may hold.
    ///
    /// Such as 512MiB, 4GiB or a number of bytes; a task that would take more is refused before it is begun.
    #[arg(long, value_name = "SIZE", default_value_t = Memory::default(), hide_short_help = true)]
    pub(super) memory: Memory,
}

/// The heading of threads and memory in the help.
pub(super) const LIMITS: &str = "Threads and memory";

/// The norms by their names in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum NormName {
    /// Largest singular value.
    Spectral,
    /// Largest absolute row sum.
    Linf,
    /// Largest absolute column sum.
    L1,
    /// Root of the sum of squares.
    Frobenius,
    /// Largest row sum of block norms, an upper bound.
    MaxToken,
}

impl NormName {
    pub(super) fn norm(self) -> Norm {
        match self {
            NormName::Spectral => Norm::Spectral,
            NormName::Linf => Norm::Linf,
            NormName::L1 => Norm::L1,
            NormName::Frobenius => Norm::Frobenius,
            NormName::MaxToken => Norm::MaxToken,
        }
    }
}
