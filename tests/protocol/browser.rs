//! A browser for tests: it carries out the pool's actions, with real runners in workers of its own and a clock of its
//! own. Everything due happens in time order; messages travel as bytes and take some time.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use lipscope_protocol::envelope::{Command, Content, Message, RunId, decode, encode};
use lipscope_protocol::pool::{
    Action, Begins, Lane, Order, Policy, Pool, PoolEvent, PoolOptions, Preempt, Spare, Timer, WorkerId,
};
use lipscope_protocol::runner::{Runner, SLICE_MILLISECONDS};
use lipscope_protocol::task::Poll;

use crate::counting::{AnyEvent, AnyPlan, Clock, CountTasks};

/// Lanes with every policy. The first has a worker from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// Only the newest orders; they preempt after a moment.
    Moment,
    /// Only the newest orders; they preempt after the first event. The lane lets the first lane go first.
    FirstEvent,
    /// Only the newest orders; they preempt at once. The lane begins when the first lane has a result.
    AtOnce,
    /// All orders, one after the other.
    Batches,
}

impl Lane for Line {
    const ALL: &'static [Self] = &[Line::Moment, Line::FirstEvent, Line::AtOnce, Line::Batches];

    fn policy(self) -> Policy {
        match self {
            Line::Moment => Policy::Newest(Preempt::AfterMoment),
            Line::FirstEvent => Policy::Newest(Preempt::AfterFirstEvent),
            Line::AtOnce => Policy::Newest(Preempt::AtOnce),
            Line::Batches => Policy::Queue,
        }
    }

    fn begins(self) -> Begins {
        match self {
            Line::Moment => Begins::AtOnce,
            Line::AtOnce => Begins::Later,
            Line::FirstEvent | Line::Batches => Begins::WhenNeeded,
        }
    }

    fn comes_after(self) -> Option<Self> {
        (self == Line::FirstEvent).then_some(Line::Moment)
    }
}

/// The companion of a plan: its lane, and the number of the order.
pub type Attachment = (Line, u64);
/// An order of these tests.
pub type CountOrder = Order<AnyPlan, Attachment>;
/// An event of the pool.
pub type Event = PoolEvent<Line, AnyPlan, AnyEvent, Attachment>;

/// An order.
pub fn order(line: Line, number: u64, plan: AnyPlan) -> CountOrder {
    Order { plan, companion: (line, number) }
}

/// How a worker starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It listens after a while.
    Listens,
    /// It never sends a message.
    Silent,
    /// It dies before its first message.
    Dies,
    /// The browser refuses it.
    Refused,
}

/// The browser, with the page's pool and the events that the page received.
pub struct Browser {
    pub pool: Pool<CountTasks, Line, Attachment>,
    /// Milliseconds.
    pub now: f64,
    /// What the page received, and when.
    pub received: Vec<(f64, Event)>,
    /// When runs were sent: time, worker, run, order.
    pub sent: Vec<(f64, WorkerId, RunId, u64)>,
    /// For each entry of `sent`, and of `received`, the call of the pool that it came from.
    pub sent_in: Vec<usize>,
    pub received_in: Vec<usize>,
    n_calls: usize,
    /// When workers were ended by the pool.
    pub ended: Vec<(f64, WorkerId)>,
    /// How the next workers start; all later ones start as [`Start::Listens`].
    pub starts: VecDeque<Start>,
    /// How long a worker takes to start.
    pub start_milliseconds: f64,
    /// How long a message takes.
    pub latency: f64,
    /// How many workers were started.
    pub n_started: usize,
    due: BTreeMap<(u64, u64), Due>,
    n_due: u64,
    workers: BTreeMap<WorkerId, Worker>,
}

struct Worker {
    runner: Runner<CountTasks>,
    clock: Clock,
    inbox: Vec<Vec<u8>>,
    /// Whether the pool has received its first message.
    is_ready: bool,
    /// Until when it works and receives nothing.
    busy_until: f64,
    /// The last run sent to it, unless the pool has received its end: run and lane.
    run: Option<(RunId, Option<Line>)>,
}

enum Due {
    Listen(WorkerId),
    Die(WorkerId),
    Command(WorkerId, Vec<u8>),
    Poll(WorkerId),
    Message(WorkerId, Vec<u8>),
    Timer(Timer),
}

