//! Messages between page and workers.

use lipscope_core::experiment::{Experiment, InputError, Memory, TableSource};
use lipscope_core::measure::BlockNorms;
use lipscope_core::measure::UpperNumber;
use lipscope_core::picture::PairRequest;
use lipscope_models::{Bounding, DrawnFamily, DrawnModel, Estimators, PlanText};
use lipscope_protocol::envelope::{Command, Content, Message, Progress, Reply, Request, decode, encode};
use lipscope_protocol::models::{
    ModelContext, ModelEvent, ModelOrigin, ModelPlan, ModelTasks, NoNetwork, OpenPlan, ReadTablePlan, WindowPlan,
};
use lipscope_protocol::runner::Runner;
use lipscope_protocol::task::TaskList;
use lipscope_protocol::tasks::{EngineEvent, EnginePlan, EngineTasks, MeasurePlan, ReadPlan};
use lipscope_protocol::train::{
    BackwardsPlan, Beginning, FilesPlan, GradientPlan, Kind, Plan, PlanFields, Saving, StretchPlan, TrainContext,
    TrainEvent, TrainPlan, TrainTasks,
};
use lipscope_testkit::scripts::CASES;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::door::{Allowance, Door, Verdict, within};
use crate::mutate::{Form, vary};

pub(super) const DOOR: Door = Door {
    name: "message",
    about: "postcard envelopes between page and workers, of all six kinds; what is read is written and read again, and half a step of training is computed",
    made,
    vary: |dice, inputs| vary(dice, inputs, Form::Bytes),
    feed,
};

/// A table of results.
const TABLE: &str = include_str!("../../corpus/results/gpt2.csv");

/// serde reserves up to a mebibyte for each list whose length a message claims, and entries of a few bytes may be of types that
/// are thousands of times as large in memory.
const READING: Allowance = Allowance { base: 16 << 20, each: 8_000 };

