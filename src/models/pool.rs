//! The workers of models: the first one also opens models and reads tables, and all of them measure batches.
//!
//! A run's batches are handed out in their order, longest windows first, each to the first worker that is free. A worker
//! that dies gives its batch back and is replaced once; the next one's batch is left out and named. Ending a run ends
//! its workers, whatever they do: what they had sent is kept, and nothing of theirs comes later.

use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::Object;
use wasm_bindgen::JsValue;

use crate::hand::{Hand, HandId, Heard};
use lipscope_models::{Batch, Cell, Estimate, PlanText};
use lipscope_protocol::message::RunId;
use lipscope_protocol::model_message::{FetchRequest, ModelOrigin, ModelReply, ModelRequest, ModelWork};

use super::wire;

/// Where the worker's module is, beside the page.
const WORKER_URL: &str = "./model_worker_loader.js";

/// A model and its files. A newer one has a larger number.
#[derive(Clone)]
pub struct Source {
    /// Which one of those that were given.
    pub number: u64,
    /// Drawn, or of files.
    pub origin: ModelOrigin,
    /// Blobs by their names; none of a drawn model.
    pub files: Object,
}

/// What is to be measured.
pub struct Task {
    /// The plan.
    pub plan: PlanText,
    /// The text's ids, as far as the plan's windows go.
    pub ids: Vec<u32>,
    /// Portions with those of their places that are missing.
    pub jobs: VecDeque<Job>,
}

/// Some windows.
#[derive(Clone, Debug)]
pub struct Job {
    /// The windows.
    pub batch: Batch,
    /// What is missing of them.
    pub wanted: Vec<Cell>,
}

/// What happened.
pub enum PoolEvent {
    /// An answer about a model, a text or a table, or what it failed over; files beside it.
    Answer(ModelReply, JsValue),
    /// Rows of the run.
    Rows(Job, Vec<(Cell, Estimate)>),
    /// Windows could not be measured.
    Problem(String),
    /// The run cannot go on.
    Broken(String),
    /// A worker stopped, and another took its place.
    Replaced,
    /// A worker stopped again, over windows of up to so many tokens, which are left out.
    LeftOut(usize),
    /// A worker stopped while it did something else.
    Lost,
    /// No worker can be started.
    CannotStart,
    /// Nothing is left to measure.
    Finished,
}

/// What a worker does for the run.
enum Busy {
    Preparing(RunId),
    Measuring(RunId, Job),
}

/// A worker, and what it is known to have.
struct Member {
    hand: Hand,
    /// What it is told once it listens.
    waiting: VecDeque<ModelWork>,
    /// The number of the source that it has.
    source: u64,
    /// Whether it has the run's plan.
    is_prepared: bool,
    busy: Option<Busy>,
}

/// The workers.
pub struct Pool {
    tell: Rc<dyn Fn(HandId, Heard)>,
    members: Vec<Member>,
    source: Option<Source>,
    task: Option<Task>,
    is_paused: bool,
    deaths: usize,
    failed_starts: usize,
    last_hand: HandId,
    last_run: RunId,
}

impl Pool {
    /// Without any worker; `tell` hears them all.
    pub fn new(tell: Rc<dyn Fn(HandId, Heard)>) -> Self {
        Pool {
            tell,
            members: Vec::new(),
            source: None,
            task: None,
            is_paused: false,
            deaths: 0,
            failed_starts: 0,
            last_hand: 0,
            last_run: 0,
        }
    }

    /// The id of a new run.
    pub fn next_run(&mut self) -> RunId {
        self.last_run += 1;
        self.last_run
    }

    /// Asks the first worker something, beside what it measures; of `source` where it is about a model.
    pub fn ask(&mut self, source: Option<Source>, request: ModelRequest) -> Vec<PoolEvent> {
        if source.is_some() {
            self.source = source;
        }
        let mut events = self.man(1);
        if let Some(first) = self.members.first_mut() {
            first.waiting.push_back(ModelWork::Run(request));
        }
        self.pump(&mut events);
        events
    }