impl Browser {
    /// A browser on one core.
    pub fn new(spare: Spare) -> Self {
        Self::with_options(PoolOptions::one_core(spare))
    }

    pub fn with_options(options: PoolOptions) -> Self {
        Browser {
            pool: Pool::new(options),
            now: 0.0,
            received: Vec::new(),
            sent: Vec::new(),
            sent_in: Vec::new(),
            received_in: Vec::new(),
            n_calls: 0,
            ended: Vec::new(),
            starts: VecDeque::new(),
            start_milliseconds: 40.0,
            latency: 0.5,
            n_started: 0,
            due: BTreeMap::new(),
            n_due: 0,
            workers: BTreeMap::new(),
        }
    }

    /// Lets time pass.
    pub fn pass(&mut self, milliseconds: f64) {
        self.run_until(self.now + milliseconds);
    }

    /// Lets time pass until a moment.
    pub fn run_until(&mut self, end: f64) {
        self.act();
        while let Some(entry) = self.due.first_entry().filter(|entry| f64::from_bits(entry.key().0) <= end) {
            self.now = f64::from_bits(entry.key().0);
            let due = entry.remove();
            self.happen(due);
            self.act();
        }
        self.now = end;
    }

    /// Lets time pass until nothing is due any more.
    pub fn run(&mut self) {
        self.act();
        while let Some(((time, _), _)) = self.due.last_key_value() {
            self.run_until(f64::from_bits(*time));
        }
    }

    /// Ids of the workers that there are.
    pub fn workers(&self) -> Vec<WorkerId> {
        self.workers.keys().copied().collect()
    }

    /// Ids of the workers that listen and have nothing to do.
    pub fn idle(&self) -> Vec<WorkerId> {
        let idle = self.workers.iter().filter(|(_, worker)| worker.is_ready && worker.run.is_none());
        idle.map(|(id, _)| *id).collect()
    }

    /// The worker that got a run last.
    pub fn last_worker(&self) -> WorkerId {
        self.sent.last().expect("a run was sent").1
    }

    /// Kills a worker; messages that it sent just before still arrive.
    pub fn kill(&mut self, id: WorkerId) {
        self.act();
        self.happen(Due::Die(id));
        self.act();
    }

    /// The contents received about an order, with their times.
    pub fn received_of(&self, number: u64) -> Vec<(f64, Content<AnyEvent>)> {
        let of_order = |(time, event): &(f64, Event)| match event {
            PoolEvent::Reply { of, content, .. } if of.companion.1 == number => Some((*time, content.clone())),
            _ => None,
        };
        self.received.iter().filter_map(of_order).collect()
    }

    /// When the page first received this content about an order.
    pub fn time_of(&self, number: u64, content: &Content<AnyEvent>) -> Option<f64> {
        self.received_of(number).into_iter().find(|(_, received)| received == content).map(|(time, _)| time)
    }

    fn after(&mut self, milliseconds: f64, due: Due) {
        self.at(self.now + milliseconds, due);
    }

    fn at(&mut self, time: f64, due: Due) {
        self.n_due += 1;
        // The bits of numbers that are not negative are in the order of the numbers.
        self.due.insert((time.to_bits(), self.n_due), due);
    }

    fn act(&mut self) {
        loop {
            let actions = self.pool.take_actions();
            if actions.is_empty() {
                break;
            }
            for action in actions {
                match action {
                    Action::Start(id) => self.start(id),
                    Action::Send(id, command, order) => self.send(id, &command, order.as_deref()),
                    Action::End(id) => {
                        self.ended.push((self.now, id));
                        self.workers.remove(&id);
                    }
                    Action::Wake(timer, milliseconds) => self.after(milliseconds, Due::Timer(timer)),
                }
            }
        }
        for event in self.pool.take_events() {
            self.received.push((self.now, event));
            self.received_in.push(self.n_calls);
        }
        self.n_calls += 1;
    }

