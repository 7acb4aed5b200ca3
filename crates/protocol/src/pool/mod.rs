//! Which worker gets which run: one pool for every kind of work.
//!
//! Work comes in lanes. A lane either does all its orders, one after the other or several at once, or only the newest, which
//! takes the place of the one before ([`Policy`]). A worker listens between slices of a few milliseconds, but one step may
//! take a second, and nothing interrupts it: a worker that does not turn to a new request in time is ended, and another one
//! takes its place. A worker that dies gives its run to another one, once; if that dies too, the pool gives the run up.
//!
//! The pool knows no browser: it is told what happened and when, and answers with [`Action`]s; workers are ids.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `lane` | what waits and what runs in a lane |
//! | `rules` | lanes, policies, actions, events: what the pool is told and says |

mod lane;
mod rules;

use std::rc::Rc;

use crate::envelope::{Command, Content, Message, Reply, Request, RunId};
use crate::task::TaskList;

use lane::{LaneState, Run, Waiting};

pub use rules::{Action, Begins, Lane, Order, Patience, Policy, PoolEvent, Spare, Timer, WorkerId};

/// How long the newest request waits for a run that may be about to finish: about a frame.
const COALESCE_MILLISECONDS: f64 = 18.0;
/// How long a worker has to turn to a new request before it is ended. With the time above under 50 ms.
const ANSWER_MILLISECONDS: f64 = 28.0;
/// How long a worker may be silent about a request that was sent to it while it was free.
const SILENCE_MILLISECONDS: f64 = 1000.0;
/// How long a worker has to start.
const START_MILLISECONDS: f64 = 20_000.0;
/// The longest that lanes which begin later wait for the first run of the first lane.
const HEAD_START_MILLISECONDS: f64 = 1500.0;
/// How many workers in a row may fail to start before the pool gives up.
const MOST_FAILED_STARTS: u32 = 3;

/// The workers of one module and what they do. `C` is what the page keeps beside a plan, and gets back with every reply.
#[derive(Debug)]
pub struct Pool<T: TaskList, L: Lane, C> {
    lanes: Vec<LaneState<T::Plan, C>>,
    workers: Vec<Worker>,
    spare: Spare,
    /// Whether lanes that begin later may start: the first run of the first lane is over, or has had its time.
    is_warm: bool,
    last_worker: WorkerId,
    last_run: RunId,
    failed_starts: u32,
    actions: Vec<Action<T::Plan, C>>,
    events: Vec<PoolEvent<L, T::Plan, T::Event, C>>,
}

#[derive(Debug)]
struct Worker {
    id: WorkerId,
    /// Whether it listens: what is sent to it before its first word is lost.
    is_ready: bool,
    /// The last run that it was given, if that is not over.
    run: Option<RunId>,
    /// The lane of its last run: what it has in memory serves the next one.
    lane_idx: Option<usize>,
}

impl<T: TaskList, L: Lane, C> Pool<T, L, C> {
    /// Without any worker.
    #[must_use]
    pub fn new(spare: Spare) -> Self {
        Pool {
            lanes: L::ALL.iter().map(|lane| LaneState::new(most_running(*lane, lane.workers()))).collect(),
            workers: Vec::new(),
            spare,
            is_warm: false,
            last_worker: 0,
            last_run: 0,
            failed_starts: 0,
            actions: Vec::new(),
            events: Vec::new(),
        }
    }

    /// Starts the workers of the lanes that begin at once; also after the pool gave up.
    pub fn start(&mut self) {
        self.failed_starts = 0;
        let at_once = L::ALL.iter().filter(|lane| lane.begins() == Begins::AtOnce).count();
        while self.workers.len() < at_once {
            self.start_worker();
        }
        self.actions.push(Action::Wake(Timer::Warm, HEAD_START_MILLISECONDS));
        self.assign();
    }

