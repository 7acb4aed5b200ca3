//! The lanes: which orders of a lane are done, and when its worker starts. The newest order of a lane of the engine is cut into
//! parts for as many workers as there are cores; the batches of models have as many workers as the run was given; every other
//! lane has one worker.

use std::fmt;
use std::rc::Rc;

use js_sys::Object;
use lipscope_protocol::envelope::Content;
use lipscope_protocol::models::{ModelOrigin, ModelTasks};
use lipscope_protocol::pool::{Begins, Lane, Policy, Preempt};
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks};
use lipscope_protocol::train::TrainTasks;

use super::{Companion, Workers};

/// The engine's workers. Beside a plan the page keeps who hears the replies.
pub type EngineWorkers = Workers<EngineTasks, EngineLane, EngineListener>;

/// The models' workers. Beside a plan the page keeps the model that it is about.
pub type ModelWorkers = Workers<ModelTasks, ModelLane, Option<ModelSource>>;

/// The worker of training. Beside a plan the page keeps what it is for.
pub type TrainWorkers = Workers<TrainTasks, TrainLane, TrainOrder>;

/// Lanes of the engine's workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineLane {
    /// The present configuration.
    Measure,
    /// What the ball holds.
    Ball,
    /// The draws and their bounds.
    Sweep,
    /// The curves over n.
    Growth,
    /// Texts and files in, programs out.
    Read,
    /// The search for worse tokens.
    Search,
    /// The views of L2 attention, and the estimators.
    Lab,
}

/// Lanes of the models' workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelLane {
    /// Batches of windows; how many go on side by side is chosen with the run.
    Batches,
    /// The model and the text that are chosen.
    Open,
    /// Tables in.
    ReadTable,
    /// Tables out.
    WriteTable,
    /// Heads at their adversarial tokens.
    Adversarial,
    /// A window that becomes an experiment.
    Window,
    /// Files of an address.
    Download,
}

/// The lane of the worker of training: one order after the other, for the worker keeps the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrainLane {
    /// All that it does.
    All,
}

/// Which run an order to the worker of training is about, and which file is wanted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainOrder {
    /// The number of the run.
    pub run: u64,
    /// The file.
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

/// Hears the replies to one order of the engine's: who asks, hears.
#[derive(Clone)]
pub struct EngineListener(Rc<Hearing>);

type Hearing = dyn Fn(&EnginePlan, EngineNews);

/// What the listener of an order hears.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it is handed over once, and never kept")]
pub enum EngineNews {
    /// A reply, and how many orders of the lane are still to be done.
    Reply(Content<EngineEvent>, usize),
    /// The order has stopped its worker twice, and is given up.
    GaveUp,
}

impl EngineListener {
    /// Calls this for every reply.
    pub fn new(hear: impl Fn(&EnginePlan, EngineNews) + 'static) -> Self {
        EngineListener(Rc::new(hear))
    }

    /// Tells it what became of its order.
    pub fn tell(&self, plan: &EnginePlan, news: EngineNews) {
        (self.0)(plan, news);
    }
}

impl fmt::Debug for EngineListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EngineListener")
    }
}

/// A model and its files. A newer one has a larger number.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSource {
    /// Which one of those that were given.
    pub number: u64,
    /// Drawn, or of files.
    pub origin: ModelOrigin,
    /// Blobs by their names; none of a drawn model.
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
        EngineLane::Growth,
        EngineLane::Read,
        EngineLane::Search,
        EngineLane::Lab,
    ];

    fn policy(self) -> Policy {
        Policy::Newest(match self {
            EngineLane::Measure | EngineLane::Read => Preempt::AfterMoment,
            EngineLane::Growth | EngineLane::Ball => Preempt::AfterFirstEvent,
            EngineLane::Sweep | EngineLane::Search | EngineLane::Lab => Preempt::AtOnce,
        })
    }

    fn comes_after(self) -> Option<Self> {
        // The number that follows a slider; the ball's bounds stand beside it a moment later.
        (self == EngineLane::Ball).then_some(EngineLane::Measure)
    }

    fn begins(self) -> Begins {
        match self {
            EngineLane::Measure | EngineLane::Ball => Begins::AtOnce,
            EngineLane::Sweep => Begins::Later,
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
