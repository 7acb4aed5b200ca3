//! One kind of work: its worker, the run under way, and what waits.

use std::collections::VecDeque;

use lipscope_protocol::message::{Reply, Request, RunId};

use crate::hand::Hand;

/// Requests that are done one after the other; a newer job takes the place of an older one.
pub type Job = VecDeque<Request>;

/// A run that a worker was given.
pub(super) struct Run {
    pub run_id: RunId,
    pub request: Request,
    /// Whether the worker has begun it.
    pub is_started: bool,
    /// Whether its main answer is there, and only what follows it is left.
    pub has_answered: bool,
    /// Whether it was given to a second worker after the first died.
    pub is_second_try: bool,
    /// Whether nobody wants its results any more.
    pub is_unwanted: bool,
}

/// A lane: at most one run is under way, at most one job waits.
#[derive(Default)]
pub(super) struct Lane {
    pub hand: Option<Hand>,
    pub running: Option<Run>,
    /// What is left of the job under way.
    pub rest: Job,
    /// The newest job, if it has not begun.
    pub next: Option<Job>,
    /// The next request is one that has been tried before.
    pub retries: bool,
}

impl Lane {
    /// Whether this worker is the lane's.
    pub fn has(&self, hand: u64) -> bool {
        self.hand.as_ref().is_some_and(|own| own.id == hand)
    }

    /// Gives the next request to the worker, if it listens and is free.
    pub fn pump(&mut self) {
        if self.running.is_none() {
            self.send_next();
        }
    }

    /// Gives the next request to the worker, whatever it does now.
    pub fn send_next(&mut self) {
        let Some(hand) = self.hand.as_ref().filter(|hand| hand.is_ready) else { return };
        if let Some(next) = self.next.take() {
            self.rest = next;
            self.retries = false;
        }
        let Some(request) = self.rest.pop_front() else { return };
        let Some(run_id) = request.run_id() else { return };
        hand.send(&request);
        let is_second_try = std::mem::take(&mut self.retries);
        self.running =
            Some(Run { run_id, request, is_started: false, has_answered: false, is_second_try, is_unwanted: false });
    }

    /// Tells the worker to stop; its run's results are dropped.
    pub fn cancel(&mut self) -> Option<RunId> {
        self.next = None;
        self.rest.clear();
        let run = self.running.as_mut()?;
        run.is_unwanted = true;
        if let Some(hand) = &self.hand {
            hand.send(&Request::Cancel);
        }
        Some(run.run_id)
    }

    /// The worker is gone: what it did goes back in front, unless something newer waits. Returns whether it goes back.
    pub fn put_back(&mut self) -> bool {
        let Some(run) = self.running.take() else { return false };
        if run.is_unwanted || self.next.is_some() {
            return false;
        }
        self.rest.push_front(run.request);
        true
    }

    /// The run of this id, if it is the one under way.
    pub fn run(&mut self, run_id: RunId) -> Option<&mut Run> {
        self.running.as_mut().filter(|run| run.run_id == run_id)
    }
}

/// The run that a reply is about.
pub(super) fn run_of_reply(reply: &Reply) -> Option<RunId> {
    match reply {
        Reply::Ready => None,
        Reply::Started { run_id }
        | Reply::Progress { run_id, .. }
        | Reply::Measured { run_id, .. }
        | Reply::Points { run_id, .. }
        | Reply::Curves { run_id, .. }
        | Reply::Growth { run_id, .. }
        | Reply::Family { run_id, .. }
        | Reply::Scaled { run_id, .. }
        | Reply::Tight { run_id, .. }
        | Reply::Inverting { run_id, .. }
        | Reply::Inverse { run_id, .. }
        | Reply::Search { run_id, .. }
        | Reply::Searched { run_id, .. }
        | Reply::Spectrum { run_id, .. }
        | Reply::EstimatorComparison { run_id, .. }
        | Reply::Read { run_id, .. }
        | Reply::Script { run_id, .. }
        | Reply::Finished { run_id }
        | Reply::Cancelled { run_id }
        | Reply::Failed { run_id, .. } => Some(*run_id),
    }
}