    /// Takes orders for a lane: after those that wait there, or in their place, by the lane's policy. No orders in the
    /// place of those before are a [`Pool::cancel`].
    pub fn submit(&mut self, lane: L, orders: impl IntoIterator<Item = Order<T::Plan, C>>) {
        let mut orders = orders.into_iter().map(Waiting::first_try).peekable();
        match lane.policy() {
            Policy::Queue => self.lane(lane).queue.extend(orders),
            Policy::Newest(_) if orders.peek().is_none() => self.cancel(lane),
            Policy::Newest(_) => self.lane(lane).next = Some(orders.collect()),
        }
        self.press(lane);
        self.assign();
    }

    /// Ends what a lane does, and forgets what waits there.
    pub fn cancel(&mut self, lane: L) {
        let state = self.lane(lane);
        state.queue.clear();
        state.next = None;
        for run in std::mem::take(&mut state.running) {
            self.actions.push(Action::Send(run.worker, Command::Cancel, None));
            self.actions.push(Action::Wake(Timer::Cancelled(run.worker, run.run_id), ANSWER_MILLISECONDS));
        }
    }

    /// Begins no more runs of a lane for now.
    pub fn pause(&mut self, lane: L) {
        self.lane(lane).is_paused = true;
    }

    /// Goes on with the runs of a lane.
    pub fn resume(&mut self, lane: L) {
        self.lane(lane).is_paused = false;
        self.press(lane);
        self.assign();
    }

    /// Lets up to `workers` runs of a lane with a queue go on side by side; other lanes have one run at a time.
    pub fn set_workers(&mut self, lane: L, workers: usize) {
        self.lane(lane).most_running = most_running(lane, workers);
        self.assign();
    }

    /// How many runs of a lane are under way.
    #[must_use]
    pub fn running(&self, lane: L) -> usize {
        self.lanes[Self::index(lane)].running.len()
    }

    /// Takes in a message of a worker.
    pub fn hear(&mut self, worker: WorkerId, message: Message<T::Event>) {
        match message {
            Message::Ready => {
                if let Some(worker) = self.workers.iter_mut().find(|known| known.id == worker) {
                    worker.is_ready = true;
                    self.failed_starts = 0;
                }
            }
            Message::Reply(reply) => self.hear_reply(worker, reply),
        }
        self.assign();
    }

