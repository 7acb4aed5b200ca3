//! A models' worker for tests: its input, its output, and the command line beside it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::rc::Rc;

use assert_cmd::Command;
use lipscope_core::experiment::InputError;
use lipscope_core::measure::UpperNumber;
use lipscope_models::{
    Batch, Bounding, Cell, DrawnFamily, DrawnModel, Estimate, Estimators, MODEL_TOLERANCE, PlanText, Shard, Source,
    Subject, Table, WindowExperiment,
};
use lipscope_protocol::envelope::{Command as ToWorker, Content, Reply, Request};
use lipscope_protocol::models::{
    BatchEvent, BatchPlan, LayersEvent, LayersPlan, ModelContext, ModelEvent, ModelFacts, ModelOrigin, ModelPlan,
    ModelTasks, NoNetwork, OpenPlan, ReadTablePlan, SharedFile, TableBatch, TableForm, WindowPlan, WriteTablePlan,
};
use lipscope_protocol::runner::Runner;
use lipscope_testkit::in_repository;

/// Bytes that remember which ranges of them were read.
#[derive(Clone, Debug)]
pub struct Watched {
    pub bytes: Rc<Vec<u8>>,
    pub reads: Rc<RefCell<Vec<Range<u64>>>>,
}

impl Watched {
    pub fn new(bytes: Vec<u8>) -> Self {
        Watched { bytes: Rc::new(bytes), reads: Rc::default() }
    }
}

impl Source for Watched {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        self.reads.borrow_mut().push(range.clone());
        self.bytes.as_slice().read(range)
    }
}

pub const ALL_OF: Shard = Shard { index: 0, count: 1 };
pub const TEXT: &str = include_str!("../../assets/attention.txt");

pub fn files(folder: &str) -> BTreeMap<String, Watched> {
    let folder = fs::read_dir(in_repository(format!("tests/data/models/{folder}"))).expect("a folder");
    folder
        .flatten()
        .filter(|entry| entry.file_name() != "expected.json")
        .map(|entry| {
            let bytes = fs::read(entry.path()).expect("a file");
            (entry.file_name().to_string_lossy().into_owned(), Watched::new(bytes))
        })
        .collect()
}

pub fn plan(layers: &str, lengths: &str, windows: usize) -> PlanText {
    PlanText {
        layers: layers.into(),
        heads: "all".into(),
        lengths: lengths.into(),
        windows,
        mask: None,
        kind: None,
        estimators: Estimators::Both,
        tolerance: MODEL_TOLERANCE,
        bounds: Bounding::Skipped,
        upper: UpperNumber::Skipped,
        statistics: Default::default(),
        special: Default::default(),
    }
}

pub fn small() -> ModelOrigin {
    ModelOrigin::Drawn(DrawnModel { family: DrawnFamily::Gpt2, d: 32, layers: 3, heads: 4, seed: 0 })
}

pub fn of_files(name: &str) -> ModelOrigin {
    ModelOrigin::Files { name: name.into(), resizing: lipscope_models::Resizing::Refused }
}

/// A models' worker.
pub struct Bench(Runner<ModelTasks>);

impl Bench {
    pub fn new(files: BTreeMap<String, Watched>) -> Self {
        let mut runner = Runner::<ModelTasks>::new(ModelContext::new(Box::new(NoNetwork)));
        let shared = |(name, file)| (name, Box::new(file) as Box<dyn SharedFile>);
        runner.context().take_files(files.into_iter().map(shared).collect());
        Bench(runner)
    }

    pub fn events(&mut self, plan: ModelPlan) -> Result<Vec<ModelEvent>, String> {
        self.0.complete(plan, || 1.0).map_err(|problem| problem.to_string())
    }

    /// All that a run says, with a clock that goes on by `step` milliseconds each time it is read.
    pub fn contents_at(&mut self, plan: ModelPlan, step: f64) -> Vec<Content<ModelEvent>> {
        let now = std::cell::Cell::new(0.0);
        let clock = || {
            now.set(now.get() + step);
            now.get()
        };
        let mut contents = Vec::new();
        let mut on_event = |reply: Reply<ModelEvent>| contents.push(reply.content);
        self.0.begin(ToWorker::Run(Request { run_id: 0, plan }), clock(), &mut on_event);
        self.0.slice(f64::INFINITY, clock, on_event);
        contents
    }

    /// The only event of a plan.
    pub fn event(&mut self, plan: ModelPlan) -> Result<ModelEvent, String> {
        let mut events = self.events(plan)?;
        let event = events.pop().expect("an event");
        assert!(events.is_empty(), "one event, not also {events:?}");
        Ok(event)
    }

