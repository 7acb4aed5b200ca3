//! The waiting and running parts of a lane, and the order in which the page receives their events.

use std::collections::VecDeque;
use std::rc::Rc;

use lipscope_core::experiment::Memory;

use super::part::Part;
use super::rules::{Policy, Preempt, WorkerId};
use crate::envelope::{Content, Progress, RunId};

/// A part that a worker has.
#[derive(Debug)]
pub(super) struct Run<P, E, C> {
    pub run_id: RunId,
    pub part: Part<P, E, C>,
    pub worker: WorkerId,
    /// Whether the worker has started the run.
    pub is_started: bool,
}

#[derive(Debug)]
pub(super) struct LaneState<P, E, C> {
    policy: Policy,
    /// Parts without a worker, in order.
    pub queue: VecDeque<Part<P, E, C>>,
    /// The newest orders, until they preempt the earlier ones.
    pub next: Option<VecDeque<Part<P, E, C>>>,
    pub running: Vec<Run<P, E, C>>,
    /// Parts that are over while an earlier part is not, each with its run.
    pub over: Vec<(RunId, Part<P, E, C>)>,
    pub most_running: usize,
    pub is_paused: bool,
    /// The pieces of the current order, joined so far.
    pub pieces: Option<E>,
    /// `last` is the last event of the current order, and `before` is the last event of those of its parts that are
    /// over.
    pub last: Option<E>,
    pub before: Option<E>,
    /// Whether the page got a result of the current orders, which are those before `next`.
    pub has_event: bool,
    /// Two runs for which newer orders wait: they wait for a message about `silent` from its worker, and they wait a
    /// moment for `coalescing` to finish.
    pub silent: Option<RunId>,
    pub coalescing: Option<RunId>,
    /// The run whose result the page is drawing; further events wait until the page has drawn it.
    pub drawing: Option<RunId>,
    /// Whether its newest order lets another lane go first.
    pub yielding: Yield,
}

/// Whether a lane lets another one go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Yield {
    /// The lane does not let another one go first.
    #[default]
    None,
    /// Yields until the timer with this number fires.
    UntilTimer(u64),
    /// Has yielded for long enough.
    Over,
}

/// How a part would start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Nothing else of its lane runs, or the lane is a queue: the part gets a worker.
    Due,
    /// Beside another part, if a core is free.
    Parallel,
}

/// The state of the part whose events the page receives next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// It has no worker yet.
    Waiting,
    /// It is running in this run.
    Running(RunId),
    /// It is over: this entry of [`LaneState::over`].
    Over(usize),
}

impl<P, E, C> LaneState<P, E, C> {
    pub fn new(policy: Policy, most_running: usize) -> Self {
        LaneState {
            policy,
            queue: VecDeque::new(),
            next: None,
            running: Vec::new(),
            over: Vec::new(),
            most_running,
            is_paused: false,
            pieces: None,
            last: None,
            before: None,
            has_event: false,
            silent: None,
            coalescing: None,
            drawing: None,
            yielding: Yield::None,
        }
    }

    /// How the next part would start; `None` if no part may start.
    pub fn beginning(&self, memory: Memory) -> Option<Beginning> {
        let is_newer = self.next.is_some() && !self.is_awaited();
        let next = self.waiting().front()?;
        if self.is_paused || self.running.len() >= self.most_running {
            return None;
        }
        if self.running.is_empty() {
            return Some(Beginning::Due);
        }
        if self.policy == Policy::Newest(Preempt::AfterFirstEvent) && !self.has_event {
            // The first part to be received has the cores for itself.
            return None;
        }
        let is_in_vain =
            |over: &Part<P, E, C>| over.at < next.at && !matches!(over.held.last(), Some(Content::Finished));
        if !is_newer && self.over.iter().any(|(_, over)| is_in_vain(over)) {
            // An earlier part failed: the later ones will be dropped when its turn to be received comes.
            return None;
        }
        let held = self.running.iter().map(|run| run.part.bytes).fold(next.bytes, u64::saturating_add);
        (!is_newer && held <= memory.bytes()).then_some(Beginning::Parallel)
    }

    /// How many parts could start now.
    pub fn begin_at_once(&self) -> usize {
        if self.is_paused { 0 } else { self.waiting().len().min(self.most_running.saturating_sub(self.running.len())) }
    }

