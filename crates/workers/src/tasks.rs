//! The tasks of one list, as the loop of a worker carries them out.

use js_sys::Object;
use lipscope_protocol::envelope::Command;
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::{Poll, TaskList};
use wasm_bindgen::JsValue;

use crate::message::{now, reply, unpacked};

/// Values that travel beside messages.
pub trait Attachment<C> {
    /// Takes the values that came with a command.
    fn take(&mut self, context: &mut C, message: &JsValue);

    /// The values that go with the next reply.
    fn give(&mut self) -> Option<Object>;
}

/// Nothing travels beside messages.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl<C> Attachment<C> for NoFiles {
    fn take(&mut self, _: &mut C, _: &JsValue) {}

    fn give(&mut self) -> Option<Object> {
        None
    }
}

/// Tasks of any list, one run at a time.
pub trait Tasks {
    /// Handles a command, which ends the current run. Returns whether it is a command of these tasks.
    fn begin(&mut self, message: &JsValue) -> bool;

    /// Ends the current run, if there is one.
    fn end(&mut self);

    /// Works until the clock passes `end`, the run has to wait, or it is over.
    fn slice(&mut self, end: f64) -> Poll;
}

/// The tasks of the list `T`.
#[derive(Debug)]
pub struct TasksOf<T: TaskList, B> {
    runner: Runner<T>,
    beside: B,
}

impl<T: TaskList, B: Attachment<T::Context>> TasksOf<T, B> {
    /// No run yet.
    pub fn new(context: T::Context, beside: B) -> Self {
        TasksOf { runner: Runner::new(context), beside }
    }
}

impl<T: TaskList, B: Attachment<T::Context>> Tasks for TasksOf<T, B> {
    fn begin(&mut self, message: &JsValue) -> bool {
        let Some(command) = unpacked::<Command<T::Plan>>(message) else { return false };
        self.beside.take(self.runner.context(), message);
        self.runner.begin(command, now(), |said| reply(said, None));
        true
    }

    fn end(&mut self) {
        self.runner.begin(Command::Cancel, now(), |said| reply(said, None));
    }

    fn slice(&mut self, end: f64) -> Poll {
        let TasksOf { runner, beside } = self;
        runner.slice(end, now, |said| reply(said, beside.give()))
    }
}
