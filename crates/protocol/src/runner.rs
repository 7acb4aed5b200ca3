//! Executes commands in a worker: one run at a time, in slices. It uses no browser: the clock is an argument.

use std::fmt;

use lipscope_core::experiment::InputError;

use crate::envelope::{Command, Content, Reply, RunId};
use crate::task::{Poll, Report, TaskList};

/// How long a slice lasts before the worker listens again. A single step may take longer; the page then ends the
/// worker.
pub const SLICE_MILLISECONDS: f64 = 2.0;

/// The current run, and the state that the worker keeps between runs.
pub struct Runner<T: TaskList> {
    context: T::Context,
    job: Option<Job<T>>,
}

struct Job<T: TaskList> {
    run_id: RunId,
    began: f64,
    reported: f64,
    work: Work<T>,
}

enum Work<T: TaskList> {
    /// The plan is not started: `Started` is sent before anything that takes time.
    Fresh(Option<T::Plan>),
    Running(T::Running),
}

impl<T: TaskList> Runner<T> {
    /// A runner without a run.
    #[must_use]
    pub fn new(context: T::Context) -> Self {
        Runner { context, job: None }
    }

    /// The state that the worker keeps between runs.
    pub fn context(&mut self) -> &mut T::Context {
        &mut self.context
    }

    /// Handles a command; it ends the current run.
    pub fn begin(&mut self, command: Command<T::Plan>, now: f64, mut emit: impl FnMut(Reply<T::Event>)) {
        if let Some(job) = self.job.take() {
            emit(Reply { run_id: job.run_id, content: Content::Cancelled });
        }
        let Command::Run(request) = command else { return };
        emit(Reply { run_id: request.run_id, content: Content::Started });
        self.job =
            Some(Job { run_id: request.run_id, began: now, reported: now, work: Work::Fresh(Some(request.plan)) });
    }

    /// Works until the clock passes `end`, the run has to wait, or it is over.
    pub fn slice(&mut self, end: f64, clock: impl Fn() -> f64, mut emit: impl FnMut(Reply<T::Event>)) -> Poll {
        while let Some(mut job) = self.job.take() {
            let run_id = job.run_id;
            let (outcome, contents) = job.step(&mut self.context, &clock);
            contents.into_iter().for_each(|content| emit(Reply { run_id, content }));
            match outcome {
                Ok(Poll::Done) => emit(Reply { run_id, content: Content::Finished }),
                Ok(poll) => {
                    self.job = Some(job);
                    if poll == Poll::Waiting || clock() >= end {
                        return poll;
                    }
                }
                Err(problem) => emit(Reply { run_id, content: Content::Failed(problem) }),
            }
        }
        Poll::Done
    }

    /// Does a run from its start to its end, for the command line and tests; `on_event` gets its events as they come.
    ///
    /// # Errors
    /// An error of the plan, or of a task that fails.
    pub fn run(
        &mut self,
        plan: T::Plan,
        clock: impl Fn() -> f64,
        mut on_event: impl FnMut(T::Event),
    ) -> Result<(), InputError> {
        let mut job = Job::<T> { run_id: 0, began: clock(), reported: clock(), work: Work::Fresh(Some(plan)) };
        loop {
            let (outcome, contents) = job.step(&mut self.context, &clock);
            for content in contents {
                if let Content::Event(event) = content {
                    on_event(event);
                }
            }
            if outcome? == Poll::Done {
                return Ok(());
            }
        }
    }

    /// The events of a whole run.
    ///
    /// # Errors
    /// As [`Runner::run`].
    pub fn complete(&mut self, plan: T::Plan, clock: impl Fn() -> f64) -> Result<Vec<T::Event>, InputError> {
        let mut events = Vec::new();
        self.run(plan, clock, |event| events.push(event))?;
        Ok(events)
    }
}

impl<T: TaskList> Job<T> {
    fn step(
        &mut self,
        context: &mut T::Context,
        clock: &dyn Fn() -> f64,
    ) -> (Result<Poll, InputError>, Vec<Content<T::Event>>) {
        let mut report = Report::new(clock, self.began, &mut self.reported);
        let outcome = match &mut self.work {
            Work::Fresh(plan) => match plan.take().map(|plan| T::start(plan, context)) {
                Some(Ok(running)) => {
                    self.work = Work::Running(running);
                    Ok(Poll::More)
                }
                Some(Err(problem)) => Err(problem),
                None => Ok(Poll::Done),
            },
            Work::Running(running) => T::step(running, context, &mut report),
        };
        (outcome, report.take())
    }
}

impl<T: TaskList> fmt::Debug for Runner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").field("run_id", &self.job.as_ref().map(|job| job.run_id)).finish_non_exhaustive()
    }
}
