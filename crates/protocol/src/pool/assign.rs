//! Which worker does which part, when a newer order preempts the running one, and how many workers run.

use std::rc::Rc;

use super::lane::{Beginning, Run, Yield};
use super::rules::{Action, Begins, Lane, Policy, Preempt, Spare, Timer, WorkerId};
use super::{
    ANSWER_MILLISECONDS, COALESCE_MILLISECONDS, MOST_FAILED_STARTS, Pool, SILENCE_MILLISECONDS, START_MILLISECONDS,
    Worker, YIELD_MILLISECONDS,
};
use crate::envelope::{Command, Request, RunId};
use crate::task::TaskList;

impl<T: TaskList, L: Lane, C> Pool<T, L, C> {
    /// Where a newer order waits in a lane, preempts the running parts once their time has passed.
    pub(super) fn preempt_when_due(&mut self, lane: L) {
        let Policy::Newest(when) = lane.policy() else { return };
        let state = self.lane(lane);
        let (Some(run), true) = (state.first_run(), state.next.is_some()) else { return };
        let run_id = run.run_id;
        // The run has not started, or has to send its first event before it is preempted. Its worker's next message
        // calls this function again; the timer ends the wait if no message comes.
        if !run.is_started || when == Preempt::AfterFirstEvent && !state.has_event {
            if state.silent.is_none() {
                state.silent = Some(run_id);
                self.actions.push(Action::Wake(Timer::Silence(run_id), SILENCE_MILLISECONDS));
            }
        } else if when == Preempt::AtOnce {
            self.preempt(lane);
        } else if state.coalescing.is_none() {
            state.coalescing = Some(run_id);
            self.actions.push(Action::Wake(Timer::Coalesced(run_id), COALESCE_MILLISECONDS));
        }
    }

    /// Sends parts of the newest orders to the workers that run earlier ones; cancels the runs of workers that get no
    /// part.
    pub(super) fn preempt(&mut self, lane: L) {
        let memory = self.options.memory;
        let state = self.lane(lane);
        if state.next.is_none() || state.is_paused {
            return;
        }
        state.promote();
        let mut old = std::mem::take(&mut state.running);
        old.sort_by_key(|run| run.part.at);
        for run in old {
            if self.lane(lane).beginning(memory).is_none() {
                self.cancel_run(&run);
            } else if let Some(run_id) = self.send_next(lane, run.worker) {
                self.actions.push(Action::Wake(Timer::Answer(run_id), ANSWER_MILLISECONDS));
            }
        }
    }

    /// Ends the worker of a run. Another worker does the part, unless a newer order waits.
    pub(super) fn replace(&mut self, run_id: RunId) {
        let Some((lane, run)) = self.take_run(run_id) else { return };
        self.end_worker(run.worker);
        if self.lane(lane).next.is_some() {
            self.preempt(lane);
        } else {
            self.lane(lane).put_back(run.part.afresh());
        }
    }

    /// Ends all runs of a lane.
    pub(super) fn cancel_runs(&mut self, lane: L) {
        for run in std::mem::take(&mut self.lane(lane).running) {
            self.cancel_run(&run);
        }
    }

    pub(super) fn end_worker(&mut self, id: WorkerId) {
        self.workers.retain(|worker| worker.id != id);
        self.actions.push(Action::End(id));
    }

    pub(super) fn start_worker(&mut self) {
        self.last_worker += 1;
        let id = self.last_worker;
        self.workers.push(Worker { id, is_ready: false, run: None, lane_idx: None });
        self.actions.push(Action::Start(id));
        self.actions.push(Action::Wake(Timer::Start(id), START_MILLISECONDS));
    }

    /// Assigns waiting parts to free workers, and starts workers where too few run.
    pub(super) fn assign(&mut self) {
        let mut lacking = self.begin_due();
        let waiting = self.begin_parallel(lacking);
        while lacking > 0 && self.n_running() + lacking > self.options.cores && self.withdraw() {
            lacking = self.begin_due();
        }
        self.start_workers(lacking, waiting);
    }

    /// Starts the parts that are due, and those of queues; returns how many of them lack a worker.
    fn begin_due(&mut self) -> usize {
        let mut lacking = 0;
        for (lane_idx, lane) in L::ALL.iter().enumerate() {
            while self.beginning(lane_idx) == Some(Beginning::Due) || self.is_queued(lane_idx) {
                if self.lets_go(lane_idx) {
                    break;
                }
                let free = self.free_worker(lane_idx);
                let Some(id) = free.or_else(|| self.leaving_worker()) else {
                    lacking += if lane.policy() == Policy::Queue { self.lanes[lane_idx].begin_at_once() } else { 1 };
                    break;
                };
                if let (Some(run_id), None) = (self.send_next(*lane, id), free) {
                    self.actions.push(Action::Wake(Timer::Answer(run_id), ANSWER_MILLISECONDS));
                }
            }
        }
        lacking
    }

    /// Starts further parts of lanes that already run one, on free cores; returns how many of them lack a worker.
    fn begin_parallel(&mut self, lacking: usize) -> usize {
        for (lane_idx, lane) in L::ALL.iter().enumerate() {
            while self.beginning(lane_idx) == Some(Beginning::Parallel) && !self.is_queued(lane_idx) {
                let cores = self.options.cores.saturating_sub(self.n_running() + lacking);
                if cores == 0 {
                    return 0;
                }
                let Some(id) = self.free_worker(lane_idx) else {
                    return self.lanes[lane_idx].begin_at_once().min(cores);
                };
                self.send_next(*lane, id);
            }
        }
        0
    }

