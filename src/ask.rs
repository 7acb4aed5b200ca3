//! Asking the engine: its workers, and one way to give them work and to keep their answers.
//!
//! A plan says all that its answer depends on. So an answer belongs to what is on screen if the plan that it answers is
//! the plan of the present scene; nothing else has to be remembered, compared or reset.

use std::ops::Deref;
use std::rc::Rc;
use std::time::Duration;

use crate::prelude::*;

use lipscope_core::experiment::InputError;
use lipscope_protocol::envelope::{Content, Progress};
use lipscope_protocol::pool::{Order, PoolEvent, Spare};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan};

use crate::frame::Debounce;
use crate::phase::Phase;
use crate::strings;
use crate::workers::{EngineLane, EngineListener, EngineNews, EngineWorkers};

/// The URL of the engine's worker, beside the page.
const WORKER_URL: &str = "./worker_loader.js";
/// How long the controls rest before work begins that may wait for them.
const REST: Duration = Duration::from_millis(70);

/// The engine's work in order, or a sentence that says why there is none.
pub type Request = Result<Vec<EnginePlan>, &'static str>;

/// The engine's workers.
#[derive(Clone, Copy)]
pub struct Engine {
    /// `None` before the page has started them.
    workers: StoredValue<Option<EngineWorkers>, LocalStorage>,
    /// A line about the workers, when there is something to say.
    pub status: RwSignal<Option<String>>,
    /// Whether no worker can be started.
    pub is_down: RwSignal<bool>,
}

impl Default for Engine {
    fn default() -> Self {
        Engine { workers: StoredValue::new_local(None), status: RwSignal::new(None), is_down: RwSignal::new(false) }
    }
}

impl Engine {
    /// Starts the workers.
    pub fn start(self) {
        let workers = EngineWorkers::on_all_cores(WORKER_URL, Spare::One, move |(event, _)| match event {
            PoolEvent::Reply { of, content, left, .. } => of.companion.tell(&of.plan, EngineNews::Reply(content, left)),
            PoolEvent::Restarted(lane) => self.status.set(Some(strings::restarted(lane).into())),
            PoolEvent::GaveUp { lane, of, .. } => {
                self.status.set(Some(strings::gave_up(lane).into()));
                of.companion.tell(&of.plan, EngineNews::GaveUp);
            }
            PoolEvent::CannotStart => {
                self.is_down.set(true);
                self.status.set(Some(strings::cannot_start().into()));
            }
        });
        self.workers.set_value(Some(workers.clone()));
        workers.start();
    }

    /// Tries to start the workers again.
    pub fn restart(self) {
        self.is_down.set(false);
        self.status.set(None);
        self.with(EngineWorkers::start);
    }

    /// Whether the page has started them.
    pub fn has_started(self) -> bool {
        self.workers.with_value(Option::is_some)
    }

    /// Gives plans to a lane, in place of its present work. `hear` receives the news about each plan.
    pub fn submit(
        self,
        lane: EngineLane,
        plans: impl IntoIterator<Item = EnginePlan>,
        hear: impl Fn(&EnginePlan, EngineNews) + 'static,
    ) {
        let listener = EngineListener::new(hear);
        let orders = plans.into_iter().map(|plan| Order { plan, companion: listener.clone() });
        self.with(|workers| workers.submit(lane, orders));
    }

    /// Ends the work of a lane.
    pub fn cancel(self, lane: EngineLane) {
        self.with(|workers| workers.cancel(lane));
    }

    fn with(self, work: impl FnOnce(&EngineWorkers)) {
        // The clone is a handle of its own: the work may call back into the page.
        let workers = self.workers.with_value(Clone::clone);
        if let Some(workers) = workers {
            work(&workers);
        }
    }
}

/// When work begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At once.
    Now,
    /// When the controls rest. The work before ends at once.
    AtRest,
}

/// An answer to a plan.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "short-lived")]
pub enum Answer {
    /// A result, or a part of one.
    Event(EngineEvent),
    /// The plan cannot be carried out.
    Failed(InputError),
    /// The plan has stopped its worker twice, and the pool has given it up.
    GaveUp,
}

/// What becomes of the data of an earlier request where the latest one fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtFailure {
    /// They go: readers would take them for this one's.
    Clear,
    /// They stay, and say themselves what they belong to.
    Keep,
}

/// What is asked of a lane, and the data that the answers make. It reads as the signal of its data.
pub struct Ask<T: 'static> {
    engine: Engine,
    lane: EngineLane,
    at_failure: AtFailure,
    data: RwSignal<T>,
    /// The latest request, begun or waiting for the controls to rest.
    latest: RwSignal<Option<Request>>,
    phase: RwSignal<Phase>,
    progress: RwSignal<Option<Progress>>,
    /// Whether the data answer an earlier request.
    is_old: RwSignal<bool>,
    /// Receives the answers to the latest request.
    hear: StoredValue<Option<Hear<T>>, LocalStorage>,
    waiting: Debounce,
}

type Hear<T> = Rc<dyn Fn(Ask<T>, &EnginePlan, Answer)>;

impl<T> Clone for Ask<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ask<T> {}

impl<T> Deref for Ask<T> {
    type Target = RwSignal<T>;

    fn deref(&self) -> &RwSignal<T> {
        &self.data
    }
}

