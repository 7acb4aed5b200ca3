//! What waits and what runs in a lane, and in which order its parts are heard.

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
    /// Whether the worker has turned to it.
    pub is_started: bool,
}

#[derive(Debug)]
pub(super) struct LaneState<P, E, C> {
    policy: Policy,
    /// Parts that no worker has, in order.
    pub queue: VecDeque<Part<P, E, C>>,
    /// The newest orders, where they take the place of those before and have not yet.
    pub next: Option<VecDeque<Part<P, E, C>>>,
    pub running: Vec<Run<P, E, C>>,
    /// Parts that are over, with the run that did them, while one before is not.
    pub over: Vec<(RunId, Part<P, E, C>)>,
    pub most_running: usize,
    pub is_paused: bool,
    /// Pieces of the order that is heard, joined so far.
    pub pieces: Option<E>,
    /// The last event of the order that is heard, and the last one of those of its parts that are over.
    pub last: Option<E>,
    pub before: Option<E>,
    /// Whether the page has heard a result of the newest orders.
    pub has_event: bool,
    /// The run during which newer orders began to wait for a word of the worker, and that during which they began to wait for
    /// an end that may be near.
    pub silent: Option<RunId>,
    pub coalescing: Option<RunId>,
    /// The run of the result that the page draws now: what parts tell waits until it has.
    pub drawing: Option<RunId>,
    /// Whether its newest order lets another lane go first.
    pub yielding: Yield,
}

/// Whether a lane lets another one go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Yield {
    /// It has not been asked to.
    #[default]
    None,
    /// It does, until the time of this number has passed.
    Shown(u64),
    /// It has for long enough.
    Over,
}

/// How a part would begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Nothing else of its lane is done, or the lane is a queue: a worker is found for it.
    Due,
    /// Beside another part, if a core is free.
    Beside,
}

/// Where the part is whose turn it is to be heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// No worker has it.
    Waiting,
    /// This run does it.
    Running(RunId),
    /// It is over: this one of [`LaneState::over`].
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

    /// How the next part would begin; `None` where nothing may.
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
            // The part that is heard first has the cores for itself until then.
            return None;
        }
        let is_in_vain =
            |over: &Part<P, E, C>| over.at < next.at && !matches!(over.held.last(), Some(Content::Finished));
        if !is_newer && self.over.iter().any(|(_, over)| is_in_vain(over)) {
            // An order before this part cannot be done, which ends those after it.
            return None;
        }
        let held = self.running.iter().map(|run| run.part.bytes).fold(next.bytes, u64::saturating_add);
        (!is_newer && held <= memory.bytes()).then_some(Beginning::Beside)
    }

    /// How many parts could begin now.
    pub fn begin_at_once(&self) -> usize {
        if self.is_paused { 0 } else { self.waiting().len().min(self.most_running.saturating_sub(self.running.len())) }
    }

    /// Orders that are still to be done: the newest ones, or those whose last part was not heard to its end.
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

    /// Whether newer orders wait for a worker only: nothing is wanted of those before.
    pub fn is_preempted(&self) -> bool {
        self.policy == Policy::Newest(Preempt::AtOnce) && self.next.is_some()
    }

    /// The newest orders take the place of those before.
    pub fn promote(&mut self) {
        if let Some(next) = self.next.take() {
            self.clear();
            self.queue = next;
            self.has_event = false;
        }
    }

    /// Forgets what waits and what was not heard.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.over.clear();
        (self.pieces, self.last, self.before) = (None, None, None);
        (self.silent, self.coalescing, self.drawing) = (None, None, None);
    }

    /// Puts a part back that a worker did not do, in its place.
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

    /// The run of the first part that a worker has.
    pub fn first_run(&self) -> Option<&Run<P, E, C>> {
        self.running.iter().min_by_key(|run| run.part.at)
    }

    /// Where the first part is that was not heard to its end.
    pub fn head(&self) -> Option<Head> {
        let waiting = self.queue.front().map(|part| (part.at, Head::Waiting));
        let running = self.running.iter().map(|run| (run.part.at, Head::Running(run.run_id)));
        let over = self.over.iter().enumerate().map(|(idx, (_, part))| (part.at, Head::Over(idx)));
        waiting.into_iter().chain(running).chain(over).min_by_key(|(at, _)| *at).map(|(_, head)| head)
    }

    /// How far the order of a run is, all its parts together, when the run has told how far it is itself. `None` while the
    /// page hears an order before it.
    pub fn progress(&mut self, run_id: RunId, told: Progress) -> Option<Progress> {
        let run = self.run(run_id)?;
        run.part.done = told.done;
        let (order, units) = (Rc::clone(&run.part.order), run.part.units.clone());
        let first = self.parts().min_by_key(|part| part.at)?;
        if !Rc::ptr_eq(&first.order, &order) {
            return None;
        }
        let (Some((_, whole)), Some((first, _))) = (units, &first.units) else { return Some(told) };
        let parts = self.parts().filter(|part| Rc::ptr_eq(&part.order, &order));
        // Units before the first were done by an order before.
        let done = first.start as u64 + parts.map(|part| part.done).sum::<u64>();
        Some(Progress { done, total: Some(whole.end as u64), relative_residual: None })
    }

    /// The parts that may begin next.
    fn waiting(&self) -> &VecDeque<Part<P, E, C>> {
        if self.is_awaited() { &self.queue } else { self.next.as_ref().unwrap_or(&self.queue) }
    }

    /// Whether the other parts of the order under way are done although a newer one waits: for its first event.
    fn is_awaited(&self) -> bool {
        let is_under_way = self.queue.front().is_some_and(|part| !part.is_first());
        self.policy == Policy::Newest(Preempt::AfterFirstEvent) && !self.has_event && is_under_way
    }

    /// The parts that were not heard to their end, the newest orders aside.
    fn parts(&self) -> impl Iterator<Item = &Part<P, E, C>> {
        let running = self.running.iter().map(|run| &run.part);
        self.queue.iter().chain(running).chain(self.over.iter().map(|(_, part)| part))
    }
}