    pub fn open(&mut self, origin: &ModelOrigin, text: &str) -> Result<ModelFacts, String> {
        match self.event(ModelPlan::Open(OpenPlan { origin: origin.clone(), text: text.into(), notes: Vec::new() }))? {
            ModelEvent::Open(facts) => Ok(*facts),
            other => panic!("{other:?}"),
        }
    }

    /// The whole table of a plan, its batches in the order of `order`.
    pub fn table(&mut self, origin: &ModelOrigin, text: &str, plan: &PlanText, order: Order) -> Result<Table, String> {
        let facts = self.open(origin, text)?;
        let whole = plan.plan(&facts.config).map_err(|problem| problem.to_string())?;
        let mut table = Table::new(Subject::of(&facts.label, &facts.text, &whole)).with_notes(&facts.notes);
        let mut batches: Vec<Batch> = whole.batches(ALL_OF);
        if order == Order::Backwards {
            batches.reverse();
        }
        for batch in batches {
            let wanted: Vec<Cell> = whole.cells(&batch).collect();
            let (origin, plan, ids) = (origin.clone(), plan.clone(), facts.ids.clone());
            let events = self.events(ModelPlan::Batch(BatchPlan {
                origin,
                plan,
                ids: ids.into(),
                batch,
                wanted: wanted.clone(),
            }))?;
            let rows = rows_of(&events);
            assert!(rows.iter().map(|(cell, _)| *cell).eq(wanted), "a row for every cell, in order");
            table.rows.extend(rows);
        }
        Ok(table)
    }

    /// The rows of a plan whose model is read layer by layer, in the order in which they come, and the layers in the order
    /// in which they are read.
    pub fn by_layer(&mut self, origin: &ModelOrigin, plan: &PlanText) -> (Vec<(Cell, Estimate)>, Vec<usize>) {
        let facts = self.open(origin, TEXT).expect("opened");
        let whole = plan.plan(&facts.config).expect("a plan");
        let with_cells = |batch: Batch| {
            let wanted = whole.cells(&batch).collect();
            (batch, wanted)
        };
        let batches = whole.batches(ALL_OF).into_iter().map(with_cells).collect();
        let (origin, plan, ids) = (origin.clone(), plan.clone(), facts.ids.into());
        let events = self.events(ModelPlan::Layers(LayersPlan { origin, plan, ids, batches })).expect("measured");
        let (mut rows, mut layers) = (Vec::new(), Vec::new());
        for event in events {
            match event {
                ModelEvent::Layers(LayersEvent::Prepared) => assert!(rows.is_empty() && layers.is_empty()),
                ModelEvent::Layers(LayersEvent::Reading { layer, of, .. }) => {
                    assert_eq!(of, whole.depth());
                    layers.push(layer);
                }
                ModelEvent::Layers(LayersEvent::Rows(more)) => rows.extend(more),
                other => panic!("{other:?}"),
            }
        }
        (rows, layers)
    }

    pub fn window(&mut self, origin: &ModelOrigin, plan: &PlanText, cell: Cell) -> Result<WindowExperiment, String> {
        let ids = self.open(origin, TEXT)?.ids;
        match self.event(ModelPlan::Window(WindowPlan { origin: origin.clone(), plan: plan.clone(), ids, cell }))? {
            ModelEvent::Window(window) => Ok(*window),
            other => panic!("{other:?}"),
        }
    }

    pub fn write(&mut self, table: &Table, form: TableForm) -> String {
        match self.event(ModelPlan::WriteTable(WriteTablePlan { table: table.clone(), form })) {
            Ok(ModelEvent::WriteTable(text)) => text,
            other => panic!("{other:?}"),
        }
    }

    /// The batches that a file's table arrives in.
    pub fn read(&mut self, text: &str) -> Result<Vec<Option<TableBatch>>, String> {
        let events = self.events(ModelPlan::ReadTable(ReadTablePlan { name: "a.csv".into(), bytes: text.into() }))?;
        let batches = events.into_iter().map(|event| match event {
            ModelEvent::ReadTable(batch) => batch,
            other => panic!("{other:?}"),
        });
        Ok(batches.collect())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Forwards,
    Backwards,
}

pub fn on_command_line(arguments: &[&str]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("lipscope"));
    command.current_dir(in_repository("."));
    let output = command.arg("model").args(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

/// The rows in a batch's events. The first event must say that the model is prepared, and all others must hold rows.
pub fn rows_of(events: &[ModelEvent]) -> Vec<(Cell, Estimate)> {
    let Some((ModelEvent::Batch(BatchEvent::Prepared { .. }), measured)) = events.split_first() else {
        panic!("not prepared, then measured: {events:?}");
    };
    let rows = |event: &ModelEvent| match event {
        ModelEvent::Batch(BatchEvent::Rows { rows, .. }) => rows.clone(),
        other => panic!("{other:?}"),
    };
    measured.iter().flat_map(rows).collect()
}
