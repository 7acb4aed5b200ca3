//! A kind of work: its plan, how it starts and steps, and its events.
//!
//! A new kind of work is one file with a type that implements [`Task`], and one line in a list made by `task_list!`
//! (see [`crate::tasks`]): runner, pool, messages and workers need nothing else.

use std::fmt;
use std::ops::Range;

use lipscope_core::experiment::InputError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::envelope::{Content, Progress};

/// The least time between two reports: events closer together would be drawn together anyway.
const REPORT_MILLISECONDS: f64 = 30.0;

/// A kind of work. `C` is the worker's state that outlives a run; most tasks ignore it.
pub trait Task<C = ()>: Sized {
    /// Everything that the work needs.
    type Plan: Clone;
    /// A result, or a part of one.
    type Event;

    /// Cuts a plan into parts for `workers` workers that run side by side. The joined events of the parts, in part
    /// order, are those of the whole plan ([`Task::is_piece`]). The list is empty if the plan cannot be cut or is too
    /// short.
    fn cut(_plan: &Self::Plan, _workers: usize) -> Vec<Cut> {
        Vec::new()
    }

    /// The plan of one part, which does `units` of the whole.
    fn part(plan: &Self::Plan, _units: &Range<usize>) -> Self::Plan {
        plan.clone()
    }

    /// Whether a part's event is one piece of an event that the whole run sends at once. A part sends pieces or other
    /// events, not both.
    fn is_piece(_event: &Self::Event) -> bool {
        false
    }

    /// Joins the piece of the next part to `pieces`.
    fn join(_pieces: &mut Self::Event, _next: Self::Event) {}

    /// Corrects an event of a part that depends on earlier parts, such as the best norm of a search so far: afterwards
    /// it equals the event of an uncut run. `before` is the last event of the earlier parts.
    fn follow(_event: &mut Self::Event, _before: &Self::Event) {}

    /// Checks a plan and prepares the work.
    ///
    /// # Errors
    /// An error of the plan.
    fn start(plan: Self::Plan, context: &mut C) -> Result<Self, InputError>;

    /// Does a few milliseconds of work, where the work can be split that finely.
    ///
    /// # Errors
    /// An error of the task.
    fn step(&mut self, context: &mut C, report: &mut Report<'_, Self::Event>) -> Result<Poll, InputError>;
}

/// A part of a plan: a range of units, which are points of a sweep, rows of a plot or starts of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The units. The next part begins where they end. The part reports its progress in units.
    pub units: Range<usize>,
    /// The most bytes that the part holds at a time.
    pub bytes: u64,
}

/// Whether a task wants another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// Work is left.
    More,
    /// It waits for something outside, such as a server: call it again after a while.
    Waiting,
    /// It is complete.
    Done,
}

/// Where a task reports events and progress, and reads the time.
pub struct Report<'a, E> {
    clock: &'a dyn Fn() -> f64,
    began: f64,
    reported: &'a mut f64,
    contents: Vec<Content<E>>,
}

impl<'a, E> Report<'a, E> {
    /// An empty report of a run that started at `began`; `clock` returns milliseconds.
    pub(crate) fn new(clock: &'a dyn Fn() -> f64, began: f64, reported: &'a mut f64) -> Self {
        Report { clock, began, reported, contents: Vec::new() }
    }

    /// Reports a result.
    pub fn event(&mut self, event: E) {
        self.contents.push(Content::Event(event));
    }

    /// Reports progress: steps done and in all.
    pub fn progress(&mut self, (done, total): (usize, usize)) {
        let (done, total) = (done as u64, Some(total as u64));
        self.contents.push(Content::Progress(Progress { done, total, relative_residual: None }));
    }

    /// Reports how many steps of an iteration of unknown length are done, and its relative residual.
    pub fn iterations(&mut self, done: usize, relative_residual: Option<f64>) {
        self.contents.push(Content::Progress(Progress { done: done as u64, total: None, relative_residual }));
    }

    /// Reports how many bytes have arrived.
    pub fn bytes(&mut self, done: u64) {
        self.contents.push(Content::Progress(Progress { done, total: None, relative_residual: None }));
    }

    /// Whether it is time to report; true about every 30 ms.
    pub fn is_due(&mut self) -> bool {
        let now = (self.clock)();
        let is_due = now - *self.reported > REPORT_MILLISECONDS;
        if is_due {
            *self.reported = now;
        }
        is_due
    }

    /// The time in milliseconds; its origin depends on the clock.
    #[must_use]
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn elapsed(&self) -> f64 {
        (self.clock)() - self.began
    }

    /// Runs a step of a task with events of another type, and passes them on.
    ///
    /// # Errors
    /// The errors of the step.
    pub fn within<F, R>(&mut self, wrap: impl Fn(F) -> E, step: impl FnOnce(&mut Report<'_, F>) -> R) -> R {
        let mut inner = Report::new(self.clock, self.began, self.reported);
        let outcome = step(&mut inner);
        let Report { contents, .. } = inner;
        self.contents.extend(contents.into_iter().map(|content| content.map(&wrap)));
        outcome
    }

    /// The contents reported since the last call.
    pub(crate) fn take(&mut self) -> Vec<Content<E>> {
        std::mem::take(&mut self.contents)
    }
}

impl<P> Report<'_, Vec<P>> {
    /// Takes what a step has found: a point or none, and `None` at the end. Reports the points since the last report, and the
    /// progress if the task tells one, where it is time or the task is done.
    pub fn points(
        &mut self,
        pending: &mut Vec<P>,
        step: Option<Option<P>>,
        progress: impl FnOnce() -> Option<(usize, usize)>,
    ) -> Poll {
        let poll = if step.is_none() { Poll::Done } else { Poll::More };
        pending.extend(step.flatten());
        if poll == Poll::Done || self.is_due() {
            self.event(std::mem::take(pending));
            if let Some(progress) = progress() {
                self.progress(progress);
            }
        }
        poll
    }
}