    /// Orders still to be done: the newest ones, or those whose last part the page has not received completely.
    pub fn left(&self) -> usize {
        match &self.next {
            Some(next) => next.iter().filter(|part| part.is_last).count(),
            None => self.parts().filter(|part| part.is_last).count(),
        }
    }

    /// The next part.
    pub fn pop(&mut self) -> Option<Part<P, E, C>> {
        if !self.is_awaited() {
            self.promote();
        }
        self.queue.pop_front()
    }

    /// Whether newer orders only wait for a worker: nothing of the earlier ones is needed any more.
    pub fn is_preempted(&self) -> bool {
        self.policy == Policy::Newest(Preempt::AtOnce) && self.next.is_some()
    }

    /// Replaces the earlier orders by the newest.
    pub fn promote(&mut self) {
        if let Some(next) = self.next.take() {
            self.clear();
            self.queue = next;
            self.has_event = false;
        }
    }

    /// Drops the waiting parts and the events that the page has not received.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.over.clear();
        (self.pieces, self.last, self.before) = (None, None, None);
        (self.silent, self.coalescing, self.drawing) = (None, None, None);
    }

    /// Puts a part back in its place, because its worker did not do it.
    pub fn put_back(&mut self, part: Part<P, E, C>) {
        let at = self.queue.partition_point(|waiting| waiting.at < part.at);
        self.queue.insert(at, part);
    }

    pub fn run(&mut self, run_id: RunId) -> Option<&mut Run<P, E, C>> {
        self.running.iter_mut().find(|run| run.run_id == run_id)
    }

    pub fn take_run(&mut self, run_id: RunId) -> Option<Run<P, E, C>> {
        let at = self.running.iter().position(|run| run.run_id == run_id)?;
        Some(self.running.remove(at))
    }

    /// The run of the earliest part that has a worker.
    pub fn first_run(&self) -> Option<&Run<P, E, C>> {
        self.running.iter().min_by_key(|run| run.part.at)
    }

    /// The state of the first part that the page has not received completely.
    pub fn head(&self) -> Option<Head> {
        let waiting = self.queue.front().map(|part| (part.at, Head::Waiting));
        let running = self.running.iter().map(|run| (run.part.at, Head::Running(run.run_id)));
        let over = self.over.iter().enumerate().map(|(idx, (_, part))| (part.at, Head::Over(idx)));
        waiting.into_iter().chain(running).chain(over).min_by_key(|(at, _)| *at).map(|(_, head)| head)
    }

    /// The progress of a run's order over all its parts, after a report of the run. `None` while the page receives an
    /// earlier order.
    pub fn progress(&mut self, run_id: RunId, reported: Progress) -> Option<Progress> {
        let run = self.run(run_id)?;
        run.part.done = reported.done;
        let (order, units) = (Rc::clone(&run.part.order), run.part.units.clone());
        let first = self.parts().min_by_key(|part| part.at)?;
        if !Rc::ptr_eq(&first.order, &order) {
            return None;
        }
        let (Some((_, whole)), Some((first, _))) = (units, &first.units) else { return Some(reported) };
        let parts = self.parts().filter(|part| Rc::ptr_eq(&part.order, &order));
        // The units before `first` are done: by parts that the page has received, or by an earlier order that this one
        // resumes.
        let done = first.start as u64 + parts.map(|part| part.done).sum::<u64>();
        Some(Progress { done, total: Some(whole.end as u64), relative_residual: None })
    }

    /// The parts that may begin next.
    fn waiting(&self) -> &VecDeque<Part<P, E, C>> {
        if self.is_awaited() { &self.queue } else { self.next.as_ref().unwrap_or(&self.queue) }
    }

    /// Whether the other parts of the current order continue although a newer order waits: the page waits for the first
    /// event.
    fn is_awaited(&self) -> bool {
        let is_under_way = self.queue.front().is_some_and(|part| !part.is_first());
        self.policy == Policy::Newest(Preempt::AfterFirstEvent) && !self.has_event && is_under_way
    }

    /// The parts that the page has not received completely, without the newest orders.
    fn parts(&self) -> impl Iterator<Item = &Part<P, E, C>> {
        let running = self.running.iter().map(|run| &run.part);
        self.queue.iter().chain(running).chain(self.over.iter().map(|(_, part)| part))
    }
}
