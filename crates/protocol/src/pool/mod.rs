//! Assigns runs to workers: one pool for every kind of work.
//!
//! Work comes in lanes. A lane either does all its orders, one after the other or several at once, or only the newest
//! order, which replaces the earlier one ([`Policy`]). A worker listens between slices of a few milliseconds. A single
//! step may take a second, and nothing interrupts it: if a worker does not start a new request in time, the pool ends
//! it and starts another one. If a worker dies, another one does its run, once; if that worker dies too, the pool gives
//! the run up.
//!
//! The newest orders are cut into parts (`Task::cut`). As many workers do parts side by side as there are cores and
//! memory allows. The pool holds the events of a part until the earlier parts are over, so that the page receives the same
//! events in the same order as if one worker did the whole order. A part that runs beside another one of its lane is
//! cancelled if another lane needs its worker, and done again later.
//!
//! The pool uses no browser: the page reports what happened and when, and the pool answers with [`Action`]s; workers
//! are ids.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `part` | a part of an order: the work of one worker |
//! | `lane` | the waiting and running parts of a lane, and whose turn it is to be received |
//! | `assign` | assigns parts to workers; starts and ends workers |
//! | `emit` | turns replies of workers into events for the page |
//! | `rules` | lanes, policies, actions, events: the input and output of the pool |

mod assign;
mod emit;
mod lane;
mod part;
mod rules;

use std::collections::VecDeque;

use crate::envelope::{Message, RunId};
use crate::task::TaskList;

use lane::{LaneState, Run, Yield};
use part::Part;

pub use rules::{Action, Begins, Lane, Order, Policy, PoolEvent, PoolOptions, Preempt, Spare, Timer, WorkerId};

/// How long the newest request waits for a run that may be about to finish: about a frame.
const COALESCE_MILLISECONDS: f64 = 18.0;
/// How long a worker may take to start a new request before it is ended. Together with [`COALESCE_MILLISECONDS`], this
/// is less than 50 ms.
const ANSWER_MILLISECONDS: f64 = 28.0;
/// How long a worker may be silent about a request that was sent while it was free.
const SILENCE_MILLISECONDS: f64 = 1000.0;
/// The shortest time between results that the page draws for an order of several workers: drawing uses a core that a
/// worker could use.
const DRAW_MILLISECONDS: f64 = 150.0;
/// How long a lane lets another one go first.
const YIELD_MILLISECONDS: f64 = 25.0;
/// How long a worker may take to start.
const START_MILLISECONDS: f64 = 20_000.0;
/// The longest that lanes with [`Begins::Later`] wait for the first run of the first lane.
const HEAD_START_MILLISECONDS: f64 = 1500.0;
/// How many workers in a row may fail to start before the pool gives up.
const MOST_FAILED_STARTS: u32 = 3;

/// A run of a task list.
type TaskRun<T, C> = Run<<T as TaskList>::Plan, <T as TaskList>::Event, C>;

/// The workers of one module and their runs. `C` is kept with each plan and returned with every reply.
#[derive(Debug)]
pub struct Pool<T: TaskList, L: Lane, C> {
    lanes: Vec<LaneState<T::Plan, T::Event, C>>,
    workers: Vec<Worker>,
    options: PoolOptions,
    /// Whether lanes with [`Begins::Later`] may start: the first run of the first lane is over, or its head start has
    /// passed.
    is_warm: bool,
    last_worker: WorkerId,
    last_run: RunId,
    last_part: u64,
    last_yield: u64,
    failed_starts: u32,
    actions: Vec<Action<T::Plan, C>>,
    events: Vec<PoolEvent<L, T::Plan, T::Event, C>>,
}

#[derive(Debug)]
struct Worker {
    id: WorkerId,
    /// Whether it listens: a message sent before its first message is lost.
    is_ready: bool,
    /// The last run it was given, unless that run is over.
    run: Option<RunId>,
    /// The lane of its last run: its memory may serve the next run.
    lane_idx: Option<usize>,
}