    /// Takes back a part that runs beside another one of its lane, so that its worker is free for another lane.
    fn withdraw(&mut self) -> bool {
        let is_cut = |lane_idx: &usize| L::ALL[*lane_idx].policy() != Policy::Queue;
        let beside = (0..L::ALL.len()).filter(is_cut).filter(|lane_idx| self.lanes[*lane_idx].running.len() > 1);
        let Some(lane_idx) = beside.max_by_key(|lane_idx| self.lanes[*lane_idx].running.len()) else { return false };
        let state = &mut self.lanes[lane_idx];
        let last = state.running.iter().max_by_key(|run| run.part.at).map(|run| run.run_id);
        let Some(run) = last.and_then(|run_id| state.take_run(run_id)) else { return false };
        self.cancel_run(&run);
        self.lanes[lane_idx].put_back(run.part.afresh());
        true
    }

    /// Starts a worker for every run that lacks one. For `waiting` parts that may run beside others, and for the spare,
    /// it starts workers only up to a total of one per core, or one more with [`Spare::One`].
    fn start_workers(&mut self, lacking: usize, waiting: usize) {
        let spare = usize::from(self.options.spare == Spare::One && self.is_warm);
        let most = self.options.cores + usize::from(self.options.spare == Spare::One);
        // A leaving worker will soon be free, or ended: at the limit, no worker is started in its place.
        let n_leaving = self.workers.iter().filter(|worker| self.is_leaving(worker)).count();
        loop {
            let n_free = self.workers.iter().filter(|worker| worker.run.is_none()).count();
            let is_lacking = n_free + if self.workers.len() < most { 0 } else { n_leaving } < lacking;
            let is_wanted = self.workers.len() < most && n_free < lacking + waiting + spare;
            if self.failed_starts >= MOST_FAILED_STARTS || !(is_lacking || is_wanted) {
                return;
            }
            self.start_worker();
        }
    }

    /// How the next part of a lane would begin now.
    fn beginning(&self, lane_idx: usize) -> Option<Beginning> {
        let is_early = L::ALL[lane_idx].begins() == Begins::Later && !self.is_warm;
        self.lanes[lane_idx].beginning(self.options.memory).filter(|_| !is_early)
    }

    /// Whether a lane that may start lets the lane of [`Lane::comes_after`] go first: that lane has work, and with both
    /// running no core would be left for the page.
    fn lets_go(&mut self, lane_idx: usize) -> bool {
        let Some(first) = L::ALL[lane_idx].comes_after().map(Self::index) else { return false };
        let has_work = !self.lanes[first].running.is_empty() || self.beginning(first).is_some();
        if !self.is_warm || !has_work || self.n_running() + 1 < self.options.cores {
            return false;
        }
        let yielding = &mut self.lanes[lane_idx].yielding;
        if *yielding == Yield::None {
            self.last_yield += 1;
            *yielding = Yield::UntilTimer(self.last_yield);
            self.actions.push(Action::Wake(Timer::LetGo(lane_idx, self.last_yield), YIELD_MILLISECONDS));
        }
        *yielding != Yield::Over
    }

    /// Whether a lane with a queue has an order that may begin.
    fn is_queued(&self, lane_idx: usize) -> bool {
        L::ALL[lane_idx].policy() == Policy::Queue && self.beginning(lane_idx).is_some()
    }

    fn n_running(&self) -> usize {
        self.lanes.iter().map(|lane| lane.running.len()).sum()
    }

    /// A worker that listens and does nothing, preferably the one that last worked in this lane.
    fn free_worker(&self, lane_idx: usize) -> Option<WorkerId> {
        let free = self.workers.iter().filter(|worker| worker.is_ready && worker.run.is_none());
        free.min_by_key(|worker| (worker.lane_idx != Some(lane_idx), worker.lane_idx.is_some(), worker.id))
            .map(|worker| worker.id)
    }

    /// A worker that has not confirmed yet that its run is cancelled. It can be given another run at once, and begins
    /// that run when it has ended the cancelled one.
    fn leaving_worker(&self) -> Option<WorkerId> {
        self.workers.iter().find(|worker| self.is_leaving(worker)).map(|worker| worker.id)
    }

    fn is_leaving(&self, worker: &Worker) -> bool {
        let is_wanted = |run_id| self.lanes.iter().any(|lane| lane.running.iter().any(|run| run.run_id == run_id));
        worker.run.is_some_and(|run_id| !is_wanted(run_id))
    }

    fn cancel_run(&mut self, run: &Run<T::Plan, T::Event, C>) {
        self.actions.push(Action::Send(run.worker, Command::Cancel, None));
        self.actions.push(Action::Wake(Timer::Cancelled(run.worker, run.run_id), ANSWER_MILLISECONDS));
    }

    /// Sends the next part of a lane to a worker, which may still be busy.
    fn send_next(&mut self, lane: L, id: WorkerId) -> Option<RunId> {
        let part = self.lane(lane).pop()?;
        self.lane(lane).yielding = Yield::None;
        self.last_run += 1;
        let run_id = self.last_run;
        if let Some(worker) = self.workers.iter_mut().find(|worker| worker.id == id) {
            worker.run = Some(run_id);
            worker.lane_idx = Some(Self::index(lane));
        }
        let command = Command::Run(Request { run_id, plan: part.plan::<T>() });
        self.actions.push(Action::Send(id, command, Some(Rc::clone(&part.order))));
        self.lane(lane).running.push(Run { run_id, part, worker: id, is_started: false });
        Some(run_id)
    }
}
