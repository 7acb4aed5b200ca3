//! Requests to the engine: starts its workers, gives them plans, and keeps the data that their answers make.
//!
//! A plan holds everything that its answer depends on. So an answer belongs to the present scene exactly if the plan
//! that it answers equals the plan of that scene.

use std::cell::RefCell;
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
use crate::workers::{EngineLane, EngineListener, EngineMessage, EngineWorkers};

/// The URL of the engine's worker, beside the page.
const WORKER_URL: &str = "./worker_loader.js";
/// Work that starts [`Start::AtRest`] begins when the controls have not moved for this long.
const REST: Duration = Duration::from_millis(70);

/// The plans to carry out, in this order, or a sentence that says why there are none.
pub type Request = Result<Vec<EnginePlan>, &'static str>;

/// Carries out a plan, and returns all that is said about it.
pub type LocalEngine = Rc<dyn Fn(&EnginePlan) -> Vec<Content<EngineEvent>>>;

/// The engine's workers.
#[derive(Clone, Copy)]
pub struct Engine {
    /// `None` before the page has started them.
    workers: StoredValue<Option<EngineWorkers>, LocalStorage>,
    /// For a document: the engine that carries out each plan at once, in place of workers.
    local: StoredValue<Option<LocalEngine>, LocalStorage>,
    /// The message about the workers that the page shows, if there is one.
    pub status: RwSignal<Option<String>>,
    /// Whether no worker can be started.
    pub is_down: RwSignal<bool>,
}

impl Default for Engine {
    fn default() -> Self {
        Engine {
            workers: StoredValue::new_local(None),
            local: StoredValue::new_local(None),
            status: RwSignal::new(None),
            is_down: RwSignal::new(false),
        }
    }
}