impl<E: fmt::Debug> fmt::Debug for Report<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").field("began", &self.began).field("contents", &self.contents).finish_non_exhaustive()
    }
}

/// All tasks of one kind of worker; `task_list!` implements this trait.
pub trait TaskList: Sized + 'static {
    /// State that a worker keeps between runs.
    type Context;
    /// A plan of any of the tasks.
    type Plan: Clone + fmt::Debug + PartialEq + Serialize + DeserializeOwned + 'static;
    /// An event of any of the tasks.
    type Event: Clone + fmt::Debug + Serialize + DeserializeOwned + 'static;
    /// Any of the tasks under way.
    type Running;

    /// See [`Task::cut`].
    fn cut(plan: &Self::Plan, workers: usize) -> Vec<Cut>;

    /// See [`Task::part`].
    fn part(plan: &Self::Plan, units: &Range<usize>) -> Self::Plan;

    /// See [`Task::is_piece`].
    fn is_piece(event: &Self::Event) -> bool;

    /// See [`Task::join`].
    fn join(pieces: &mut Self::Event, next: Self::Event);

    /// See [`Task::follow`].
    fn follow(event: &mut Self::Event, before: &Self::Event);

    /// See [`Task::start`].
    ///
    /// # Errors
    /// As [`Task::start`].
    fn start(plan: Self::Plan, context: &mut Self::Context) -> Result<Self::Running, InputError>;

    /// See [`Task::step`].
    ///
    /// # Errors
    /// As [`Task::step`].
    fn step(
        running: &mut Self::Running,
        context: &mut Self::Context,
        report: &mut Report<'_, Self::Event>,
    ) -> Result<Poll, InputError>;
}

/// Defines the types for a list of tasks: a [`TaskList`], an enum of plans, an enum of events and one of running tasks.
///
/// ```text
/// task_list! {
///     /// What this kind of worker does.
///     pub MyTasks(MyContext): MyPlan, MyEvent, MyRunning;
///     /// Counts.
///     Count = CountTask,
/// }
/// ```
#[macro_export]
macro_rules! task_list {
    (
        $(#[$about:meta])*
        $visibility:vis $list:ident($context:ty): $plans:ident, $events:ident, $running:ident;
        $($(#[$doc:meta])* $name:ident = $task:ty,)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $list;

        /// A plan of one of the tasks.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        $visibility enum $plans {
            $($(#[$doc])* $name(<$task as $crate::task::Task<$context>>::Plan),)+
        }

        /// An event of one of the tasks.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        $visibility enum $events {
            $($(#[$doc])* $name(<$task as $crate::task::Task<$context>>::Event),)+
        }

        /// One of the tasks under way.
        $visibility enum $running {
            $($(#[$doc])* $name(Box<$task>),)+
        }

        impl $crate::task::TaskList for $list {
            type Context = $context;
            type Plan = $plans;
            type Event = $events;
            type Running = $running;

            fn cut(plan: &$plans, workers: usize) -> Vec<$crate::task::Cut> {
                match plan {
                    $($plans::$name(plan) => <$task as $crate::task::Task<$context>>::cut(plan, workers),)+
                }
            }

            fn is_piece(event: &$events) -> bool {
                match event {
                    $($events::$name(event) => <$task as $crate::task::Task<$context>>::is_piece(event),)+
                }
            }

            fn join(pieces: &mut $events, next: $events) {
                match (pieces, next) {
                    $(($events::$name(pieces), $events::$name(next)) => {
                        <$task as $crate::task::Task<$context>>::join(pieces, next);
                    })+
                    // All pieces come from one task: the order has one plan.
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            }

            fn part(plan: &$plans, units: &std::ops::Range<usize>) -> $plans {
                match plan {
                    $($plans::$name(plan) => {
                        $plans::$name(<$task as $crate::task::Task<$context>>::part(plan, units))
                    })+
                }
            }

            fn follow(event: &mut $events, before: &$events) {
                match (event, before) {
                    $(($events::$name(event), $events::$name(before)) => {
                        <$task as $crate::task::Task<$context>>::follow(event, before);
                    })+
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            }

            fn start(
                plan: $plans,
                context: &mut $context,
            ) -> Result<$running, lipscope_core::experiment::InputError> {
                match plan {
                    $($plans::$name(plan) => {
                        <$task as $crate::task::Task<$context>>::start(plan, context)
                            .map(|task| $running::$name(Box::new(task)))
                    })+
                }
            }

            fn step(
                running: &mut $running,
                context: &mut $context,
                report: &mut $crate::task::Report<'_, $events>,
            ) -> Result<$crate::task::Poll, lipscope_core::experiment::InputError> {
                match running {
                    $($running::$name(task) => report.within($events::$name, |report| {
                        $crate::task::Task::<$context>::step(task.as_mut(), context, report)
                    }),)+
                }
            }
        }
    };
}
