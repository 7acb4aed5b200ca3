//! A model whose architecture is known but whose weights are not loaded yet.

use serde::{Deserialize, Serialize};

use super::config::ModelConfig;
use super::draw::draw_model;
use super::load::load_model;
use super::parts::{Model, Needs};
use super::safetensors::SafeTensors;
use super::source::Source;
use super::text::fingerprint;
use lipscope_core::experiment::InputError;

/// Families that can be randomly initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DrawnFamily {
    /// GPT-2.
    Gpt2,
    /// BERT.
    Bert,
}

/// A randomly initialised model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnModel {
    /// The family.
    pub family: DrawnFamily,
    /// Width.
    pub d: usize,
    /// Layers.
    pub layers: usize,
    /// Heads.
    pub heads: usize,
    /// Seed.
    pub seed: u64,
}

/// A model whose weights are loaded or drawn once it is known which part is needed.
#[derive(Debug)]
pub struct Opened<S> {
    config: ModelConfig,
    label: String,
    origin: Origin<S>,
}

#[derive(Debug)]
enum Origin<S> {
    Drawn { seed: u64 },
    File(S),
}

impl DrawnFamily {
    /// All families, with their names on the command line.
    pub const ALL: [(&'static str, DrawnFamily); 2] =
        [("random:gpt2", DrawnFamily::Gpt2), ("random:bert", DrawnFamily::Bert)];

    /// Its name on the command line and in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            DrawnFamily::Gpt2 => "random:gpt2",
            DrawnFamily::Bert => "random:bert",
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
        };
        let label = format!("{} {d}x{layers}x{heads} seed {seed}", family.id());
        Ok(Opened { config: default.resized(d, layers, heads)?, label, origin: Origin::Drawn { seed } })
    }

    /// Opens a model from files: `name` is its folder's name, `config` the text of its `config.json`.
    ///
    /// # Errors
    /// [`InputError`] if the config is not of a supported family, or the weights cannot be read.
    pub fn of_files(name: &str, config: &str, mut weights: S) -> Result<Self, InputError> {
        /// Bytes that are hashed for the label (header and first tensors): enough to distinguish models.
        const LOOKED_AT: u64 = 1 << 20;
        let config = ModelConfig::from_json(config)?;
        let first = weights.read(0..weights.len().min(LOOKED_AT))?;
        let label = format!("{name} {:016x}", fingerprint(first));
        Ok(Opened { config, label, origin: Origin::File(weights) })
    }

    /// Its architecture.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Its name in tables.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Checks that the weights are a safetensors file, by reading its header.
    ///
    /// # Errors
    /// [`InputError::File`] if they are not.
    pub fn check(&mut self) -> Result<(), InputError> {
        match &mut self.origin {
            Origin::Drawn { .. } => Ok(()),
            Origin::File(weights) => SafeTensors::open(weights).map(|_| ()),
        }
    }

    /// Loads or draws the needed part of the model.
    ///
    /// # Errors
    /// As [`draw_model`] and [`load_model`].
    pub fn model(&mut self, needs: &Needs) -> Result<Model, InputError> {
        match &mut self.origin {
            Origin::Drawn { seed } => draw_model(self.config, needs, *seed),
            Origin::File(weights) => load_model(self.config, &mut SafeTensors::open(weights)?, needs),
        }
    }
}
