//! Runs the tasks of the page's workers here, with this process's clock.

use std::time::Instant;

use lipscope_core::experiment::{InputError, Memory};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks};

/// Runs a task to its end; `hear` gets its events as they come.
///
/// # Errors
/// What is wrong with the plan, or cannot be done within that memory.
pub(super) fn run(plan: EnginePlan, memory: Memory, hear: impl FnMut(EngineEvent)) -> Result<(), InputError> {
    let began = Instant::now();
    Runner::<EngineTasks>::new(memory).run(plan, || 1e3 * began.elapsed().as_secs_f64(), hear)
}