impl Engine {
    /// Starts the workers.
    pub fn start(self) {
        let workers = EngineWorkers::on_all_cores(WORKER_URL, Spare::One, move |(event, _)| match event {
            PoolEvent::Reply { of, content, left, .. } => {
                of.companion.emit(&of.plan, EngineMessage::Reply(content, left))
            }
            PoolEvent::Restarted(lane) => self.status.set(Some(strings::restarted(lane).into())),
            PoolEvent::GaveUp { lane, of, .. } => {
                self.status.set(Some(strings::gave_up(lane).into()));
                of.companion.emit(&of.plan, EngineMessage::GaveUp);
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
        self.workers.with_value(Option::is_some) || self.local.with_value(Option::is_some)
    }

    /// Carries out each plan at once, without workers: `local` returns all that is said about it.
    pub fn start_local(self, local: LocalEngine) {
        self.local.set_value(Some(local));
    }

    /// Replaces the work of a lane by these plans. `on_event` receives every reply to them.
    pub fn submit(
        self,
        lane: EngineLane,
        plans: impl IntoIterator<Item = EnginePlan>,
        on_event: impl Fn(&EnginePlan, EngineMessage) + 'static,
    ) {
        if let Some(local) = self.local.get_value() {
            let mut plans = plans.into_iter().peekable();
            while let Some(plan) = plans.next() {
                let left = usize::from(plans.peek().is_some());
                local(&plan).into_iter().for_each(|content| on_event(&plan, EngineMessage::Reply(content, left)));
            }
            return;
        }
        let listener = EngineListener::new(on_event);
        let orders = plans.into_iter().map(|plan| Order { plan, companion: listener.clone() });
        self.with(|workers| workers.submit(lane, orders));
    }

    /// Ends the work of a lane.
    pub fn cancel(self, lane: EngineLane) {
        self.with(|workers| workers.cancel(lane));
    }

    fn with(self, work: impl FnOnce(&EngineWorkers)) {
        // A clone, so that nothing is borrowed while `work` runs: it may call the engine again.
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
    /// When the controls rest; the running work ends at once. The first request does not wait.
    AtRest,
}

/// An answer to a plan.
#[derive(Debug)]
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
    /// They are cleared: a reader would take them for data of the request that failed.
    Clear,
    /// They stay: they hold the plan that they belong to.
    Keep,
}

/// The latest request to a lane, and the data that its answers make. It dereferences to the signal of the data.
pub struct Query<T: 'static> {
    data: RwSignal<T>,
    run: Run,
}

/// The part of an [`Query`] that does not depend on the type of its data.
#[derive(Clone, Copy)]
struct Run {
    engine: Engine,
    lane: EngineLane,
    at_failure: AtFailure,
    /// The latest request, begun or waiting for the controls to rest.
    latest: RwSignal<Option<Request>>,
    phase: RwSignal<Phase>,
    progress: RwSignal<Option<Progress>>,
    /// Whether the data answer an earlier request.
    is_old: RwSignal<bool>,
    /// Receives the answers to the latest request.
    listener: StoredValue<Option<Listener>, LocalStorage>,
    /// Clears the data.
    clear: StoredValue<Rc<dyn Fn()>, LocalStorage>,
    waiting: Debounce,
}

/// The function that receives the answers to one request. If an equal request is made, its function takes the place of
/// this one.
type Listener = Rc<RefCell<OnEvent>>;

type OnEvent = Rc<dyn Fn(&EnginePlan, Answer)>;

impl<T> Clone for Query<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Query<T> {}

impl<T> Deref for Query<T> {
    type Target = RwSignal<T>;

    fn deref(&self) -> &RwSignal<T> {
        &self.data
    }
}

impl<T: Default + Send + Sync + 'static> Query<T> {
    /// Data before any request.
    pub fn new(engine: Engine, lane: EngineLane, at_failure: AtFailure) -> Self {
        let data = RwSignal::default();
        let clear: Rc<dyn Fn()> = Rc::new(move || data.set(T::default()));
        let run = Run {
            engine,
            lane,
            at_failure,
            latest: RwSignal::new(None),
            phase: RwSignal::default(),
            progress: RwSignal::new(None),
            is_old: RwSignal::new(false),
            listener: StoredValue::new_local(None),
            clear: StoredValue::new_local(clear),
            waiting: Debounce::default(),
        };
        Query { data, run }
    }

    /// Makes a request, unless it equals the latest one. `on_event` receives the answers to this request only. If the
    /// request equals the latest one, `on_event` replaces the earlier function and receives the answers that are still to
    /// come, since it may know more of the page's state.
    pub fn request(self, request: Request, start: Start, on_event: impl Fn(Self, &EnginePlan, Answer) + 'static) {
        self.run.request(request, start, Rc::new(move |plan, answer| on_event(self, plan, answer)));
    }

    /// Begins a request, even if it equals the latest one. The data stay until its first answer, or until it fails.
    pub fn begin(self, request: Request, on_event: impl Fn(Self, &EnginePlan, Answer) + 'static) {
        self.run.begin(request, Rc::new(move |plan, answer| on_event(self, plan, answer)));
    }

    /// Changes the data. Those of an earlier request are cleared first.
    pub fn fresh(self, change: impl FnOnce(&mut T)) {
        let is_old = self.run.is_old.get_untracked();
        self.renewed(|data| {
            if is_old {
                *data = T::default();
            }
            change(data);
        });
    }

    /// Changes the data, and keeps those of an earlier request: new parts replace old ones one by one.
    pub fn renewed(self, change: impl FnOnce(&mut T)) {
        set_if_new(self.run.is_old, false);
        self.data.update(change);
    }
}

impl<T> Query<T> {
    /// The latest request. Tracks it.
    pub fn latest(self) -> Option<Request> {
        self.run.latest.get()
    }

    /// The state of the work. Tracks it.
    pub fn phase(self) -> Phase {
        self.run.phase.get()
    }

    /// The last progress that the work reported, if it has reported any. Tracks it.
    pub fn progress(self) -> Option<Progress> {
        self.run.progress.get()
    }

    /// Whether the work is running. Tracks it.
    pub fn is_running(self) -> bool {
        self.run.phase.with(|phase| *phase == Phase::Running)
    }

    /// Whether all data of the latest request are there. Tracks it.
    pub fn is_whole(self) -> bool {
        !self.is_stale() && self.run.phase.with(|phase| *phase == Phase::Done)
    }

    /// Whether the data answer an earlier request than the latest one. Tracks it.
    pub fn is_stale(self) -> bool {
        self.run.is_old.get()
    }

    /// Begins the latest request again.
    pub fn again(self) {
        set_if_new(self.run.is_old, true);
        set_if_new(self.run.progress, None);
        self.run.order();
    }

    /// Orders these plans as a part of the latest request, and keeps its data.
    pub fn go_on(self, plans: Vec<EnginePlan>) {
        self.run.go_on(plans);
    }

    /// Stops the work; the data so far stay.
    pub fn stop(self, phase: Phase) {
        self.run.stop(phase);
    }

