//! What a models' worker keeps between runs: where a model comes from, its files, and the model as far as a plan needs
//! it.

use std::cell::Cell as Shared;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use lipscope_core::experiment::{InputError, Memory, Phrase};
use lipscope_models::{
    AtWindow, Cell, ConfigFile, DrawnModel, Held, Maps, Model, ModelConfig, Opened, Part, Picture, Pictures, PixelRule,
    Plan, PlanText, Resizing, Shard, Source, Tokenizer, TokenizerFiles, WeightFiles, is_picture, needs_pictures,
    whole_text,
};
use serde::{Deserialize, Serialize};

use super::network::Network;
use lipscope_core::phrase;

/// A file that can be opened any number of times.
pub trait SharedFile {
    /// A reader with its own position in the file.
    fn open(&self) -> Box<dyn Source>;
}

impl<S: Source + Clone + 'static> SharedFile for S {
    fn open(&self) -> Box<dyn Source> {
        Box::new(self.clone())
    }
}

/// The memory limit of a run over a model, also in a browser: the larger the model, the fewer workers the page starts.
/// All layers of GPT-2 take more than [`Memory::BROWSER`].
pub(super) const MODEL_MEMORY: Memory = Memory::NATIVE;
/// The most memory that the layers of a model take together before they are read one at a time.
const LAYERS_MEMORY: Memory = Memory::from_bytes(5 << 28);

/// How much of a model a run of a worker holds.
///
/// # Errors
/// [`InputError::TooCostly`] if even the least is too much.
pub fn held(plan: &Plan, config: &ModelConfig) -> Result<Held, InputError> {
    plan.held(config, LAYERS_MEMORY).or_else(|_| plan.held(config, MODEL_MEMORY))
}

/// The state that a models' worker keeps between runs.
pub struct ModelContext {
    files: BTreeMap<String, Box<dyn SharedFile>>,
    prepared: Option<Prepared>,
    network: Box<dyn Network>,
    /// Bytes that were read from the files.
    bytes: Rc<Shared<u64>>,
}

/// A plan with as much of its model as it needs.
#[derive(Debug)]
pub struct Prepared {
    origin: ModelOrigin,
    text: PlanText,
    /// The text's token ids up to the end of the plan's windows.
    pub ids: Vec<u32>,
    /// The maps of the plan.
    pub maps: Maps<Model>,
    /// Notes on the weights that were read.
    pub notes: Vec<Phrase>,
}

impl ModelContext {
    /// A context without files; `network` does its downloads.
    #[must_use]
    pub fn new(network: Box<dyn Network>) -> Self {
        ModelContext { files: BTreeMap::new(), prepared: None, network, bytes: Rc::default() }
    }

    /// Replaces the files, given by name, and drops what was prepared from the earlier ones.
    pub fn take_files(&mut self, files: BTreeMap<String, Box<dyn SharedFile>>) {
        self.files = files;
        self.prepared = None;
        self.bytes.set(0);
    }

    /// Drops what was prepared, and frees its memory.
    pub(super) fn forget(&mut self) {
        self.prepared = None;
    }

