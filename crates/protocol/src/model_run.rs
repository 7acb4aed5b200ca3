//! What a models' worker does: opening a model and its text, preparing a plan, measuring batches of it, tables in and out.
//!
//! It knows no browser: files are [`Source`]s by name, the clock is an argument. What is prepared stays until another plan
//! is, so that batches cost their measurement and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use crate::message::RunId;
use crate::model_message::{ModelFacts, ModelOrigin, ModelReply, ModelRequest, TableForm, parsed};
use lipscope_core::experiment::InputError;
use lipscope_models::{
    AdversarialPlan, Batch, Cell, Estimate, Maps, Model, Needs, Opened, PlanText, Shard, Source, Subject, Table,
    Tokenizer, TokenizerFiles, WindowExperiment, adversarial_curve, adversarial_text, ids_by_first_appearance,
    spans_of_words, text_fingerprint, whole_text, window_experiment,
};

/// A worker's memory.
#[derive(Debug)]
pub struct ModelRun<S> {
    files: BTreeMap<String, S>,
    ready: Option<Ready>,
}

/// A plan with as much of its model as it needs.
#[derive(Debug)]
struct Ready {
    origin: ModelOrigin,
    text: PlanText,
    ids: Vec<u32>,
    maps: Maps<Model>,
}

impl<S> Default for ModelRun<S> {
    fn default() -> Self {
        ModelRun { files: BTreeMap::new(), ready: None }
    }
}

impl<S: Source + Clone> ModelRun<S> {
    /// Takes other files, by their names; what was prepared of the ones before goes.
    pub fn take_files(&mut self, files: BTreeMap<String, S>) {
        self.files = files;
        self.ready = None;
    }

    /// Does what is asked, and tells what came of it. `now` tells milliseconds.
    pub fn answer(&mut self, request: ModelRequest, now: impl Fn() -> f64, mut tell: impl FnMut(ModelReply)) {
        let failed = |run_id: RunId, problem: InputError| ModelReply::Failed { run_id, problem: problem.to_string() };
        let reply = match request {
            ModelRequest::Open { run_id, origin, text } => match self.open(&origin, &text) {
                Ok(facts) => ModelReply::Opened { run_id, facts: Box::new(facts) },
                Err(problem) => failed(run_id, problem),
            },
            ModelRequest::Prepare { run_id, origin, plan, ids } => match self.prepare(origin, plan, ids) {
                Ok(()) => ModelReply::Prepared { run_id },
                Err(problem) => failed(run_id, problem),
            },
            ModelRequest::Measure { run_id, batch, wanted } => {
                let began = now();
                match self.measure(&batch, &wanted) {
                    Ok(rows) => ModelReply::Rows { run_id, rows, milliseconds: now() - began },
                    Err(problem) => failed(run_id, problem),
                }
            }
            ModelRequest::Window { run_id, cell } => match self.window(&cell) {
                Ok(window) => ModelReply::Window { run_id, window: Box::new(window) },
                Err(problem) => failed(run_id, problem),
            },
            ModelRequest::Adversarial { run_id, origin, plan, radius } => {
                match self.adversarial(&origin, &plan, radius) {
                    Ok(table) => ModelReply::Adversarial { run_id, table },
                    Err(problem) => failed(run_id, problem),
                }
            }
            ModelRequest::Parse { run_id, name, bytes } => match parse(&name, &bytes) {
                Ok(table) => return parsed(run_id, table).for_each(tell),
                Err(problem) => failed(run_id, problem),
            },
            ModelRequest::Write { run_id, table, form } => match write(&table, form) {
                Ok(text) => ModelReply::Written { run_id, text },
                Err(problem) => failed(run_id, problem),
            },
        };
        tell(reply);
    }

    /// What a model is, and the tokens of a text in it. A drawn model without a tokenizer takes words for tokens.
    fn open(&mut self, origin: &ModelOrigin, text: &str) -> Result<ModelFacts, InputError> {
        let mut opened = self.opened(origin)?;
        opened.check()?;
        let (ids, spans) = match self.tokenizer(origin)? {
            Some(tokenizer) => tokenizer.ids_and_spans(text)?,
            None => (ids_by_first_appearance(text, opened.config().vocabulary), spans_of_words(text)),
        };
        Ok(ModelFacts {
            label: opened.label().to_owned(),
            config: *opened.config(),
            text: text_fingerprint(&ids),
            ids,
            spans: spans.into_iter().map(|span| (span.start, span.end)).collect(),
        })
    }