    /// Asks for something of an address, by a worker that does nothing else.
    pub fn fetch(&mut self, request: FetchRequest) -> Vec<PoolEvent> {
        let mut events = self.man(1);
        if let Some(first) = self.members.first_mut() {
            first.waiting.push_back(ModelWork::Fetch(request));
        }
        self.pump(&mut events);
        events
    }

    /// Asks for a window of the run's plan, which the first worker is given first where it has it not.
    pub fn window(&mut self, source: Source, plan: PlanText, ids: Vec<u32>, cell: Cell) -> Vec<PoolEvent> {
        let origin = source.origin.clone();
        self.source = Some(source);
        let mut events = self.man(1);
        let (preparing, run_id) = (self.next_run(), self.next_run());
        if let Some(first) = self.members.first_mut() {
            // The plan of one window takes the place of the run's.
            first.is_prepared = false;
            let prepare = ModelRequest::Prepare { run_id: preparing, origin, plan, ids };
            first.waiting.push_back(ModelWork::Run(prepare));
            first.waiting.push_back(ModelWork::Run(ModelRequest::Window { run_id, cell }));
        }
        self.pump(&mut events);
        events
    }

    /// Begins a run with so many workers.
    pub fn begin(&mut self, source: Source, task: Task, workers: usize) -> Vec<PoolEvent> {
        self.members.truncate(workers.max(1));
        for member in &mut self.members {
            member.is_prepared = false;
        }
        self.source = Some(source);
        self.task = Some(task);
        self.is_paused = false;
        self.deaths = 0;
        let mut events = self.man(workers);
        self.pump(&mut events);
        events
    }

    /// Begins no more windows, or goes on with them.
    pub fn set_paused(&mut self, pause: Pause) -> Vec<PoolEvent> {
        self.is_paused = pause == Pause::Hold;
        let mut events = Vec::new();
        self.pump(&mut events);
        events
    }

    /// Ends every worker and the run.
    pub fn end(&mut self) {
        self.members.clear();
        self.task = None;
    }

    /// Whether some worker measures or is given the plan.
    pub fn is_busy(&self) -> bool {
        self.members.iter().any(|member| member.busy.is_some())
    }

    /// Takes in what a worker says.
    pub fn hear(&mut self, id: HandId, heard: Heard) -> Vec<PoolEvent> {
        let mut events = Vec::new();
        let said = match heard {
            Heard::Message(message) => wire::read(&message),
            Heard::Died => None,
        };
        match said {
            Some((reply, files)) => self.take(id, reply, files, &mut events),
            None => self.lost(id, &mut events),
        }
        self.pump(&mut events);
        events
    }

    fn take(&mut self, id: HandId, reply: ModelReply, files: JsValue, events: &mut Vec<PoolEvent>) {
        let Some(member) = self.members.iter_mut().find(|member| member.hand.id == id) else { return };
        if reply == ModelReply::Ready {
            member.hand.is_ready = true;
            self.failed_starts = 0;
            return;
        }
        let is_of = |busy: &Busy| match busy {
            Busy::Preparing(run_id) | Busy::Measuring(run_id, _) => reply.run_id() == Some(*run_id),
        };
        if !member.busy.as_ref().is_some_and(is_of) {
            if !matches!(reply, ModelReply::Prepared { .. }) {
                events.push(PoolEvent::Answer(reply, files));
            }
            return;
        }
        match (member.busy.take(), reply) {
            (Some(Busy::Preparing(_)), ModelReply::Failed { problem, .. }) => {
                self.task = None;
                events.push(PoolEvent::Broken(problem));
            }
            (Some(Busy::Preparing(_)), _) => member.is_prepared = true,
            (Some(Busy::Measuring(_, job)), ModelReply::Rows { rows, .. }) => events.push(PoolEvent::Rows(job, rows)),
            (Some(Busy::Measuring(..)), ModelReply::Failed { problem, .. }) => {
                events.push(PoolEvent::Problem(problem));
            }
            _ => {}
        }
        self.finish(events);
    }

