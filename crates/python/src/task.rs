//! Runs the engine in a thread of its own while the interpreter goes on, and stops when Ctrl-C is pressed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use lipscope_core::experiment::{InputError, Memory};
use lipscope_protocol::envelope::{Command, Content, Request};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::Poll;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Signals to a run that its caller has gone away.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Whether the run should end before its next step.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An engine error as a `ValueError` with the same sentence.
pub(crate) fn value_error(problem: &InputError) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

/// The memory limit: the default, or the given number of bytes.
pub(crate) fn memory(bytes: Option<u64>) -> Memory {
    bytes.map_or_else(Memory::default, Memory::from_bytes)
}

/// Runs `work` in a thread without the interpreter's lock and waits for its result.
///
/// Checks signals every 50 ms. After Ctrl-C the call returns at once; the thread ends after its current step, which
/// nothing can interrupt.
///
/// # Errors
/// `ValueError` with the engine's sentence, `KeyboardInterrupt`, or `RuntimeError` for a fault of the engine.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> Result<T, InputError> + Send + 'static,
) -> PyResult<T> {
    /// The same stack size as a process's main thread: decompositions recurse.
    const STACK_BYTES: usize = 8 << 20;
    const PATIENCE: Duration = Duration::from_millis(50);
    let stop = Stop::default();
    let (sender, mut receiver) = channel();
    let asked = stop.clone();
    thread::Builder::new().name("lipscope".into()).stack_size(STACK_BYTES).spawn(move || {
        // After Ctrl-C nobody listens.
        let _ = sender.send(work(&asked));
    })?;
    loop {
        let outcome;
        (receiver, outcome) = py.detach(move || {
            let outcome = receiver.recv_timeout(PATIENCE);
            (receiver, outcome)
        });
        match outcome {
            Ok(result) => return result.map_err(|problem| value_error(&problem)),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| stop.ask())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "The engine came upon a fault of its own; what it printed says where. Please report it with the experiment.",
                ));
            }
        }
    }
}

/// Runs one of the page workers' tasks in slices until it is over or its caller has gone away; `on_event` gets its events.
///
/// # Errors
/// An error of the plan or the task, or the task would need more than `memory`.
pub(crate) fn run(
    plan: EnginePlan,
    memory: Memory,
    stop: &Stop,
    mut on_event: impl FnMut(EngineEvent),
) -> Result<(), InputError> {
    const SLICE_MILLISECONDS: f64 = 20.0;
    let began = Instant::now();
    let clock = || 1e3 * began.elapsed().as_secs_f64();
    let mut runner = Runner::<EngineTasks>::new(memory);
    runner.begin(Command::Run(Request { run_id: 0, plan }), clock(), |_| ());
    let mut failure = None;
    while !stop.is_asked() {
        let poll = runner.slice(clock() + SLICE_MILLISECONDS, clock, |reply| match reply.content {
            Content::Event(event) => on_event(event),
            Content::Failed(problem) => failure = Some(problem),
            _ => {}
        });
        if poll == Poll::Done {
            break;
        }
    }
    failure.map_or(Ok(()), Err)
}