    fn start(&mut self, id: WorkerId) {
        self.n_started += 1;
        let start = self.starts.pop_front().unwrap_or(Start::Listens);
        if start == Start::Refused {
            return self.pool.refused(id);
        }
        let clock = Clock::default();
        let runner = Runner::new(clock.clone());
        let worker = Worker { runner, clock, inbox: Vec::new(), is_ready: false, busy_until: 0.0, run: None };
        assert!(self.workers.insert(id, worker).is_none(), "worker {id} is started twice");
        match start {
            Start::Listens => self.after(self.start_milliseconds, Due::Listen(id)),
            Start::Dies => self.after(self.start_milliseconds, Due::Die(id)),
            Start::Silent | Start::Refused => {}
        }
    }

    /// Sends a command, and checks that no worker gets a second run beside one that is still wanted.
    fn send(&mut self, id: WorkerId, command: &Command<AnyPlan>, order: Option<&CountOrder>) {
        let worker = self.workers.get_mut(&id).unwrap_or_else(|| panic!("{command:?} to {id}, which is no more"));
        assert!(worker.is_ready, "what is sent to {id} before its first word is lost");
        match command {
            Command::Run(request) => {
                let order = order.expect("a run is sent with its order");
                let (line, number) = order.companion;
                if let Some((run_id, Some(before))) = worker.run {
                    let is_newest = line.policy() != Policy::Queue;
                    assert!(
                        is_newest && before == line,
                        "{id} has run {run_id} of {before:?} and gets one of {line:?}"
                    );
                }
                worker.run = Some((request.run_id, Some(line)));
                self.sent_in.push(self.n_calls);
                self.sent.push((self.now, id, request.run_id, number));
            }
            // Cancelling also ends that run, when the worker gets another one.
            Command::Cancel => worker.run = worker.run.map(|(run_id, _)| (run_id, None)),
        }
        self.after(self.latency, Due::Command(id, encode(command).expect("bytes")));
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Listen(id) => {
                if self.workers.contains_key(&id) {
                    let ready = encode(&Message::<AnyEvent>::Ready).expect("bytes");
                    self.after(self.latency, Due::Message(id, ready));
                }
            }
            Due::Die(id) => {
                if self.workers.remove(&id).is_some() {
                    self.pool.lost(id);
                }
            }
            Due::Command(id, bytes) => {
                let Some(worker) = self.workers.get_mut(&id) else { return };
                worker.inbox.push(bytes);
                let time = worker.busy_until.max(self.now);
                self.at(time, Due::Poll(id));
            }
            Due::Poll(id) => self.poll(id),
            Due::Message(id, bytes) => {
                let message: Message<AnyEvent> = decode(&bytes).expect("a message");
                // The worker is gone if the pool has ended it after it sent this message.
                if let Some(worker) = self.workers.get_mut(&id) {
                    match &message {
                        Message::Ready => worker.is_ready = true,
                        Message::Reply(reply) => {
                            if reply.content.is_last() {
                                worker.run = worker.run.filter(|(run_id, _)| *run_id != reply.run_id);
                            }
                        }
                    }
                }
                self.pool.on_event(id, message);
            }
            Due::Timer(timer) => self.pool.wake(timer),
        }
    }

    /// A worker handles its messages, and works for a slice.
    fn poll(&mut self, id: WorkerId) {
        let (now, latency) = (self.now, self.latency);
        let Some(worker) = self.workers.get_mut(&id) else { return };
        if now < worker.busy_until {
            // Two reasons to work at one time: the second slice comes after the first.
            let time = worker.busy_until;
            return self.at(time, Due::Poll(id));
        }
        worker.clock.set(now);
        let clock = worker.clock.clone();
        let said = Rc::new(RefCell::new(Vec::new()));
        let emit = |reply| said.borrow_mut().push((clock.now(), encode(&Message::Reply(reply)).expect("bytes")));
        for bytes in std::mem::take(&mut worker.inbox) {
            worker.runner.begin(decode(&bytes).expect("a command"), now, emit);
        }
        let poll = worker.runner.slice(now + SLICE_MILLISECONDS, || clock.now(), emit);
        worker.busy_until = clock.now();
        let end = worker.busy_until;
        for (time, bytes) in said.take() {
            self.at(time + latency, Due::Message(id, bytes));
        }
        if poll == Poll::More {
            self.at(end, Due::Poll(id));
        }
    }
}