    /// Stops the work if it is running, and forgets its request, so that the same request begins again.
    pub fn leave(self) {
        if self.run.phase.with_untracked(|phase| *phase == Phase::Running) {
            self.run.stop(Phase::Stopped);
            self.run.latest.set(None);
        }
    }
}

impl Run {
    fn request(self, request: Request, start: Start, on_event: OnEvent) {
        let (is_latest, is_first) =
            self.latest.with_untracked(|latest| (latest.as_ref() == Some(&request), latest.is_none()));
        if is_latest {
            return self.listener.with_value(|listener| {
                if let Some(listener) = listener {
                    listener.replace(on_event);
                }
            });
        }
        if start == Start::Now || is_first {
            return self.begin(request, on_event);
        }
        self.engine.cancel(self.lane);
        self.expect(request, on_event);
        self.waiting.after(REST, move || self.order());
    }

    fn begin(self, request: Request, on_event: OnEvent) {
        self.expect(request, on_event);
        self.order();
    }

    fn expect(self, request: Request, on_event: OnEvent) {
        self.waiting.forget();
        self.listener.set_value(Some(Rc::new(RefCell::new(on_event))));
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
            // A request without plans has no data.
            Some(Ok(_)) | None => {
                self.engine.cancel(self.lane);
                self.clear();
                self.end(Phase::Done);
            }
        }
    }

    fn go_on(self, plans: Vec<EnginePlan>) {
        set_if_new(self.phase, Phase::Running);
        let Some(listener) = self.listener.get_value() else { return };
        self.engine.submit(self.lane, plans, move |plan, message| self.on_event(plan, message, &listener));
    }

    fn stop(self, phase: Phase) {
        self.waiting.forget();
        self.engine.cancel(self.lane);
        self.end(phase);
    }

    /// Hands a message about a plan to the listener of its request. A request that was replaced may still answer while the
    /// latest one waits for a worker: its results are shown, so that numbers follow a moving slider; its other replies
    /// are dropped.
    fn on_event(self, plan: &EnginePlan, message: EngineMessage, listener: &Listener) {
        let Some(latest) = self.listener.try_get_value().flatten() else { return };
        let is_latest = Rc::ptr_eq(&latest, listener);
        // A clone, so that the cell is not borrowed while the function runs: the function may make an equal request,
        // which replaces the content of the cell.
        let listener = Rc::clone(&listener.borrow());
        match message {
            EngineMessage::Reply(Content::Event(event), _) => {
                listener(plan, Answer::Event(event));
                if !is_latest {
                    set_if_new(self.is_old, true);
                }
            }
            _ if !is_latest => {}
            EngineMessage::Reply(Content::Progress(progress), _) => self.progress.set(Some(progress)),
            EngineMessage::Reply(Content::Finished, 0) => self.end(Phase::Done),
            EngineMessage::Reply(Content::Failed(problem), _) => {
                self.end(Phase::Failed(problem.clone().into()));
                listener(plan, Answer::Failed(problem));
            }
            EngineMessage::GaveUp => {
                self.end(Phase::Failed(strings::gave_up(self.lane).into()));
                listener(plan, Answer::GaveUp);
            }
            EngineMessage::Reply(Content::Started | Content::Finished | Content::Cancelled, _) => {}
        }
    }

    fn end(self, phase: Phase) {
        let has_failed = matches!(phase, Phase::Failed(_));
        set_if_new(self.phase, phase);
        if has_failed && self.at_failure == AtFailure::Clear && self.is_old.get_untracked() {
            self.clear();
        }
    }

