//! A model whose architecture is known but whose weights are not loaded yet.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::arrangement::Arrangement;
use super::checkpoint::Checkpoint;
use super::draw::{draw_layer, draw_model};
use super::load::{load_layer, load_model};
use super::parameters;
use super::source::Source;
use super::weight_files::WeightFiles;
use crate::config::description::description;
use crate::config::families::Part;
use crate::config::file::ConfigFile;
use crate::config::model_config::ModelConfig;
use crate::parts::model::{LayerParts, Model, Needs};
use crate::pictures::Pictures;
use crate::text::windows::fingerprint;
use lipscope_core::experiment::{InputError, Phrase};

/// Families that can be randomly initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DrawnFamily {
    /// GPT-2.
    Gpt2,
    /// BERT.
    Bert,
    /// Llama.
    Llama,
}

/// A randomly initialised model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnModel {
    /// The family.
    pub family: DrawnFamily,
    /// d, the width of a token.
    pub d: usize,
    /// Number of layers.
    pub layers: usize,
    /// Number of heads of each layer.
    pub heads: usize,
    /// Seed of the random weights.
    pub seed: u64,
}

/// A model whose weights are loaded or drawn once it is known which part is needed.
#[derive(Debug)]
pub struct Opened<S> {
    config: ModelConfig,
    label: String,
    origin: Origin<S>,
    parameters: u64,
    notes: Vec<Phrase>,
    part: Option<Part>,
    first_token: Option<u32>,
    pictures: Option<Arc<Pictures>>,
}

#[derive(Debug)]
enum Origin<S> {
    Drawn { seed: u64 },
    Files(Checkpoint<S>, Arrangement),
}

/// The module of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerModule {
    /// Its name, with which the names of its tensors begin.
    pub name: String,
    /// The number of its call, where several layers are calls of one module.
    pub call: Option<usize>,
}

impl DrawnFamily {
    /// All families, with their names on the command line.
    pub const ALL: [(&'static str, DrawnFamily); 3] =
        [("random:gpt2", DrawnFamily::Gpt2), ("random:bert", DrawnFamily::Bert), ("random:llama", DrawnFamily::Llama)];

    /// Its name on the command line and in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            DrawnFamily::Gpt2 => "random:gpt2",
            DrawnFamily::Bert => "random:bert",
            DrawnFamily::Llama => "random:llama",
        }
    }
}

impl<S: Source> Opened<S> {
    /// Opens a randomly initialised model.
    ///
    /// # Errors
    /// [`InputError`] if its sizes are invalid.
    pub fn drawn(model: DrawnModel) -> Result<Self, InputError> {
        let DrawnModel { family, d, layers, heads, seed } = model;
        let default = match family {
            DrawnFamily::Gpt2 => ModelConfig::gpt2(),
            DrawnFamily::Bert => ModelConfig::bert(),
            DrawnFamily::Llama => ModelConfig::llama(),
        };
        let label = format!("{} {d}x{layers}x{heads} seed {seed}", family.id());
        let config = default.resized(d, layers, heads)?;
        let parameters = parameters::of_config(&config);
        Ok(Opened {
            config,
            label,
            origin: Origin::Drawn { seed },
            parameters,
            notes: Vec::new(),
            part: None,
            first_token: None,
            pictures: None,
        })
    }

    /// Opens a model from files: `name` is its folder's name, `config` the text of its `config.json`, `part` the half of a
    /// model of two halves.
    ///
    /// # Errors
    /// [`InputError`] if the config is not of a supported family, a file is not safetensors, or the names or shapes of
    /// its tensors fit no model of the family.
    pub fn of_files(
        name: &str,
        config: &str,
        part: Option<Part>,
        mut weights: WeightFiles<S>,
    ) -> Result<Self, InputError> {
        let mut looked_at = config.as_bytes().to_vec();
        // The halves of a model have the same files.
        looked_at.extend(part.iter().flat_map(|part| part.id().bytes()));
        let ConfigFile { config, mut notes, first_token } = ConfigFile::parse_part(config, part)?;
        for (_, file) in &mut weights.files {
            looked_at.extend(file.len().to_le_bytes());
            for piece in pieces(file.len()) {
                looked_at.extend(file.read(piece)?);
            }
        }
        let label = format!("{name} {:016x}", fingerprint(looked_at));
        notes.append(&mut weights.notes);
        let checkpoint = Checkpoint::open(weights)?;
        let arrangement = Arrangement::find(&config, &checkpoint)?;
        let parameters = parameters::of_files(&config, &arrangement.prefix, &checkpoint);
        notes.extend(checkpoint.notes().iter().chain(&arrangement.notes).cloned());
        Ok(Opened {
            config,
            label,
            origin: Origin::Files(checkpoint, arrangement),
            parameters,
            notes,
            part,
            first_token,
            pictures: None,
        })
    }