/// Messages of every kind, as the current program writes them: their format belongs to the build.
fn made() -> Vec<Vec<u8>> {
    let mut messages = Messages::default();
    let experiments =
        || CASES.iter().filter(|case| case.len() < 400).filter_map(|case| Experiment::from_json(case).ok());
    for (at, experiment) in experiments().enumerate() {
        let plan = EnginePlan::Measure(MeasurePlan {
            experiment,
            head_idx: at,
            most_cells: 64,
            block_norms: BlockNorms::Skipped,
            radius: None,
            pair: PairRequest::Included,
        });
        messages.answered::<EngineTasks>(at as u64, plan, Memory::BROWSER, 1);
    }
    // One experiment in every other kind of work, with what the worker answers.
    for plan in experiments().next().into_iter().flat_map(super::work::plans) {
        messages.answered::<EngineTasks>(5, plan, Memory::BROWSER, usize::MAX);
    }
    let source = TableSource::file("tokens.csv", b"1,2\n3,4\n".to_vec());
    messages.order(1, EnginePlan::Read(ReadPlan::Any(source)));
    messages.add(&Command::<EnginePlan>::Cancel);
    messages.add(&Message::<EngineEvent>::Ready);
    let progress = Progress { done: 3, total: Some(9), relative_residual: Some(1e-3) };
    messages.add(&Message::<EngineEvent>::Reply(Reply { run_id: 9, content: Content::Progress(progress) }));
    let problem =
        Experiment::from_json(r#"{"tokens":{"source":"random","n":-1}}"#).err().unwrap_or(InputError::OneToken);
    messages.add(&Message::<EngineEvent>::Reply(Reply { run_id: 9, content: Content::Failed(problem) }));
    let drawn = DrawnModel { family: DrawnFamily::Gpt2, d: 32, layers: 2, heads: 4, seed: 0 };
    let origin = || ModelOrigin::Drawn(drawn);
    let plan = PlanText {
        layers: "0,1".into(),
        heads: "each".into(),
        lengths: "2:8:2".into(),
        windows: 2,
        mask: None,
        kind: None,
        estimators: Estimators::Both,
        tolerance: 1e-3,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    };
    let cell = lipscope_models::Cell { layer: 0, heads: lipscope_models::Heads::All, n: 4, window: 1 };
    for plan in [
        ModelPlan::Open(OpenPlan { origin: origin(), text: "words of a text".into(), notes: Vec::new() }),
        ModelPlan::ReadTable(ReadTablePlan { name: "table.csv".into(), bytes: TABLE.as_bytes().to_vec() }),
        ModelPlan::Window(WindowPlan { origin: origin(), plan, ids: vec![1, 2, 3, 4, 5, 6, 7, 8], cell }),
    ] {
        messages.answered::<ModelTasks>(1, plan, ModelContext::new(Box::new(NoNetwork)), usize::MAX);
    }
    if let Ok(beginning) = beginning() {
        let plan = TrainPlan::Stretch(StretchPlan {
            run: 1,
            beginning: Some(beginning.clone()),
            beside: vec![1],
            until: 1,
            milliseconds: f64::INFINITY,
            measure_every: 1,
            sample: 4,
            saving: Saving::Always,
        });
        messages.answered::<TrainTasks>(2, plan, TrainContext::default(), usize::MAX);
        if let Some(plan) = half(&beginning) {
            messages.order(4, TrainPlan::Gradient(plan));
        }
        let backwards = BackwardsPlan { model: beginning.clone(), windows: 1, iterations: 2 };
        messages.order(6, TrainPlan::Backwards(backwards));
        messages.order(3, TrainPlan::Files(FilesPlan { model: beginning }));
    }
    messages.made
}

/// Messages as the program writes them.
#[derive(Default)]
struct Messages {
    made: Vec<Vec<u8>>,
}

impl Messages {
    fn add(&mut self, message: &impl Serialize) {
        self.made.extend(encode(message).ok());
    }

    fn order(&mut self, run_id: u64, plan: impl Serialize) {
        self.add(&Command::Run(Request { run_id, plan }));
    }

    /// An order, and the first answers that a worker gives to it.
    fn answered<T: TaskList>(&mut self, run_id: u64, plan: T::Plan, context: T::Context, most: usize) {
        self.order(run_id, plan.clone());
        for event in Runner::<T>::new(context).complete(plan, || 0.0).into_iter().flatten().take(most) {
            self.add(&Message::Reply(Reply { run_id, content: Content::Event(event) }));
        }
    }
}

/// The beginning of a run that trains a small model on a short text.
fn beginning() -> Result<Beginning, InputError> {
    let fields = PlanFields { width: 4, heads: 2, blocks: 1, context: 4, batch: 2, ..PlanFields::of_kind(Kind::Dot) };
    Ok(Beginning { plan: Plan::new(fields)?, text: "to be or not to be, ".repeat(4).into(), checkpoint: None })
}

/// The second half of its first step.
fn half(beginning: &Beginning) -> Option<GradientPlan> {
    let trainer = beginning.trainer().ok()?;
    Some(GradientPlan {
        plan: trainer.plan().clone(),
        vocabulary: trainer.corpus().vocabulary().len(),
        weights: trainer.weights().to_bytes().into(),
        batch: trainer.halves().second?,
    })
}

fn feed(input: &[u8]) -> Verdict {
    let order = comes_back::<Command<TrainPlan>>(input);
    let taken = [
        comes_back::<Command<EnginePlan>>(input).is_some(),
        comes_back::<Message<EngineEvent>>(input).is_some(),
        comes_back::<Command<ModelPlan>>(input).is_some(),
        comes_back::<Message<ModelEvent>>(input).is_some(),
        order.is_some(),
        comes_back::<Message<TrainEvent>>(input).is_some(),
    ];
    // Half a step is computed with whatever numbers it has.
    if let Some(Command::Run(Request { plan: plan @ TrainPlan::Gradient(_), .. })) = order {
        let events = Runner::<TrainTasks>::new(TrainContext::default()).complete(plan, || 0.0);
        assert!(matches!(events.as_deref(), Ok([TrainEvent::Gradient(_)])), "half a step has one answer");
    }
    if taken.contains(&true) { Verdict::Taken } else { Verdict::Refused }
}

/// The message, if the bytes are one of this kind. Also checks that a message that was read is written as bytes that
/// are read as the same message. The two are compared as bytes, because a message may hold NaN, which equals no number.
fn comes_back<T: Serialize + DeserializeOwned>(input: &[u8]) -> Option<T> {
    let message = within("reading a message", READING.of(input), || decode::<T>(input)).ok()?;
    let written = encode(&message).unwrap_or_else(|problem| panic!("a message cannot be written: {problem}"));
    let again =
        decode::<T>(&written).unwrap_or_else(|problem| panic!("a message of its own cannot be read: {problem}"));
    assert_eq!(encode(&again).as_ref(), Ok(&written), "a message that was written is another one when it is read");
    Some(message)
}