impl<T: TaskList, L: Lane, C> Pool<T, L, C> {
    /// A pool without workers.
    #[must_use]
    pub fn new(options: PoolOptions) -> Self {
        let most_running = |lane: &L| match lane.policy() {
            Policy::Queue => lane.workers().max(1),
            Policy::Newest(_) => options.cores.max(1),
        };
        Pool {
            lanes: L::ALL.iter().map(|lane| LaneState::new(lane.policy(), most_running(lane))).collect(),
            workers: Vec::new(),
            options,
            is_warm: false,
            last_worker: 0,
            last_run: 0,
            last_part: 0,
            last_yield: 0,
            failed_starts: 0,
            actions: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Starts the workers of the lanes that begin at once; also restarts the pool after it gave up.
    pub fn start(&mut self) {
        self.failed_starts = 0;
        let at_once = L::ALL.iter().filter(|lane| lane.begins() == Begins::AtOnce).count();
        while self.workers.len() < at_once {
            self.start_worker();
        }
        self.actions.push(Action::Wake(Timer::Warm, HEAD_START_MILLISECONDS));
        self.assign();
    }

    /// Adds orders to a lane. The lane's policy decides whether they wait behind the earlier orders or replace them. An
    /// empty list that replaces earlier orders acts as [`Pool::cancel`].
    pub fn submit(&mut self, lane: L, orders: impl IntoIterator<Item = Order<T::Plan, C>>) {
        let workers = if lane.policy() == Policy::Queue { 1 } else { self.options.cores };
        let last = &mut self.last_part;
        let parts: VecDeque<_> = orders.into_iter().flat_map(|order| Part::of::<T>(order, workers, last)).collect();
        match lane.policy() {
            Policy::Queue => self.lane(lane).queue.extend(parts),
            Policy::Newest(_) if parts.is_empty() => self.cancel(lane),
            Policy::Newest(_) => self.lane(lane).next = Some(parts),
        }
        self.preempt_when_due(lane);
        self.assign();
    }

    /// Ends the runs of a lane, and forgets its waiting orders.
    pub fn cancel(&mut self, lane: L) {
        let state = self.lane(lane);
        state.clear();
        state.next = None;
        self.cancel_runs(lane);
    }

    /// Starts no further runs of a lane until [`Pool::resume`].
    pub fn pause(&mut self, lane: L) {
        self.lane(lane).is_paused = true;
    }

    /// Lets a paused lane start runs again.
    pub fn resume(&mut self, lane: L) {
        self.lane(lane).is_paused = false;
        self.preempt_when_due(lane);
        self.assign();
    }

    /// Lets up to `workers` runs of a queue lane run side by side; other lanes have as many as there are cores.
    pub fn set_workers(&mut self, lane: L, workers: usize) {
        if lane.policy() == Policy::Queue {
            self.lane(lane).most_running = workers.max(1);
            self.assign();
        }
    }

    /// The number of runs of a lane that are under way.
    #[must_use]
    pub fn running(&self, lane: L) -> usize {
        self.lanes[Self::index(lane)].running.len()
    }

    /// Handles a message of a worker.
    pub fn on_event(&mut self, worker: WorkerId, message: Message<T::Event>) {
        match message {
            Message::Ready => {
                if let Some(worker) = self.workers.iter_mut().find(|known| known.id == worker) {
                    worker.is_ready = true;
                    self.failed_starts = 0;
                }
            }
            Message::Reply(reply) => self.on_reply(worker, reply),
        }
        self.assign();
    }

    /// Handles the death of a worker, or a message that cannot be decoded.
    pub fn lost(&mut self, id: WorkerId) {
        let Some(at) = self.workers.iter().position(|worker| worker.id == id) else { return };
        let worker = self.workers.remove(at);
        self.actions.push(Action::End(id));
        if !worker.is_ready {
            self.failed_starts += 1;
            if self.failed_starts == MOST_FAILED_STARTS {
                self.events.push(PoolEvent::CannotStart);
            }
        }
        if let Some((lane, run)) = worker.run.and_then(|run_id| self.take_run(run_id)) {
            if self.lane(lane).next.is_some() {
                // A newer order waits: nobody needs this run, or those beside it.
                self.preempt(lane);
            } else if run.part.is_second_try {
                if lane.policy() != Policy::Queue {
                    self.cancel(lane);
                }
                let left = self.lane(lane).left();
                self.events.push(PoolEvent::GaveUp { lane, of: run.part.order, left });
            } else {
                self.lane(lane).put_back(Part { is_second_try: true, ..run.part.afresh() });
                self.events.push(PoolEvent::Restarted(lane));
            }
        }
        self.assign();
    }

    /// Handles a worker that could not be started at all.
    pub fn refused(&mut self, id: WorkerId) {
        self.workers.retain(|worker| worker.id != id);
        // Several workers that should start at once are refused one by one: the page receives of it once.
        if std::mem::replace(&mut self.failed_starts, MOST_FAILED_STARTS) < MOST_FAILED_STARTS {
            self.events.push(PoolEvent::CannotStart);
        }
    }

    /// Handles a timer that an action asked for.
    pub fn wake(&mut self, timer: Timer) {
        match timer {
            Timer::Warm => self.is_warm = true,
            Timer::Start(id) => {
                if self.workers.iter().any(|worker| worker.id == id && !worker.is_ready) {
                    self.lost(id);
                }
            }
            Timer::Coalesced(run_id) => {
                if let Some(lane) = self.lane_that(|lane| lane.coalescing == Some(run_id)) {
                    self.preempt(lane);
                }
            }
            Timer::Answer(run_id) => {
                if self.run(run_id).is_some_and(|run| !run.is_started) {
                    self.replace(run_id);
                }
            }
            Timer::Silence(run_id) => {
                let is_started = self.run(run_id).is_none_or(|run| run.is_started);
                let lane = self.lane_that(|lane| lane.silent == Some(run_id) && !(is_started && lane.has_event));
                if let Some(lane) = lane.filter(|lane| self.lane(*lane).next.is_some()) {
                    // The worker may be stuck; if it has gone on to another part, it listens.
                    if self.run(run_id).is_some() { self.replace(run_id) } else { self.preempt(lane) }
                }
            }
            Timer::Drawn(run_id) => {
                if let Some(lane) = self.lane_that(|lane| lane.drawing == Some(run_id)) {
                    self.lane(lane).drawing = None;
                    if !self.lane(lane).is_preempted() {
                        self.emit_head(lane);
                    }
                }
            }
            Timer::LetGo(lane_idx, number) => {
                // A lane that has started an order since then and yields again has a yield with another number.
                let lane = self.lanes.get_mut(lane_idx).filter(|lane| lane.yielding == Yield::UntilTimer(number));
                lane.into_iter().for_each(|lane| lane.yielding = Yield::Over);
            }
            Timer::Cancelled(id, run_id) => {
                if self.workers.iter().any(|worker| worker.id == id && worker.run == Some(run_id)) {
                    self.end_worker(id);
                }
            }
        }
        self.assign();
    }

    /// The actions for the page since the last call.
    pub fn take_actions(&mut self) -> Vec<Action<T::Plan, C>> {
        std::mem::take(&mut self.actions)
    }

    /// The events since the last call.
    pub fn take_events(&mut self) -> Vec<PoolEvent<L, T::Plan, T::Event, C>> {
        std::mem::take(&mut self.events)
    }

    fn index(lane: L) -> usize {
        L::ALL.iter().position(|known| *known == lane).unwrap_or_default()
    }

    fn lane(&mut self, lane: L) -> &mut LaneState<T::Plan, T::Event, C> {
        &mut self.lanes[Self::index(lane)]
    }

    fn run(&mut self, run_id: RunId) -> Option<&mut TaskRun<T, C>> {
        self.lanes.iter_mut().find_map(|lane| lane.run(run_id))
    }

    fn take_run(&mut self, run_id: RunId) -> Option<(L, TaskRun<T, C>)> {
        let lane = self.lane_of(run_id)?;
        Some((lane, self.lane(lane).take_run(run_id)?))
    }

    fn lane_of(&self, run_id: RunId) -> Option<L> {
        self.lane_that(|lane| lane.running.iter().any(|run| run.run_id == run_id))
    }

    fn lane_that(&self, is_it: impl Fn(&LaneState<T::Plan, T::Event, C>) -> bool) -> Option<L> {
        self.lanes.iter().position(is_it).map(|at| L::ALL[at])
    }
}