    fn opened(&self, origin: &ModelOrigin) -> Result<Opened<S>, InputError> {
        match origin {
            ModelOrigin::Drawn(model) => Opened::drawn(*model),
            ModelOrigin::Files { name } => {
                let config = whole_text("config.json", &mut self.file("config.json")?)?;
                Opened::of_files(name, &config, self.file("model.safetensors")?)
            }
        }
    }

    /// That of the files; for a drawn model only a `tokenizer.json`, where there is one.
    fn tokenizer(&self, origin: &ModelOrigin) -> Result<Option<Tokenizer>, InputError> {
        let part = |name: &str| self.files.get(name).map(|file| whole_text(name, &mut file.clone())).transpose();
        let tokenizer = part("tokenizer.json")?;
        let files = match origin {
            ModelOrigin::Drawn(_) if tokenizer.is_none() => return Ok(None),
            ModelOrigin::Drawn(_) => TokenizerFiles { tokenizer, ..TokenizerFiles::default() },
            ModelOrigin::Files { .. } => TokenizerFiles {
                tokenizer,
                word_pieces: part("vocab.txt")?,
                pieces: part("vocab.json")?,
                merges: part("merges.txt")?,
            },
        };
        Tokenizer::new(&files).map(Some)
    }

    fn file(&self, name: &str) -> Result<S, InputError> {
        self.files.get(name).cloned().ok_or_else(|| InputError::File {
            file: name.into(),
            problem: "it is not among the files".into(),
            fix: "Give config.json, model.safetensors and the tokenizer's files together, or the folder that has them."
                .into(),
        })
    }

    fn prepare(&mut self, origin: ModelOrigin, text: PlanText, ids: Vec<u32>) -> Result<(), InputError> {
        let is_there = |ready: &Ready| ready.origin == origin && ready.text == text && ready.ids == ids;
        if self.ready.as_ref().is_some_and(is_there) {
            return Ok(());
        }
        // First of all the memory of the plan before.
        self.ready = None;
        let mut opened = self.opened(&origin)?;
        let plan = text.plan(opened.config())?;
        plan.check(ids.len())?;
        let needs = plan.needs(&ids, &plan.batches(Shard { index: 0, count: 1 }));
        let maps = Maps::new(&plan, opened.model(&needs)?)?;
        self.ready = Some(Ready { origin, text, ids, maps });
        Ok(())
    }

    fn measure(&self, batch: &Batch, wanted: &[Cell]) -> Result<Vec<(Cell, Estimate)>, InputError> {
        let ready = self.ready()?;
        ready.maps.measure(&ready.ids, batch, |cell| wanted.contains(cell))
    }

    fn window(&self, cell: &Cell) -> Result<WindowExperiment, InputError> {
        let Ready { maps, ids, .. } = self.ready()?;
        window_experiment(maps.model(), maps.plan(), cell, &maps.tokens(ids, cell)?)
    }

    /// The heads of a plan at their adversarial tokens, by what is prepared of the same model where that is enough.
    fn adversarial(&self, origin: &ModelOrigin, text: &PlanText, radius: f64) -> Result<Table, InputError> {
        let mut opened = self.opened(origin)?;
        let plan = text.plan(opened.config())?;
        // Its length is that of no text.
        plan.check(usize::MAX)?;
        let of = Subject::of(opened.label(), &adversarial_text(radius), &plan);
        let layers = plan.layers.iter().max().map_or(0, |layer| layer + 1);
        let present = self.ready.as_ref().filter(|ready| ready.origin == *origin).map(|ready| ready.maps.model());
        let read;
        let model = match present.filter(|model| model.blocks.len() >= layers) {
            Some(model) => model,
            None => {
                read = opened.model(&Needs { layers, ids: BTreeSet::new(), positions: 0 })?;
                &read
            }
        };
        let at_tokens = AdversarialPlan::of(&plan, radius);
        let mut table = Table::new(of);
        for layer in &plan.layers {
            for heads in &plan.heads {
                let head = heads.alone()?;
                table.rows.extend(adversarial_curve(model, (*layer, head), &at_tokens, &plan.lengths)?);
            }
        }
        Ok(table)
    }

    fn ready(&self) -> Result<&Ready, InputError> {
        self.ready.as_ref().ok_or_else(|| InputError::Conflict {
            what: "The run".into(),
            problem: "has no plan yet".into(),
            fix: "Begin it again.".into(),
        })
    }
}

fn parse(name: &str, bytes: &[u8]) -> Result<Option<Table>, InputError> {
    Table::parse(name, &whole_text(name, &mut &bytes[..])?)
}

fn write(table: &Table, form: TableForm) -> Result<String, InputError> {
    match form {
        TableForm::Csv => table.to_csv(),
        TableForm::Json => Ok(table.to_value().to_string() + "\n"),
    }
}