    /// A worker died, or cannot be understood.
    fn lost(&mut self, id: HandId, events: &mut Vec<PoolEvent>) {
        let Some(at) = self.members.iter().position(|member| member.hand.id == id) else { return };
        let workers = self.members.len();
        let member = self.members.remove(at);
        if !member.hand.is_ready {
            return self.not_started(at, member, workers, events);
        }
        let Some(task) = &mut self.task else { return events.push(PoolEvent::Lost) };
        self.deaths += 1;
        let is_first = self.deaths == 1;
        if let Some(Busy::Measuring(_, job)) = member.busy {
            if is_first {
                task.jobs.push_front(job);
            } else {
                events.push(PoolEvent::LeftOut(job.batch.longest()));
            }
        }
        if is_first {
            events.push(PoolEvent::Replaced);
            events.extend(self.man(workers));
        } else if self.members.is_empty() {
            // What is left goes on with one worker; a plan that no worker survives ends here.
            events.push(PoolEvent::Lost);
            self.task = None;
        }
        self.finish(events);
    }

    /// A worker never listened: one more is tried, which takes up what waits.
    fn not_started(&mut self, at: usize, member: Member, workers: usize, events: &mut Vec<PoolEvent>) {
        self.failed_starts += 1;
        if self.failed_starts > 1 {
            self.task = None;
            return events.push(PoolEvent::CannotStart);
        }
        events.extend(self.man(workers));
        if let Some(mut fresh) = self.members.pop() {
            fresh.waiting = member.waiting;
            // In its place: the first worker is the one that is asked.
            self.members.insert(at, fresh);
        }
    }

    fn finish(&mut self, events: &mut Vec<PoolEvent>) {
        if self.task.as_ref().is_some_and(|task| task.jobs.is_empty()) && !self.is_busy() {
            self.task = None;
            events.push(PoolEvent::Finished);
        }
    }

    /// Starts workers until there are so many.
    fn man(&mut self, workers: usize) -> Vec<PoolEvent> {
        while self.members.len() < workers {
            self.last_hand += 1;
            let Some(hand) = Hand::start(WORKER_URL, self.last_hand, Rc::clone(&self.tell)) else {
                return vec![PoolEvent::CannotStart];
            };
            let member = Member { hand, waiting: VecDeque::new(), source: 0, is_prepared: false, busy: None };
            self.members.push(member);
        }
        Vec::new()
    }

    /// Gives every worker that listens what it is to do.
    fn pump(&mut self, events: &mut Vec<PoolEvent>) {
        let source = self.source.clone();
        let mut last_run = self.last_run;
        for member in self.members.iter_mut().filter(|member| member.hand.is_ready) {
            while let Some(work) = member.waiting.pop_front() {
                member.tell(source.as_ref(), &work, events);
            }
            let (Some(task), Some(source)) = (&mut self.task, &source) else { continue };
            if member.busy.is_some() || self.is_paused || task.jobs.is_empty() {
                continue;
            }
            last_run += 1;
            let run_id = last_run;
            if !member.is_prepared {
                let (plan, ids, origin) = (task.plan.clone(), task.ids.clone(), source.origin.clone());
                member.busy = Some(Busy::Preparing(run_id));
                let prepare = ModelRequest::Prepare { run_id, origin, plan, ids };
                member.tell(Some(source), &ModelWork::Run(prepare), events);
            } else if let Some(job) = task.jobs.pop_front() {
                let Job { batch, wanted } = job.clone();
                member.busy = Some(Busy::Measuring(run_id, job));
                member.tell(Some(source), &ModelWork::Run(ModelRequest::Measure { run_id, batch, wanted }), events);
            }
        }
        self.last_run = last_run;
    }
}

impl Member {
    /// Sends work, with the source's files where the worker has them not.
    fn tell(&mut self, source: Option<&Source>, work: &ModelWork, events: &mut Vec<PoolEvent>) {
        let is_of_model = !matches!(
            work,
            ModelWork::Fetch(_) | ModelWork::Run(ModelRequest::Parse { .. } | ModelRequest::Write { .. })
        );
        let fresh = source.filter(|source| is_of_model && source.number != self.source);
        if let Some(source) = fresh {
            self.source = source.number;
        }
        if !wire::send(&self.hand, work, fresh.map(|source| &source.files)) {
            events.push(PoolEvent::Lost);
        }
    }
}

/// Whether windows are begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Not for now.
    Hold,
    /// As they come.
    GoOn,
}