    /// Bytes that were read from the present files.
    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes.get()
    }

    /// The network of the worker.
    pub(super) fn network(&mut self) -> &mut dyn Network {
        self.network.as_mut()
    }

    /// Opens a model and reads only its header.
    pub(super) fn opened(&self, origin: &ModelOrigin) -> Result<Opened<Box<dyn Source>>, InputError> {
        match origin {
            ModelOrigin::Drawn(model) => Opened::drawn(*model),
            ModelOrigin::Files { name, .. } => {
                let config = whole_text("config.json", &mut self.file("config.json")?)?;
                let names = self.files.keys().cloned().collect();
                // Of a model of two halves that of pictures is meant where there is a picture.
                let part = match self.pictures().next() {
                    _ if !ConfigFile::has_halves(&config) => None,
                    Some(_) => Some(Part::Vision),
                    None => Some(Part::Text),
                };
                Opened::of_files(name, &config, part, WeightFiles::gather(&names, |name| self.file(name))?)
            }
        }
    }

    /// Shows a model of pictures those among the files, in the order of their names; `None` for a model of texts.
    ///
    /// # Errors
    /// [`InputError`] if there is none, a file is no picture, or a picture has another size and must not be resized.
    pub(super) fn show_pictures(
        &self,
        origin: &ModelOrigin,
        opened: &mut Opened<Box<dyn Source>>,
    ) -> Result<Option<Arc<Pictures>>, InputError> {
        let ModelOrigin::Files { resizing, .. } = origin else { return Ok(None) };
        let config = *opened.config();
        if config.picture.is_none() {
            return Ok(None);
        }
        let read = |(name, file): (&str, &dyn SharedFile)| {
            let mut source = file.open();
            let bytes = source.read(0..source.len())?;
            Ok((name.to_owned(), Picture::read(name, &bytes)?))
        };
        if self.pictures().next().is_none() {
            return Err(needs_pictures(&config));
        }
        let rule = PixelRule::gather(|name| self.text(name))?;
        let pictures = Arc::new(Pictures::new(self.pictures().map(read), rule, &config, *resizing)?);
        opened.show(pictures.clone());
        Ok(Some(pictures))
    }

    fn pictures(&self) -> impl Iterator<Item = (&str, &dyn SharedFile)> {
        let of = self.files.iter().filter(|(name, _)| is_picture(name));
        of.map(|(name, file)| (name.as_str(), file.as_ref()))
    }

    /// The tokenizer of the model's files. A drawn model has a tokenizer only if there is a `tokenizer.json` among the
    /// files.
    pub(super) fn tokenizer(&self, origin: &ModelOrigin) -> Result<Option<Tokenizer>, InputError> {
        if matches!(origin, ModelOrigin::Drawn(_)) && !self.files.contains_key("tokenizer.json") {
            return Ok(None);
        }
        let files = TokenizerFiles::gather(|name| self.text(name))?;
        Tokenizer::new(&files).map(Some)
    }

    /// Opens a model for a plan, with its pictures.
    ///
    /// # Errors
    /// [`InputError`] if it cannot be opened, or the plan does not fit it or the text.
    pub(super) fn opened_for(
        &self,
        origin: &ModelOrigin,
        text: &PlanText,
        ids: &[u32],
    ) -> Result<(Opened<Box<dyn Source>>, Plan), InputError> {
        let mut opened = self.opened(origin)?;
        self.show_pictures(origin, &mut opened)?;
        let plan = text.plan(opened.config())?;
        plan.check(ids.len())?;
        Ok((opened, plan))
    }

    /// As much of a model as a plan needs: kept from an earlier run, or read or drawn now.
    pub(super) fn prepare(
        &mut self,
        origin: &ModelOrigin,
        text: &PlanText,
        ids: &[u32],
    ) -> Result<&Prepared, InputError> {
        let prepared = match self.prepared.take().filter(|prepared| prepared.is_of(origin, text, ids)) {
            Some(prepared) => prepared,
            // The earlier plan's memory is free by now.
            None => {
                let (opened, plan) = self.opened_for(origin, text, ids)?;
                Prepared::read(opened, &plan, (origin, text, ids))?
            }
        };
        Ok(self.prepared.insert(prepared))
    }

    /// Does some work at one window of the text.
    ///
    /// # Errors
    /// [`InputError`] if the model cannot be read, the text has no such window, or as the work.
    pub(super) fn at_window<R>(
        &mut self,
        (origin, text, ids): (&ModelOrigin, &PlanText, &[u32]),
        cell: &Cell,
        work: impl FnOnce(&AtWindow<'_>) -> Result<R, InputError>,
    ) -> Result<R, InputError> {
        if self.prepared.as_ref().is_none_or(|prepared| !prepared.is_of(origin, text, ids)) {
            self.forget();
            let (mut opened, plan) = self.opened_for(origin, text, ids)?;
            if held(&plan, opened.config())? == Held::OneLayer {
                return work(&AtWindow::by_layer(&mut opened, &plan, ids, *cell)?);
            }
            self.prepared = Some(Prepared::read(opened, &plan, (origin, text, ids))?);
        }
        let Prepared { maps, ids, .. } = self.prepare(origin, text, ids)?;
        work(&maps.at_window(ids, cell)?)
    }

    /// The text of a file, if it is there.
    fn text(&self, name: &str) -> Result<Option<String>, InputError> {
        self.files.get(name).map(|file| whole_text(name, &mut file.open())).transpose()
    }

    fn file(&self, name: &str) -> Result<Box<dyn Source>, InputError> {
        let counted = |file: &dyn SharedFile| Counted { file: file.open(), bytes: Rc::clone(&self.bytes) };
        let file = self.files.get(name).map(|file| Box::new(counted(file.as_ref())) as Box<dyn Source>);
        file.ok_or_else(|| InputError::File {
            file: name.into(),
            problem: phrase!("not_among_files", "it is not among the files"),
            fix: phrase!(
                "give_config_json_model",
                "Give config.json, model.safetensors and the tokenizer's files together, or the folder that has them."
            ),
        })
    }
}

impl Prepared {
    fn is_of(&self, origin: &ModelOrigin, text: &PlanText, ids: &[u32]) -> bool {
        self.origin == *origin && self.text == *text && self.ids == ids
    }

    /// Reads or draws all layers that a plan needs.
    fn read(
        mut opened: Opened<Box<dyn Source>>,
        plan: &Plan,
        (origin, text, ids): (&ModelOrigin, &PlanText, &[u32]),
    ) -> Result<Self, InputError> {
        plan.check_memory(opened.config(), MODEL_MEMORY)?;
        let needs = plan.needs(ids, &plan.batches(Shard { index: 0, count: 1 }));
        let maps = Maps::new(plan, opened.model(&needs)?)?;
        let notes = opened.notes_on_weights().into_iter().collect();
        Ok(Prepared { origin: origin.clone(), text: text.clone(), ids: ids.to_vec(), maps, notes })
    }
}

/// A file whose reads are counted.
struct Counted {
    file: Box<dyn Source>,
    bytes: Rc<Shared<u64>>,
}

impl Source for Counted {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, InputError> {
        let read = self.file.read(range)?;
        self.bytes.set(self.bytes.get() + read.len() as u64);
        Ok(read)
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

/// Where a model's weights come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelOrigin {
    /// Randomly initialised.
    Drawn(DrawnModel),
    /// The files beside the message.
    Files {
        /// The folder's name.
        name: String,
        /// Whether pictures of another size than the model's are brought to it.
        resizing: Resizing,
    },
}
