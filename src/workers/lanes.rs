//! The lanes: which orders of a lane are carried out, and when its worker starts. The latest order of an engine lane is
//! cut into parts for as many workers as there are cores. The batches of models have as many workers as the run was
//! given. Every other lane has one worker.

use std::fmt;
use std::rc::Rc;

use js_sys::Object;
use lipscope_protocol::envelope::Content;
use lipscope_protocol::models::{ModelOrigin, ModelTasks};
use lipscope_protocol::pool::{Begins, Lane, Policy, Preempt};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks};
use lipscope_protocol::train::TrainTasks;

use super::{Companion, Workers};

/// The engine's workers. Beside a plan the page keeps the listener of its replies.
pub type EngineWorkers = Workers<EngineTasks, EngineLane, EngineListener>;

/// The models' workers. Beside a plan the page keeps its model.
pub type ModelWorkers = Workers<ModelTasks, ModelLane, Option<ModelSource>>;

/// The worker for training. Beside a plan the page keeps its run and its file.
pub type TrainWorkers = Workers<TrainTasks, TrainLane, TrainOrder>;

/// Lanes of the engine's workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineLane {
    /// Measures the present configuration.
    Measure,
    /// The bounds on the ball, and its worst tokens.
    Ball,
    /// The draws over n.
    Sweep,
    /// The bounds over n beside the draws.
    Bounds,
    /// The curves over n.
    Growth,
    /// Reads texts and files, and writes programs.
    Read,
    /// The worst-case search.
    Search,
    /// The experiments of the lab.
    Lab,
}

/// Lanes of the models' workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelLane {
    /// Batches of windows. The run sets how many workers measure side by side.
    Batches,
    /// Opens the chosen model and text.
    Open,
    /// Reads tables.
    ReadTable,
    /// Writes tables.
    WriteTable,
    /// Heads at their adversarial tokens.
    Adversarial,
    /// A window that becomes an experiment.
    Window,
    /// Files of an address.
    Download,
}

/// The lane of the worker for training. It carries out one order after the other in one worker, which keeps the models
/// in its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainLane {
    /// All orders.
    All,
}

/// The run of an order to the worker for training, and the file that is wanted from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainOrder {
    /// The number of the run.
    pub run: u64,
    /// The file that is wanted from the run.
    pub file: Option<TrainFile>,
}

/// A file of a trained model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainFile {
    /// `config.json`.
    Config,
    /// `model.safetensors`.
    Weights,
    /// `tokenizer.json`.
    Tokenizer,
    /// All of them, to be opened in Models.
    All,
}

/// Receives the replies to one order of the engine.
#[derive(Clone)]
pub struct EngineListener(Rc<Hearing>);

type Hearing = dyn Fn(&EnginePlan, EngineMessage);

/// A message about an order for its listener.
#[derive(Debug)]
pub enum EngineMessage {
    /// A reply, and how many orders of the lane are left.
    Reply(Content<EngineEvent>, usize),
    /// The order has stopped its worker twice, and the pool has given it up.
    GaveUp,
}

impl EngineListener {
    /// A listener that calls `on_event` for every reply.
    pub fn new(on_event: impl Fn(&EnginePlan, EngineMessage) + 'static) -> Self {
        EngineListener(Rc::new(on_event))
    }

    /// Passes on a message about its order.
    pub fn emit(&self, plan: &EnginePlan, message: EngineMessage) {
        (self.0)(plan, message);
    }
}

impl fmt::Debug for EngineListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EngineListener")
    }
}

/// A model and its files.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSource {
    /// Its number; a later source has a larger one.
    pub number: u64,
    /// Whether it has random weights or comes from files.
    pub origin: ModelOrigin,
    /// Blobs by their names; empty for random weights.
    pub files: Object,
}

impl Companion for EngineListener {}

impl Companion for TrainOrder {}

impl Companion for Option<ModelSource> {
    fn files(&self) -> Option<(f64, &Object)> {
        self.as_ref().map(|source| (source.number as f64, &source.files))
    }
}

impl Lane for EngineLane {
    const ALL: &'static [Self] = &[
        EngineLane::Measure,
        EngineLane::Ball,
        EngineLane::Sweep,
        EngineLane::Bounds,
        EngineLane::Growth,
        EngineLane::Read,
        EngineLane::Search,
        EngineLane::Lab,
    ];

    fn policy(self) -> Policy {
        Policy::Newest(match self {
            EngineLane::Measure | EngineLane::Read => Preempt::AfterMoment,
            EngineLane::Growth | EngineLane::Ball => Preempt::AfterFirstEvent,
            EngineLane::Sweep | EngineLane::Bounds | EngineLane::Search | EngineLane::Lab => Preempt::AtOnce,
        })
    }

    fn comes_after(self) -> Option<Self> {
        // A slider waits for the number; the bounds on the ball follow a moment later.
        (self == EngineLane::Ball).then_some(EngineLane::Measure)
    }

    fn begins(self) -> Begins {
        match self {
            EngineLane::Measure | EngineLane::Ball => Begins::AtOnce,
            EngineLane::Sweep | EngineLane::Bounds => Begins::Later,
            EngineLane::Growth | EngineLane::Read | EngineLane::Search | EngineLane::Lab => Begins::WhenNeeded,
        }
    }
}

impl Lane for ModelLane {
    const ALL: &'static [Self] = &[
        ModelLane::Batches,
        ModelLane::Open,
        ModelLane::ReadTable,
        ModelLane::WriteTable,
        ModelLane::Adversarial,
        ModelLane::Window,
        ModelLane::Download,
    ];

    fn policy(self) -> Policy {
        match self {
            ModelLane::Batches => Policy::Queue,
            _ => Policy::Newest(Preempt::AtOnce),
        }
    }
}

impl Lane for TrainLane {
    const ALL: &'static [Self] = &[TrainLane::All];

    fn policy(self) -> Policy {
        Policy::Queue
    }
}