    /// A worker died, or said something that is no message.
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
            let policy = lane.policy();
            let state = self.lane(lane);
            if state.next.is_some() {
                // Something newer waits: nobody misses this run.
            } else if run.is_second_try {
                if policy != Policy::Queue {
                    state.queue.clear();
                }
                let left = state.left();
                self.events.push(PoolEvent::GaveUp { lane, of: run.order, left });
            } else {
                state.queue.push_front(Waiting { order: run.order, is_second_try: true });
                self.events.push(PoolEvent::Restarted(lane));
            }
        }
        self.assign();
    }

    /// A worker could not be started at all.
    pub fn refused(&mut self, id: WorkerId) {
        self.workers.retain(|worker| worker.id != id);
        // Of several workers that were to be started at once, each is refused.
        if std::mem::replace(&mut self.failed_starts, MOST_FAILED_STARTS) < MOST_FAILED_STARTS {
            self.events.push(PoolEvent::CannotStart);
        }
    }

    /// A time that an action asked for has passed.
    pub fn wake(&mut self, timer: Timer) {
        match timer {
            Timer::Warm => self.is_warm = true,
            Timer::Start(id) => {
                if self.workers.iter().any(|worker| worker.id == id && !worker.is_ready) {
                    self.lost(id);
                }
            }
            Timer::Coalesced(run_id) => {
                if let Some(lane) = self.lane_of(run_id).filter(|lane| self.lane(*lane).next.is_some()) {
                    self.preempt(lane);
                }
            }
            Timer::Answer(run_id) => {
                if self.run(run_id).is_some_and(|run| !run.is_started) {
                    self.replace(run_id);
                }
            }
            Timer::Silence(run_id) => {
                let is_silent = self.run(run_id).is_some_and(|run| !run.is_started || !run.has_event);
                if is_silent && self.lane_of(run_id).is_some_and(|lane| self.lane(lane).next.is_some()) {
                    self.replace(run_id);
                }
            }
            Timer::Cancelled(id, run_id) => {
                if self.workers.iter().any(|worker| worker.id == id && worker.run == Some(run_id)) {
                    self.end_worker(id);
                }
            }
        }
        self.assign();
    }

    /// What is to be done outside since the last call.
    pub fn take_actions(&mut self) -> Vec<Action<T::Plan, C>> {
        std::mem::take(&mut self.actions)
    }

    /// What happened since the last call.
    pub fn take_events(&mut self) -> Vec<PoolEvent<L, T::Plan, T::Event, C>> {
        std::mem::take(&mut self.events)
    }

    fn index(lane: L) -> usize {
        L::ALL.iter().position(|known| *known == lane).unwrap_or_default()
    }

    fn lane(&mut self, lane: L) -> &mut LaneState<T::Plan, C> {
        &mut self.lanes[Self::index(lane)]
    }

    fn lane_of(&self, run_id: RunId) -> Option<L> {
        let at = self.lanes.iter().position(|lane| lane.running.iter().any(|run| run.run_id == run_id))?;
        Some(L::ALL[at])
    }

    fn run(&mut self, run_id: RunId) -> Option<&mut Run<T::Plan, C>> {
        self.lanes.iter_mut().flat_map(|lane| &mut lane.running).find(|run| run.run_id == run_id)
    }

    fn take_run(&mut self, run_id: RunId) -> Option<(L, Run<T::Plan, C>)> {
        let lane = self.lane_of(run_id)?;
        let running = &mut self.lane(lane).running;
        let at = running.iter().position(|run| run.run_id == run_id)?;
        Some((lane, running.remove(at)))
    }

    fn hear_reply(&mut self, id: WorkerId, Reply { run_id, content }: Reply<T::Event>) {
        let Some(worker) = self.workers.iter_mut().find(|worker| worker.id == id) else { return };
        if worker.run != Some(run_id) {
            // Of a run whose place was taken.
            return;
        }
        if content.is_last() {
            worker.run = None;
        }
        let Some(lane) = self.lane_of(run_id) else { return };
        let Some(run) = self.run(run_id) else { return };
        let of = Rc::clone(&run.order);
        let is_first_event = matches!(content, Content::Event(_)) && !std::mem::replace(&mut run.has_event, true);
        let is_turned = matches!(content, Content::Started);
        run.is_started |= is_turned;
        if content.is_last() {
            self.take_run(run_id);
            if lane.policy() != Policy::Queue && !matches!(content, Content::Finished) {
                // What waits goes on from what this run did not do.
                self.lane(lane).queue.clear();
            }
            self.is_warm |= lane == L::ALL[0];
        } else if is_turned || is_first_event {
            self.press(lane);
            if self.run(run_id).is_none() {
                // A newer order has just taken its place.
                return;
            }
        }
        let left = self.lane(lane).left();
        self.events.push(PoolEvent::Reply { lane, run_id, of, content, left });
    }

    /// A newer order waits in a lane: it takes the place of the run under way when that has had its chance.
    fn press(&mut self, lane: L) {
        let Policy::Newest(patience) = lane.policy() else { return };
        let state = self.lane(lane);
        let (Some(run), true) = (state.running.first(), state.next.is_some()) else { return };
        let run_id = run.run_id;
        if !run.is_started {
            // The worker turns to it, and its answer brings this up again.
            return self.actions.push(Action::Wake(Timer::Silence(run_id), SILENCE_MILLISECONDS));
        }
        match patience {
            Patience::None => self.preempt(lane),
            Patience::FirstEvent if !run.has_event => {
                self.actions.push(Action::Wake(Timer::Silence(run_id), SILENCE_MILLISECONDS));
            }
            Patience::Moment | Patience::FirstEvent => {
                self.actions.push(Action::Wake(Timer::Coalesced(run_id), COALESCE_MILLISECONDS));
            }
        }
    }

    /// Sends the newest order to the worker that does the one before.
    fn preempt(&mut self, lane: L) {
        let state = self.lane(lane);
        if state.next.is_none() || state.running.is_empty() || state.is_paused {
            return;
        }
        let old = state.running.remove(0);
        if let Some(run_id) = self.send_next(lane, old.worker) {
            self.actions.push(Action::Wake(Timer::Answer(run_id), ANSWER_MILLISECONDS));
        }
    }

    /// Ends the worker of a run; the run is done by another one, unless something newer waits.
    fn replace(&mut self, run_id: RunId) {
        let Some((lane, run)) = self.take_run(run_id) else { return };
        self.end_worker(run.worker);
        let state = self.lane(lane);
        if state.next.is_none() {
            state.queue.push_front(Waiting { order: run.order, is_second_try: run.is_second_try });
        }
    }

    fn end_worker(&mut self, id: WorkerId) {
        self.workers.retain(|worker| worker.id != id);
        self.actions.push(Action::End(id));
    }

    fn start_worker(&mut self) {
        self.last_worker += 1;
        let id = self.last_worker;
        self.workers.push(Worker { id, is_ready: false, run: None, lane_idx: None });
        self.actions.push(Action::Start(id));
        self.actions.push(Action::Wake(Timer::Start(id), START_MILLISECONDS));
    }

    /// Gives what waits to workers that are free, and starts workers where there are too few.
    fn assign(&mut self) {
        let mut lacking = 0;
        for (lane_idx, lane) in L::ALL.iter().enumerate() {
            if lane.begins() == Begins::Later && !self.is_warm {
                continue;
            }
            while self.lanes[lane_idx].can_begin() {
                match self.free_worker(lane_idx) {
                    Some(id) => {
                        self.send_next(*lane, id);
                    }
                    None => {
                        lacking += self.lanes[lane_idx].begin_at_once();
                        break;
                    }
                }
            }
        }
        let wanted = lacking + usize::from(self.spare == Spare::One && self.is_warm);
        let free = |worker: &&Worker| worker.run.is_none();
        while self.failed_starts < MOST_FAILED_STARTS && self.workers.iter().filter(free).count() < wanted {
            self.start_worker();
        }
    }

    /// A worker that listens and has nothing to do: best the one that last worked in this lane.
    fn free_worker(&self, lane_idx: usize) -> Option<WorkerId> {
        let free = self.workers.iter().filter(|worker| worker.is_ready && worker.run.is_none());
        free.min_by_key(|worker| (worker.lane_idx != Some(lane_idx), worker.lane_idx.is_some(), worker.id))
            .map(|worker| worker.id)
    }

    /// Sends the next order of a lane to a worker, whatever that does now.
    fn send_next(&mut self, lane: L, id: WorkerId) -> Option<RunId> {
        let Waiting { order, is_second_try } = self.lane(lane).pop()?;
        self.last_run += 1;
        let run_id = self.last_run;
        if let Some(worker) = self.workers.iter_mut().find(|worker| worker.id == id) {
            worker.run = Some(run_id);
            worker.lane_idx = Some(Self::index(lane));
        }
        let command = Command::Run(Request { run_id, plan: order.plan.clone() });
        self.actions.push(Action::Send(id, command, Some(Rc::clone(&order))));
        let run = Run { run_id, order, worker: id, is_started: false, has_event: false, is_second_try };
        self.lane(lane).running.push(run);
        Some(run_id)
    }
}

/// How many runs of a lane may go on side by side: of the newest orders one, or an older one would go on beside it.
fn most_running<L: Lane>(lane: L, workers: usize) -> usize {
    if lane.policy() == Policy::Queue { workers.max(1) } else { 1 }
}