    fn clear(self) {
        set_if_new(self.is_old, false);
        self.clear.get_value()();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans;
    use crate::state::PageState;

    type Draws = Query<Vec<usize>>;

    fn plan(draws: usize) -> EnginePlan {
        let state = PageState { draws, ..PageState::default() };
        EnginePlan::Sweep(plans::sweep(&state).expect("a sweep"))
    }

    /// Adds the draws of the plan that is answered.
    fn on_event(ask: Draws, plan: &EnginePlan, answer: Answer) {
        if let (EnginePlan::Sweep(plan), Answer::Event(_)) = (plan, answer) {
            ask.fresh(|data| data.push(plan.draws));
        }
    }

    fn emit(ask: Draws, draws: usize, listener: &Listener, content: Content<EngineEvent>) {
        ask.run.on_event(&plan(draws), EngineMessage::Reply(content, 0), listener);
    }

    fn event() -> Content<EngineEvent> {
        Content::Event(EngineEvent::Sweep(Vec::new()))
    }

    fn latest(ask: Draws) -> Listener {
        ask.run.listener.get_value().expect("a listener")
    }

    fn with_ask(at_failure: AtFailure, test: impl FnOnce(Draws)) {
        Owner::new().with(|| test(Query::new(Engine::default(), EngineLane::Sweep, at_failure)));
    }

    #[test]
    fn the_data_answer_the_latest_request_and_a_replaced_one_ends_nothing() {
        with_ask(AtFailure::Clear, |ask| {
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event);
            let first = latest(ask);
            // The same request is not made twice.
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event);
            assert!(Rc::ptr_eq(&first, &latest(ask)));
            emit(ask, 1, &first, event());
            emit(ask, 1, &first, event());
            assert_eq!((ask.get(), ask.is_stale(), ask.phase()), (vec![1, 1], false, Phase::Running));
            ask.request(Ok(vec![plan(2)]), Start::Now, on_event);
            assert_eq!((ask.get(), ask.is_stale()), (vec![1, 1], true));
            // Late replies to the first request: its result is shown as old, and its end is ignored.
            emit(ask, 1, &first, event());
            emit(ask, 1, &first, Content::Finished);
            assert_eq!((ask.get(), ask.is_stale(), ask.phase()), (vec![1], true, Phase::Running));
            emit(ask, 2, &latest(ask), event());
            emit(ask, 2, &latest(ask), Content::Finished);
            assert_eq!((ask.get(), ask.is_stale(), ask.phase()), (vec![2], false, Phase::Done));
        });
    }

    #[test]
    fn of_equal_requests_the_newest_one_hears_the_answers() {
        with_ask(AtFailure::Clear, |ask| {
            let on_event_as = |mark: usize| {
                move |ask: Draws, _: &EnginePlan, answer: Answer| {
                    if matches!(answer, Answer::Event(_)) {
                        ask.fresh(|data| data.push(mark));
                    }
                }
            };
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event_as(10));
            let submitted = latest(ask);
            emit(ask, 1, &submitted, event());
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event_as(20));
            emit(ask, 1, &submitted, event());
            // So it is if the equal request is made while an answer is received.
            ask.request(Ok(vec![plan(1)]), Start::Now, move |ask: Draws, _: &EnginePlan, _| {
                ask.fresh(|data| data.push(30));
                ask.request(Ok(vec![plan(1)]), Start::Now, on_event_as(40));
            });
            emit(ask, 1, &submitted, event());
            emit(ask, 1, &submitted, event());
            emit(ask, 1, &submitted, Content::Finished);
            assert_eq!((ask.get(), ask.is_stale(), ask.phase()), (vec![10, 20, 30, 40], false, Phase::Done));
        });
    }

    #[test]
    fn stopped_work_is_not_whole_before_it_is_done_again() {
        with_ask(AtFailure::Clear, |ask| {
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event);
            emit(ask, 1, &latest(ask), event());
            assert!(!ask.is_whole(), "the work goes on");
            ask.stop(Phase::Stopped);
            assert!(!ask.is_stale() && !ask.is_whole(), "a part is there");
            ask.again();
            assert!(!ask.is_whole(), "the part is of before");
            emit(ask, 1, &latest(ask), event());
            emit(ask, 1, &latest(ask), Content::Finished);
            assert!(ask.is_whole());
            ask.request(Ok(vec![plan(2)]), Start::Now, on_event);
            assert!(!ask.is_whole(), "another request was made");
        });
    }

    #[test]
    fn data_of_an_earlier_request_go_or_stay_where_the_latest_one_fails() {
        for (at_failure, left) in [(AtFailure::Clear, vec![]), (AtFailure::Keep, vec![1])] {
            with_ask(at_failure, |ask| {
                ask.request(Ok(vec![plan(1)]), Start::Now, on_event);
                emit(ask, 1, &latest(ask), event());
                ask.request(Err("no tokens"), Start::Now, on_event);
                assert_eq!((ask.get(), ask.phase()), (left.clone(), Phase::Failed("no tokens".into())));
                // Without plans there are no data.
                ask.request(Ok(Vec::new()), Start::Now, on_event);
                assert_eq!((ask.get(), ask.phase()), (Vec::new(), Phase::Done));
            });
        }
    }

    #[test]
    fn work_that_is_left_is_asked_for_again_and_work_that_is_done_is_not() {
        with_ask(AtFailure::Clear, |ask| {
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event);
            ask.leave();
            assert_eq!((ask.latest(), ask.phase()), (None, Phase::Stopped));
            ask.request(Ok(vec![plan(1)]), Start::Now, on_event);
            emit(ask, 1, &latest(ask), Content::Finished);
            ask.leave();
            assert_eq!((ask.latest(), ask.phase()), (Some(Ok(vec![plan(1)])), Phase::Done));
        });
    }
}
