//! The page's side of the workers.
//!
//! Measuring, sweeping and the curves over n have a worker each, and one more stands ready. A worker listens between
//! slices of a few milliseconds, but one step may take a second; a worker that does not turn to a new request in time is
//! ended and the spare one takes its place, so that a new slider position ends the old run within 50 ms whatever it is
//! doing. A run that is nearly over is let finish: the newest request waits a frame for it, and a newer one takes its
//! place.

mod lane;

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use leptos::prelude::set_timeout;

use crate::hand::{Hand, HandId, Heard};
use lipscope_protocol::message::{Reply, RunId, decode};

pub use lane::Job;
use lane::{Lane, run_of_reply};

/// Where the worker's module is, beside the page.
const WORKER_URL: &str = "./worker_loader.js";
/// How long the newest request waits for the run under way to finish by itself.
const COALESCE: Duration = Duration::from_millis(18);
/// How long a worker has to turn to a new request before it is ended. With [`COALESCE`] under 50 ms.
const ANSWER: Duration = Duration::from_millis(28);
/// How long a free worker may be silent before it is taken for dead.
const SILENCE: Duration = Duration::from_secs(1);
/// How long a worker has for its start.
const START: Duration = Duration::from_secs(20);
/// How long what is not for the first picture leaves the processor to it, at most.
const HEAD_START: Duration = Duration::from_millis(1500);
/// How many workers in a row may fail to start before the page gives up.
const MOST_FAILED_STARTS: u32 = 3;

/// The kinds of work, each with its own worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The present configuration.
    Measure,
    /// The draws and their bounds.
    Sweep,
    /// The curves over n up to 1e18.
    Growth,
    /// Texts and files; its worker is taken when the first comes.
    Read,
    /// The views of L2 attention and the search; its worker starts when it is first needed.
    Lab,
}

impl Role {
    /// All, in the order of [`Pool::lanes`].
    const ALL: [Role; 5] = [Role::Measure, Role::Sweep, Role::Growth, Role::Read, Role::Lab];
}

/// What the page hears.
#[derive(Debug)]
pub enum EngineEvent {
    /// A reply of the run under way; stale ones never get here.
    Reply(Role, Reply),
    /// A worker died; its run was sent again to another.
    Restarted(Role),
    /// A worker died twice over the same run, which is not tried again.
    GaveUp(Role),
    /// No worker can be started.
    CannotStart,
}

/// What a worker says without being asked about a run.
enum News {
    /// A message.
    Reply(Reply),
    /// It stopped, or a message of it cannot be read.
    Died,
}

impl From<Heard> for News {
    fn from(heard: Heard) -> Self {
        match heard {
            Heard::Message(message) => {
                let bytes = js_sys::Uint8Array::new(&message).to_vec();
                decode::<Reply>(&bytes).map_or(News::Died, News::Reply)
            }
            Heard::Died => News::Died,
        }
    }
}

/// The workers. Cloning gives another handle.
#[derive(Clone)]
pub struct Engine(Rc<RefCell<Pool>>);

struct Pool {
    lanes: [Lane; Role::ALL.len()],
    spare: Option<Hand>,
    /// Whether the first number is out, so that the draws and the spare worker may start.
    is_warm: bool,
    last_hand: HandId,
    last_run: RunId,
    failed_starts: u32,
    events: Vec<EngineEvent>,
    listener: Rc<dyn Fn(EngineEvent)>,
    me: Weak<RefCell<Pool>>,
}

impl Engine {
    /// Starts the workers; `listener` hears what they say.
    pub fn start(listener: impl Fn(EngineEvent) + 'static) -> Self {
        let engine = Engine(Rc::new_cyclic(|me| {
            RefCell::new(Pool {
                lanes: Default::default(),
                spare: None,
                is_warm: false,
                last_hand: 0,
                last_run: 0,
                failed_starts: 0,
                events: Vec::new(),
                listener: Rc::new(listener),
                me: me.clone(),
            })
        }));
        engine.restart();
        engine
    }

    /// Starts what is not running, also after the engine gave up.
    pub fn restart(&self) {
        self.with(|pool| {
            pool.failed_starts = 0;
            pool.man(Role::Measure);
            pool.man(Role::Growth);
            pool.later(HEAD_START, Pool::warm);
        });
    }