impl<T: Send + Sync + 'static> Ask<T> {
    /// The latest request. Tracks it.
    pub fn latest(self) -> Option<Request> {
        self.latest.get()
    }

    /// The state of the work. Tracks it.
    pub fn phase(self) -> Phase {
        self.phase.get()
    }

    /// How far the work is or was, where it takes long. Tracks it.
    pub fn progress(self) -> Option<Progress> {
        self.progress.get()
    }

    /// Whether the work is running. Tracks it.
    pub fn is_running(self) -> bool {
        self.phase.with(|phase| *phase == Phase::Running)
    }

    /// Whether an answer to the latest request has come.
    pub fn has_begun(self) -> bool {
        !self.is_old.get_untracked()
    }

    /// Whether the data answer an earlier request, and new ones are on their way. Tracks both.
    pub fn is_stale(self) -> bool {
        self.is_old.get() && self.is_running()
    }
}

impl<T: Default + Send + Sync + 'static> Ask<T> {
    /// Before the first request.
    pub fn new(engine: Engine, lane: EngineLane, at_failure: AtFailure) -> Self {
        Ask {
            engine,
            lane,
            at_failure,
            data: RwSignal::default(),
            latest: RwSignal::new(None),
            phase: RwSignal::default(),
            progress: RwSignal::new(None),
            is_old: RwSignal::new(false),
            hear: StoredValue::new_local(None),
            waiting: Debounce::default(),
        }
    }

    /// Asks, unless this is the latest request. `hear` receives the answers to it, and no others.
    pub fn want(self, request: Request, start: Start, hear: impl Fn(Self, &EnginePlan, Answer) + 'static) {
        let (is_latest, is_first) =
            self.latest.with_untracked(|latest| (latest.as_ref() == Some(&request), latest.is_none()));
        if is_latest {
            return;
        }
        if start == Start::Now || is_first {
            return self.begin(request, hear);
        }
        self.engine.cancel(self.lane);
        self.expect(request, hear);
        self.waiting.after(REST, move || self.order());
    }

    /// Begins a request, even if it is the latest one. The data stay until its first answer.
    pub fn begin(self, request: Request, hear: impl Fn(Self, &EnginePlan, Answer) + 'static) {
        self.expect(request, hear);
        self.order();
    }

    /// Begins the latest request again.
    pub fn again(self) {
        set_if_new(self.is_old, true);
        set_if_new(self.progress, None);
        self.order();
    }

    /// Orders what is left of the latest request.
    pub fn go_on(self, plans: Vec<EnginePlan>) {
        set_if_new(self.phase, Phase::Running);
        let Some(latest) = self.hear.get_value() else { return };
        self.engine.submit(self.lane, plans, move |plan, news| self.hear(plan, news, &latest));
    }

    /// Stops the work; the data so far stay.
    pub fn stop(self, phase: Phase) {
        self.waiting.forget();
        self.engine.cancel(self.lane);
        self.end(phase);
    }

    /// Stops the work where it is not over, and forgets that it was asked for.
    pub fn leave(self) {
        if self.phase.with_untracked(|phase| *phase == Phase::Running) {
            self.stop(Phase::Stopped);
            self.latest.set(None);
        }
    }

    /// Changes the data. Those of an earlier request are cleared first.
    pub fn fresh(self, change: impl FnOnce(&mut T)) {
        let is_old = self.is_old.get_untracked();
        self.renewed(|data| {
            if is_old {
                *data = T::default();
            }
            change(data);
        });
    }

    /// Changes the data, and keeps those of an earlier request: new parts replace old ones one by one.
    pub fn renewed(self, change: impl FnOnce(&mut T)) {
        if self.is_old.get_untracked() {
            self.is_old.set(false);
        }
        self.data.update(change);
    }

    fn expect(self, request: Request, hear: impl Fn(Self, &EnginePlan, Answer) + 'static) {
        self.waiting.forget();
        self.hear.set_value(Some(Rc::new(hear)));
        self.latest.set(Some(request));
        set_if_new(self.is_old, true);
        set_if_new(self.progress, None);
        set_if_new(self.phase, Phase::Running);
    }

    fn order(self) {
        match self.latest.get_untracked() {
            Some(Ok(plans)) if !plans.is_empty() => self.go_on(plans),
            Some(Err(why)) => {
                self.engine.cancel(self.lane);
                self.end(Phase::Failed(why.into()));
            }
            // There is nothing to do, so there are no data.
            Some(Ok(_)) | None => {
                self.engine.cancel(self.lane);
                self.fresh(|_| ());
                self.end(Phase::Done);
            }
        }
    }

    /// Hands on news about a plan to the listener of its request. An earlier request may still answer while the latest
    /// one waits for its worker: its numbers follow a moving slider, and end nothing.
    fn hear(self, plan: &EnginePlan, news: EngineNews, listener: &Hear<T>) {
        let Some(latest) = self.hear.try_get_value().flatten() else { return };
        let is_latest = Rc::ptr_eq(&latest, listener);
        match news {
            EngineNews::Reply(Content::Event(event), _) => {
                listener(self, plan, Answer::Event(event));
                if !is_latest {
                    set_if_new(self.is_old, true);
                }
            }
            _ if !is_latest => {}
            EngineNews::Reply(Content::Progress(progress), _) => self.progress.set(Some(progress)),
            EngineNews::Reply(Content::Finished, 0) => self.end(Phase::Done),
            EngineNews::Reply(Content::Failed(problem), _) => {
                self.end(Phase::Failed(problem.clone().into()));
                listener(self, plan, Answer::Failed(problem));
            }
            EngineNews::GaveUp => {
                self.end(Phase::Failed(strings::gave_up(self.lane).into()));
                listener(self, plan, Answer::GaveUp);
            }
            EngineNews::Reply(Content::Started | Content::Finished | Content::Cancelled, _) => {}
        }
    }

    fn end(self, phase: Phase) {
        let has_failed = matches!(phase, Phase::Failed(_));
        set_if_new(self.phase, phase);
        if has_failed && self.at_failure == AtFailure::Clear && self.is_old.get_untracked() {
            self.fresh(|_| ());
        }
    }
}
