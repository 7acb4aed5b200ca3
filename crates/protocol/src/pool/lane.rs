//! What waits and what runs in a lane.

use std::collections::VecDeque;
use std::rc::Rc;

use super::rules::{Order, WorkerId};
use crate::envelope::RunId;

/// An order that no worker has.
#[derive(Debug)]
pub(super) struct Waiting<P, C> {
    pub order: Rc<Order<P, C>>,
    /// Whether a worker died over it.
    pub is_second_try: bool,
}

/// An order that a worker has.
#[derive(Debug)]
pub(super) struct Run<P, C> {
    pub run_id: RunId,
    pub order: Rc<Order<P, C>>,
    pub worker: WorkerId,
    /// Whether the worker has turned to it.
    pub is_started: bool,
    /// Whether a result of it is there.
    pub has_event: bool,
    pub is_second_try: bool,
}

#[derive(Debug)]
pub(super) struct LaneState<P, C> {
    /// The rest of what was ordered.
    pub queue: VecDeque<Waiting<P, C>>,
    /// The newest orders, where they take the place of those before and have not yet.
    pub next: Option<VecDeque<Waiting<P, C>>>,
    pub running: Vec<Run<P, C>>,
    pub most_running: usize,
    pub is_paused: bool,
}

impl<P, C> Waiting<P, C> {
    pub fn first_try(order: Order<P, C>) -> Self {
        Waiting { order: Rc::new(order), is_second_try: false }
    }
}

impl<P, C> LaneState<P, C> {
    pub fn new(most_running: usize) -> Self {
        LaneState { queue: VecDeque::new(), next: None, running: Vec::new(), most_running, is_paused: false }
    }

    /// How many orders could begin now.
    pub fn begin_at_once(&self) -> usize {
        if self.is_paused { 0 } else { self.waiting().min(self.most_running.saturating_sub(self.running.len())) }
    }

    /// Orders that are not done.
    pub fn left(&self) -> usize {
        self.waiting() + self.running.len()
    }

    /// Orders that no worker has and that are still wanted.
    fn waiting(&self) -> usize {
        self.next.as_ref().map_or(self.queue.len(), VecDeque::len)
    }

    pub fn can_begin(&self) -> bool {
        self.begin_at_once() > 0
    }

    /// The next order; the newest ones take the place of those before.
    pub fn pop(&mut self) -> Option<Waiting<P, C>> {
        if let Some(next) = self.next.take() {
            self.queue = next;
        }
        self.queue.pop_front()
    }
}