    /// The id of a new run.
    pub fn next_run(&self) -> RunId {
        let mut pool = self.0.borrow_mut();
        pool.last_run += 1;
        pool.last_run
    }

    /// Gives a job to a lane, in place of whatever it does; a run that is nearly over may finish first.
    pub fn submit(&self, role: Role, job: Job) {
        self.with(|pool| {
            let waits = role == Role::Sweep && !pool.is_warm;
            pool.lane(role).next = Some(job);
            match pool.lane(role).hand {
                Some(_) => pool.press(role),
                None if waits => {}
                None => pool.man(role),
            }
        });
    }

    /// Ends what a lane does.
    pub fn cancel(&self, role: Role) {
        self.with(|pool| {
            if let Some(run_id) = pool.lane(role).cancel() {
                pool.expect_end(role, run_id);
            }
        });
    }

    /// Works on the pool, then tells the page what happened, so that the page may call the engine again.
    fn with(&self, work: impl FnOnce(&mut Pool)) {
        run_on(&Rc::downgrade(&self.0), work);
    }
}

fn run_on(pool: &Weak<RefCell<Pool>>, work: impl FnOnce(&mut Pool)) {
    let Some(pool) = pool.upgrade() else { return };
    let (events, listener) = {
        let Ok(mut pool) = pool.try_borrow_mut() else { return };
        work(&mut pool);
        (std::mem::take(&mut pool.events), Rc::clone(&pool.listener))
    };
    events.into_iter().for_each(|event| listener(event));
}

impl Pool {
    fn lane(&mut self, role: Role) -> &mut Lane {
        &mut self.lanes[role as usize]
    }

    fn later(&self, delay: Duration, work: impl FnOnce(&mut Pool) + 'static) {
        let me = self.me.clone();
        set_timeout(move || run_on(&me, work), delay);
    }

    /// Starts a worker.
    fn new_hand(&mut self) -> Option<Hand> {
        if self.failed_starts >= MOST_FAILED_STARTS {
            return None;
        }
        self.last_hand += 1;
        let id = self.last_hand;
        let me = self.me.clone();
        let tell = Rc::new(move |hand, heard: Heard| run_on(&me, |pool| pool.hear(hand, heard.into())));
        self.later(START, move |pool| {
            if pool.hand(id).is_some_and(|hand| !hand.is_ready) {
                pool.lost(id);
            }
        });
        let hand = Hand::start(WORKER_URL, id, tell);
        if hand.is_none() {
            self.failed_starts = MOST_FAILED_STARTS;
            self.events.push(EngineEvent::CannotStart);
        }
        hand
    }

    fn hand(&mut self, id: HandId) -> Option<&mut Hand> {
        let hands = self.lanes.iter_mut().map(|lane| &mut lane.hand).chain([&mut self.spare]);
        hands.flatten().find(|hand| hand.id == id)
    }

    /// Gives a lane a worker, the spare one if there is one.
    fn man(&mut self, role: Role) {
        if self.lane(role).hand.is_none() {
            let hand = self.spare.take().or_else(|| self.new_hand());
            self.lane(role).hand = hand;
        }
        self.lane(role).pump();
        self.keep_spare();
    }

    /// Starts what has waited for the first number.
    fn warm(&mut self) {
        if !std::mem::replace(&mut self.is_warm, true) {
            self.man(Role::Sweep);
        }
    }

    /// Once every worker that there is listens, another one warms up.
    fn keep_spare(&mut self) {
        let ready = |lane: &Lane| lane.hand.as_ref().is_none_or(|hand| hand.is_ready);
        if self.is_warm && self.spare.is_none() && self.lanes.iter().all(ready) {
            self.spare = self.new_hand();
        }
    }

    /// A job waits: it is sent at once to a free worker, else over the run under way when that has had its chance.
    fn press(&mut self, role: Role) {
        let lane = self.lane(role);
        let Some(run) = &lane.running else { return lane.pump() };
        let run_id = run.run_id;
        if !run.is_started || run.is_unwanted {
            // The worker is turning to another request already; the answer to that one sends this one.
            self.later(SILENCE, move |pool| {
                if pool.lane(role).run(run_id).is_some_and(|run| !run.is_started || run.is_unwanted) {
                    pool.replace(role);
                }
            });
        } else if matches!(role, Role::Sweep | Role::Lab) {
            // A point of an old sweep is of no use.
            self.overtake(role);
        } else if role == Role::Growth && !run.has_answered {
            // The curves come in one piece; ended over and over while a slider moves, they would never come.
            self.later(SILENCE, move |pool| {
                if pool.lane(role).run(run_id).is_some_and(|run| !run.has_answered) && pool.lane(role).next.is_some() {
                    pool.replace(role);
                }
            });
        } else {
            self.later(COALESCE, move |pool| {
                let lane = pool.lane(role);
                if lane.run(run_id).is_some() && lane.next.is_some() {
                    pool.overtake(role);
                }
            });
        }
    }

