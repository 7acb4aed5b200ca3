//! A kind of work: its plan, how it begins and goes on, and what comes of it.
//!
//! A new kind of work is one file with a type that implements [`Task`], and one line in a list made by `task_list!`
//! (see [`crate::tasks`]): runner, pool, messages and workers take it from there.

use std::fmt;
use std::ops::Range;

use lipscope_core::experiment::InputError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::envelope::{Content, Progress};

/// How often a task tells what it has: events in between would be drawn together anyway.
const REPORT_MILLISECONDS: f64 = 30.0;

/// A kind of work. `C` is what the worker keeps from one run to the next; most tasks need nothing of it.
pub trait Task<C = ()>: Sized {
    /// All that has to be known to do it.
    type Plan: Clone;
    /// A result, or a part of one.
    type Event;

    /// Cuts a plan into parts for `workers` workers that run side by side. The events of the parts, one part after the other,
    /// are those of the whole, where pieces are joined ([`Task::is_piece`]). Empty where the plan cannot be cut, or is too
    /// short for it.
    fn cut(_plan: &Self::Plan, _workers: usize) -> Vec<Cut> {
        Vec::new()
    }

    /// The plan of one part: it does some units of the whole.
    fn part(plan: &Self::Plan, _units: &Range<usize>) -> Self::Plan {
        plan.clone()
    }

    /// Whether a part's event is a piece of one that the whole tells at once. A part tells pieces or other events, not both.
    fn is_piece(_event: &Self::Event) -> bool {
        false
    }

    /// Adds the piece of the next part.
    fn join(_pieces: &mut Self::Event, _next: Self::Event) {}

    /// Corrects an event of a part where it depends on the parts before, such as the best norm of a search so far: afterwards
    /// it is the event that an uncut run would have told. `before` is the last event of the parts before.
    fn follow(_event: &mut Self::Event, _before: &Self::Event) {}

    /// Checks a plan and prepares the work.
    ///
    /// # Errors
    /// What is wrong with the plan.
    fn start(plan: Self::Plan, context: &mut C) -> Result<Self, InputError>;

    /// Does a few milliseconds of work, where it can be cut that fine.
    ///
    /// # Errors
    /// What cannot be done.
    fn step(&mut self, context: &mut C, report: &mut Report<'_, Self::Event>) -> Result<Turn, InputError>;
}

/// A part of a plan: some of its units, which are points of a sweep, rows of a plot or starts of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The units; those of the next part follow. The part reports its progress in units.
    pub units: Range<usize>,
    /// The most bytes that the part holds at a time.
    pub bytes: u64,
}

/// Whether a task wants another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Work is left.
    More,
    /// It waits for something outside, such as a server: to be asked again after a while.
    Waiting,
    /// It is complete.
    Done,
}

/// Where a task tells what comes of it, and where it reads the time.
pub struct Report<'a, E> {
    clock: &'a dyn Fn() -> f64,
    began: f64,
    reported: &'a mut f64,
    contents: Vec<Content<E>>,
}

impl<'a, E> Report<'a, E> {
    /// An empty report of a run that began at a time; `clock` tells milliseconds.
    pub(crate) fn new(clock: &'a dyn Fn() -> f64, began: f64, reported: &'a mut f64) -> Self {
        Report { clock, began, reported, contents: Vec::new() }
    }

    /// Tells a result.
    pub fn event(&mut self, event: E) {
        self.contents.push(Content::Event(event));
    }

    /// Tells how far the run is: steps done and in all.
    pub fn progress(&mut self, (done, total): (usize, usize)) {
        let (done, total) = (done as u64, Some(total as u64));
        self.contents.push(Content::Progress(Progress { done, total, relative_residual: None }));
    }

    /// Tells how many steps of an iteration of unknown length are done, and its relative residual.
    pub fn iterations(&mut self, done: usize, relative_residual: Option<f64>) {
        self.contents.push(Content::Progress(Progress { done: done as u64, total: None, relative_residual }));
    }

    /// Tells how many bytes have arrived.
    pub fn bytes(&mut self, done: u64) {
        self.contents.push(Content::Progress(Progress { done, total: None, relative_residual: None }));
    }

    /// Whether it is time to tell what there is; true about every 30 ms.
    pub fn is_due(&mut self) -> bool {
        let now = (self.clock)();
        let is_due = now - *self.reported > REPORT_MILLISECONDS;
        if is_due {
            *self.reported = now;
        }
        is_due
    }

    /// The time in milliseconds, from an origin of the clock's own.
    #[must_use]
    pub fn now(&self) -> f64 {
        (self.clock)()
    }

    /// Milliseconds since the run began.
    #[must_use]
    pub fn elapsed(&self) -> f64 {
        (self.clock)() - self.began
    }

    /// Runs a step of a task with events of its own kind, and takes them over.
    ///
    /// # Errors
    /// As the step.
    pub fn within<F, R>(&mut self, wrap: impl Fn(F) -> E, step: impl FnOnce(&mut Report<'_, F>) -> R) -> R {
        let mut inner = Report::new(self.clock, self.began, self.reported);
        let outcome = step(&mut inner);
        let Report { contents, .. } = inner;
        self.contents.extend(contents.into_iter().map(|content| content.map(&wrap)));
        outcome
    }

    /// What was told since the last call.
    pub(crate) fn take(&mut self) -> Vec<Content<E>> {
        std::mem::take(&mut self.contents)
    }
}

impl<E: fmt::Debug> fmt::Debug for Report<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Report").field("began", &self.began).field("contents", &self.contents).finish_non_exhaustive()
    }
}

/// All that a kind of worker can do; made by `task_list!`.
pub trait TaskList: Sized + 'static {
    /// What a worker keeps from one run to the next.
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
    /// As there.
    fn start(plan: Self::Plan, context: &mut Self::Context) -> Result<Self::Running, InputError>;

    /// See [`Task::step`].
    ///
    /// # Errors
    /// As there.
    fn step(
        running: &mut Self::Running,
        context: &mut Self::Context,
        report: &mut Report<'_, Self::Event>,
    ) -> Result<Turn, InputError>;
}

/// Makes of a list of tasks the types that travel and run: a [`TaskList`], with an enum of their plans and one of their
/// events.
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
                    // Pieces are of one task: their order is.
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
            ) -> Result<$crate::task::Turn, lipscope_core::experiment::InputError> {
                match running {
                    $($running::$name(task) => report.within($events::$name, |report| {
                        $crate::task::Task::<$context>::step(task.as_mut(), context, report)
                    }),)+
                }
            }
        }
    };
}
