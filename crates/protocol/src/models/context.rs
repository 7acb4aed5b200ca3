//! What a models' worker keeps from one run to the next: the files of a model, and the model as far as a plan needs it.

use std::collections::BTreeMap;
use std::fmt;

use lipscope_core::experiment::{InputError, Memory};
use lipscope_models::{
    Maps, Model, Opened, PlanText, Shard, Source, Tokenizer, TokenizerFiles, WeightFiles, whole_text,
};

use super::ModelOrigin;
use super::network::Network;
use lipscope_core::phrase;

/// A file that can be opened any number of times.
pub trait SharedFile {
    /// A reader of its own.
    fn open(&self) -> Box<dyn Source>;
}

impl<S: Source + Clone + 'static> SharedFile for S {
    fn open(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}

/// The most that a run over a model may hold, also in a browser: the page starts as many fewer workers as a model is
/// larger, and all layers of GPT-2 take more than [`Memory::BROWSER`].
pub(super) const MODEL_MEMORY: Memory = Memory::NATIVE;

/// A models' worker's memory.
pub struct ModelContext {
    files: BTreeMap<String, Box<dyn SharedFile>>,
    prepared: Option<Prepared>,
    network: Box<dyn Network>,
}

/// A plan with as much of its model as it needs.
#[derive(Debug)]
pub struct Prepared {
    origin: ModelOrigin,
    text: PlanText,
    /// The text's token ids, as far as the plan's windows go.
    pub ids: Vec<u32>,
    /// The layers' attention as maps.
    pub maps: Maps<Model>,
}

impl ModelContext {
    /// Without any file; downloads go by this network.
    #[must_use]
    pub fn new(network: Box<dyn Network>) -> Self {
        ModelContext { files: BTreeMap::new(), prepared: None, network }
    }

    /// Takes other files, by their names; what was prepared of the ones before goes.
    pub fn take_files(&mut self, files: BTreeMap<String, Box<dyn SharedFile>>) {
        self.files = files;
        self.prepared = None;
    }

    /// The way to other servers.
    pub(super) fn network(&mut self) -> &mut dyn Network {
        self.network.as_mut()
    }

    /// A model, not read further than its header.
    pub(super) fn opened(&self, origin: &ModelOrigin) -> Result<Opened<Box<dyn Source>>, InputError> {
        match origin {
            ModelOrigin::Drawn(model) => Opened::drawn(*model),
            ModelOrigin::Files { name } => {
                let config = whole_text("config.json", &mut self.file("config.json")?)?;
                let names = self.files.keys().cloned().collect();
                Opened::of_files(name, &config, WeightFiles::gather(&names, |name| self.file(name))?)
            }
        }
    }

    /// The tokenizer of the files; for a drawn model only a `tokenizer.json` with what lies beside it, where there is one.
    pub(super) fn tokenizer(&self, origin: &ModelOrigin) -> Result<Option<Tokenizer>, InputError> {
        if matches!(origin, ModelOrigin::Drawn(_)) && !self.files.contains_key("tokenizer.json") {
            return Ok(None);
        }
        let files = TokenizerFiles::gather(|name| {
            self.files.get(name).map(|file| whole_text(name, &mut file.open())).transpose()
        })?;
        Tokenizer::new(&files).map(Some)
    }

    /// As much of a model as a plan needs: what is here already, or else read or drawn now.
    pub(super) fn prepare(
        &mut self,
        origin: &ModelOrigin,
        text: &PlanText,
        ids: &[u32],
    ) -> Result<&Prepared, InputError> {
        let is_there =
            |prepared: &Prepared| prepared.origin == *origin && prepared.text == *text && prepared.ids == ids;
        let prepared = match self.prepared.take().filter(is_there) {
            Some(prepared) => prepared,
            // The memory of the plan before is free by now.
            None => {
                let mut opened = self.opened(origin)?;
                let plan = text.plan(opened.config())?;
                plan.check(ids.len())?;
                plan.check_memory(opened.config(), MODEL_MEMORY)?;
                let needs = plan.needs(ids, &plan.batches(Shard { index: 0, count: 1 }));
                let maps = Maps::new(&plan, opened.model(&needs)?)?;
                Prepared { origin: origin.clone(), text: text.clone(), ids: ids.to_vec(), maps }
            }
        };
        Ok(self.prepared.insert(prepared))
    }

    /// The prepared model, where it is this one.
    pub(super) fn model(&self, origin: &ModelOrigin) -> Option<&Model> {
        self.prepared.as_ref().filter(|prepared| prepared.origin == *origin).map(|prepared| prepared.maps.model())
    }

    fn file(&self, name: &str) -> Result<Box<dyn Source>, InputError> {
        self.files.get(name).map(|file| file.open()).ok_or_else(|| InputError::File {
            file: name.into(),
            problem: phrase!("not_among_files", "it is not among the files"),
            fix: phrase!(
                "give_config_json_model",
                "Give config.json, model.safetensors and the tokenizer's files together, or the folder that has them."
            ),
        })
    }
}

impl fmt::Debug for ModelContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelContext")
            .field("files", &self.files.keys())
            .field("prepared", &self.prepared.is_some())
            .finish_non_exhaustive()
    }
}