    /// Sends the newest request over the run under way, and ends the worker if it does not turn to it.
    fn overtake(&mut self, role: Role) {
        let lane = self.lane(role);
        let old = lane.running.as_ref().map(|run| run.run_id);
        lane.send_next();
        match lane.running.as_ref().map(|run| run.run_id).filter(|run_id| Some(*run_id) != old) {
            Some(run_id) => self.later(ANSWER, move |pool| {
                if pool.lane(role).run(run_id).is_some_and(|run| !run.is_started) {
                    pool.replace(role);
                }
            }),
            None => self.replace(role),
        }
    }

    /// Ends the worker if it does not stop in time.
    fn expect_end(&mut self, role: Role, run_id: RunId) {
        self.later(ANSWER, move |pool| {
            if pool.lane(role).run(run_id).is_some_and(|run| run.is_unwanted) {
                pool.replace(role);
            }
        });
    }

    /// Ends a lane's worker and gives the lane another, which takes up what the first was given.
    fn replace(&mut self, role: Role) {
        let lane = self.lane(role);
        lane.put_back();
        lane.hand = None;
        self.man(role);
    }

    fn hear(&mut self, id: HandId, news: News) {
        let reply = match news {
            News::Reply(Reply::Ready) => return self.is_ready(id),
            News::Reply(reply) => reply,
            News::Died => return self.lost(id),
        };
        let Some(role) = Role::ALL.into_iter().find(|role| self.lane(*role).has(id)) else { return };
        let Some(run_id) = run_of_reply(&reply) else { return };
        let lane = self.lane(role);
        let Some(run) = lane.run(run_id) else { return };
        let is_wanted = !run.is_unwanted;
        match &reply {
            Reply::Started { .. } => {
                run.is_started = true;
                if lane.next.is_some() {
                    self.press(role);
                }
            }
            Reply::Growth { .. } => {
                run.has_answered = true;
                if lane.next.is_some() {
                    self.press(role);
                }
            }
            Reply::Finished { .. } => lane.running = None,
            Reply::Failed { .. } | Reply::Cancelled { .. } => {
                lane.running = None;
                lane.rest.clear();
            }
            _ => {}
        }
        self.lane(role).pump();
        if role == Role::Measure && self.lane(role).running.is_none() {
            self.warm();
        }
        if is_wanted {
            self.events.push(EngineEvent::Reply(role, reply));
        }
    }

    fn is_ready(&mut self, id: HandId) {
        self.failed_starts = 0;
        if let Some(hand) = self.hand(id) {
            hand.is_ready = true;
        }
        self.lanes.iter_mut().for_each(Lane::pump);
        self.keep_spare();
    }

    /// A worker died, or never began to listen.
    fn lost(&mut self, id: HandId) {
        let Some(was_ready) = self.hand(id).map(|hand| hand.is_ready) else { return };
        if !was_ready {
            self.failed_starts += 1;
            if self.failed_starts >= MOST_FAILED_STARTS {
                self.events.push(EngineEvent::CannotStart);
            }
        }
        if self.spare.as_ref().is_some_and(|spare| spare.id == id) {
            self.spare = None;
            return self.keep_spare();
        }
        let Some(role) = Role::ALL.into_iter().find(|role| self.lane(*role).has(id)) else { return };
        let lane = self.lane(role);
        lane.hand = None;
        let tried_twice = lane.running.as_ref().is_some_and(|run| run.is_second_try && !run.is_unwanted);
        if tried_twice && lane.next.is_none() {
            lane.running = None;
            lane.rest.clear();
            self.events.push(EngineEvent::GaveUp(role));
        } else {
            lane.retries = lane.put_back();
            if was_ready {
                self.events.push(EngineEvent::Restarted(role));
            }
        }
        self.man(role);
    }
}