    /// Gives the model pictures; their tokens are those of [`Pictures::ids`].
    pub fn show(&mut self, pictures: Arc<Pictures>) {
        self.pictures = Some(pictures);
    }

    /// Which half of a model of two halves it is.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        self.part
    }

    /// The token that its texts begin with, as its config says.
    #[must_use]
    pub fn first_token(&self) -> Option<u32> {
        self.first_token
    }

    /// Its architecture.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Its family, its size and its special parts in one line.
    #[must_use]
    pub fn description(&self) -> Phrase {
        description(&self.config, self.parameters)
    }

    /// The module of a layer.
    #[must_use]
    pub fn layer_module(&self, layer: usize) -> LayerModule {
        let prefix = match &self.origin {
            Origin::Drawn { .. } => "",
            Origin::Files(_, arrangement) => &arrangement.prefix,
        };
        let group = self.config.group_of_layer(layer);
        let calls = |layers: usize| (0..layers).filter(|one| self.config.group_of_layer(*one) == group).count();
        let call = (calls(self.config.layers) > 1).then(|| calls(layer));
        LayerModule { name: self.config.family.layer_module(prefix, group), call }
    }

    /// Its name in tables.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Notes on parts guessed, rounded, or not understood and ignored; shown beside its numbers.
    #[must_use]
    pub fn notes(&self) -> &[Phrase] {
        &self.notes
    }

    /// Notes on the weights that were read so far, which are not known before.
    #[must_use]
    pub fn notes_on_weights(&self) -> Option<Phrase> {
        match &self.origin {
            Origin::Drawn { .. } => None,
            Origin::Files(checkpoint, _) => checkpoint.note_on_zeros(),
        }
    }

    /// Loads or draws a single layer, without embeddings.
    ///
    /// # Errors
    /// As [`draw_model`] and [`load_model`].
    pub(crate) fn layer(&mut self, layer: usize, parts: LayerParts) -> Result<Model, InputError> {
        match &mut self.origin {
            Origin::Drawn { seed } => draw_layer(self.config, (layer, parts), *seed),
            Origin::Files(checkpoint, arrangement) => {
                load_layer(self.config, (checkpoint, arrangement), (layer, parts))
            }
        }
    }

    /// Loads or draws the attention of a single layer.
    ///
    /// # Errors
    /// As [`Opened::model`].
    pub fn attention(&mut self, layer: usize) -> Result<Model, InputError> {
        self.layer(layer, LayerParts::Attention)
    }

    /// Loads or draws the needed part of the model.
    ///
    /// # Errors
    /// As [`draw_model`] and [`load_model`].
    pub fn model(&mut self, needs: &Needs) -> Result<Model, InputError> {
        let mut model = match &mut self.origin {
            Origin::Drawn { seed } => draw_model(self.config, needs, *seed),
            Origin::Files(checkpoint, _) => load_model(self.config, checkpoint, needs),
        }?;
        model.embeddings.pictures = self.pictures.clone();
        Ok(model)
    }
}

/// The parts of a file of `len` bytes that distinguish it from other files: all of a short file, otherwise pieces
/// spread over the whole file. The beginning is not enough: a model trained further may still have the same first
/// tensors.
fn pieces(len: u64) -> Vec<Range<u64>> {
    const PIECES: u64 = 16;
    const PIECE: u64 = 1 << 16;
    if len <= PIECES * PIECE {
        return std::iter::once(0..len).collect();
    }
    let between = (len - PIECE) / (PIECES - 1);
    (0..PIECES).map(|at| at * between..at * between + PIECE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_differ_in_their_last_layer_or_their_config_have_two_labels() {
        let config = include_str!("../../../../tests/data/models/gpt2/config.json");
        let label = |config: &str, weights: &[u8]| {
            let opened = Opened::of_files("gpt2", config, None, WeightFiles::of_one(weights));
            opened.expect("a config and bytes").label().to_owned()
        };
        for len in [1 << 10, 1 << 20, (1 << 20) + 1, 5 << 20] {
            let mut weights = vec![0; len];
            // A header without tensors.
            weights[..10].copy_from_slice(b"\x02\0\0\0\0\0\0\0{}");
            let mut further = weights.clone();
            further[len - 100] = 1;
            assert_eq!(label(config, &weights), label(config, &weights), "{len} bytes");
            assert_ne!(label(config, &weights), label(config, &further), "{len} bytes");
            assert_ne!(label(config, &weights), label(&format!("{config} "), &weights), "{len} bytes");
            assert_ne!(label(config, &weights), label(config, &weights[..len - 1]), "{len} bytes");
        }
    }
}
