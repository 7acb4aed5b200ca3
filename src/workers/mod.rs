//! The page's side of the workers: carries out the pool's decisions, and reports events to it.
//!
//! `lipscope_protocol::pool` decides which worker gets which run, and which worker is ended. This module starts the
//! workers, sends them messages, and measures time.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `lanes` | the lanes of each module's workers, and which of their orders are carried out |
//! | `worker` | one worker: starting it, talking to it, ending it |

mod lanes;
mod worker;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::time::Duration;

use crate::prelude::{set_timeout, window};
use js_sys::Object;
use wasm_bindgen::JsValue;

use lipscope_protocol::envelope::decode;
use lipscope_protocol::pool::{Action, Lane, Order, Pool, PoolEvent, PoolOptions, Spare, Timer, WorkerId};
use lipscope_protocol::task::TaskList;

pub use lanes::{
    EngineLane, EngineListener, EngineMessage, EngineWorkers, ModelLane, ModelSource, ModelWorkers, TrainFile,
    TrainLane, TrainOrder, TrainWorkers,
};
use worker::{Worker, WorkerMessage};

/// The data that the page keeps beside a plan.
pub trait Companion: 'static {
    /// Files that travel with the plan, and the number that says which files they are.
    fn files(&self) -> Option<(f64, &Object)> {
        None
    }
}

/// A message from the workers, with the files that came beside a reply.
pub type PoolMessage<T, L, C> = (PoolEvent<L, <T as TaskList>::Plan, <T as TaskList>::Event, C>, Option<JsValue>);

/// The workers of one module. Cloning gives another handle.
pub struct Workers<T: TaskList, L: Lane, C: Companion>(Rc<RefCell<Inner<T, L, C>>>);

struct Inner<T: TaskList, L: Lane, C: Companion> {
    pool: Pool<T, L, C>,
    workers: BTreeMap<WorkerId, Worker>,
    /// The URL of the worker's module, beside the page.
    url: &'static str,
    listener: Listener<T, L, C>,
    me: Weak<RefCell<Inner<T, L, C>>>,
}

type Listener<T, L, C> = Rc<dyn Fn(PoolMessage<T, L, C>)>;

impl<T: TaskList, L: Lane, C: Companion> Clone for Workers<T, L, C> {
    fn clone(&self) -> Self {
        Workers(Rc::clone(&self.0))
    }
}

impl<T: TaskList, L: Lane, C: Companion> Workers<T, L, C> {
    /// Workers before the first one is started; `listener` receives their messages.
    pub fn new(url: &'static str, spare: Spare, listener: impl Fn(PoolMessage<T, L, C>) + 'static) -> Self {
        Self::with_options(url, PoolOptions::one_core(spare), listener)
    }

    /// As `new`, with orders cut into parts for all cores.
    pub fn on_all_cores(url: &'static str, spare: Spare, listener: impl Fn(PoolMessage<T, L, C>) + 'static) -> Self {
        // A browser may report fewer cores than there are, so that pages cannot use the number to identify a machine.
        let cores = window().navigator().hardware_concurrency().max(1.0) as usize;
        Self::with_options(url, PoolOptions { cores, ..PoolOptions::one_core(spare) }, listener)
    }

    fn with_options(
        url: &'static str,
        options: PoolOptions,
        listener: impl Fn(PoolMessage<T, L, C>) + 'static,
    ) -> Self {
        let listener = Rc::new(listener);
        Workers(Rc::new_cyclic(|me| {
            let me = me.clone();
            RefCell::new(Inner { pool: Pool::new(options), workers: BTreeMap::new(), url, listener, me })
        }))
    }

    /// Starts the workers that begin at once. It also works after the pool gave up.
    pub fn start(&self) {
        self.with(Pool::start);
    }

    /// Takes orders for a lane.
    pub fn submit(&self, lane: L, orders: impl IntoIterator<Item = Order<T::Plan, C>>) {
        self.with(|pool| pool.submit(lane, orders));
    }

    /// Ends the work of a lane.
    pub fn cancel(&self, lane: L) {
        self.with(|pool| pool.cancel(lane));
    }

    /// Works on the pool, and hands the pool's messages to the page afterwards, so that the page may then call this again.
    pub fn with<R>(&self, work: impl FnOnce(&mut Pool<T, L, C>) -> R) -> Option<R> {
        run_on(&Rc::downgrade(&self.0), None, |inner| work(&mut inner.pool))
    }
}

fn run_on<T: TaskList, L: Lane, C: Companion, R>(
    inner: &Weak<RefCell<Inner<T, L, C>>>,
    files: Option<JsValue>,
    work: impl FnOnce(&mut Inner<T, L, C>) -> R,
) -> Option<R> {
    let inner = inner.upgrade()?;
    let (outcome, events, listener) = {
        let mut inner = inner.try_borrow_mut().ok()?;
        let outcome = work(&mut inner);
        inner.act();
        (outcome, inner.pool.take_events(), Rc::clone(&inner.listener))
    };
    for event in events {
        listener((event, files.clone()));
    }
    Some(outcome)
}

impl<T: TaskList, L: Lane, C: Companion> Inner<T, L, C> {
    /// Carries out the pool's decisions.
    fn act(&mut self) {
        loop {
            let actions = self.pool.take_actions();
            if actions.is_empty() {
                return;
            }
            for action in actions {
                match action {
                    Action::Start(id) => self.start(id),
                    Action::Send(id, command, order) => {
                        let files = order.as_ref().and_then(|order| order.companion.files());
                        if let Some(worker) = self.workers.get(&id) {
                            worker.send(&command, files);
                        }
                    }
                    Action::End(id) => drop(self.workers.remove(&id)),
                    Action::Wake(timer, milliseconds) => self.wake_after(timer, milliseconds),
                }
            }
        }
    }

    fn start(&mut self, id: WorkerId) {
        let me = self.me.clone();
        let emit = Rc::new(move |received: WorkerMessage| on_event(&me, id, received));
        match Worker::start(self.url, emit) {
            Some((worker, is_ready)) => {
                self.workers.insert(id, worker);
                if is_ready {
                    self.pool.on_event(id, lipscope_protocol::envelope::Message::Ready);
                }
            }
            None => self.pool.refused(id),
        }
    }

    fn wake_after(&self, timer: Timer, milliseconds: f64) {
        let me = self.me.clone();
        let wake = move || {
            run_on(&me, None, |inner| inner.pool.wake(timer));
        };
        set_timeout(wake, Duration::from_secs_f64(milliseconds / 1000.0));
    }
}

fn on_event<T: TaskList, L: Lane, C: Companion>(
    inner: &Weak<RefCell<Inner<T, L, C>>>,
    id: WorkerId,
    received: WorkerMessage,
) {
    let (bytes, files) = match received {
        WorkerMessage::Message { bytes, files } => (bytes, files),
        WorkerMessage::Died => {
            run_on(inner, None, |inner| inner.pool.lost(id));
            return;
        }
    };
    run_on(inner, files, |inner| match decode(&bytes) {
        Ok(message) => inner.pool.on_event(id, message),
        // A worker whose message cannot be read is of no use.
        Err(_) => inner.pool.lost(id),
    });
}
