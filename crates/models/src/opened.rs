//! A model of which only the shape is known yet: drawn, or a `config.json` beside its weights.

use serde::{Deserialize, Serialize};

use super::config::ModelConfig;
use super::draw::draw_model;
use super::load::load_model;
use super::parts::{Model, Needs};
use super::safetensors::SafeTensors;
use super::source::Source;
use super::text::fingerprint;
use lipscope_core::experiment::InputError;

/// Families that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DrawnFamily {
    /// GPT-2.
    Gpt2,
    /// BERT.
    Bert,
}

/// A model as it is before training.
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

/// A model whose weights are read or drawn when it is known how much of it is needed.
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
    /// Both, with their words on the command line.
    pub const ALL: [(&'static str, DrawnFamily); 2] =
        [("random:gpt2", DrawnFamily::Gpt2), ("random:bert", DrawnFamily::Bert)];

    /// Its word on the command line and in tables.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            DrawnFamily::Gpt2 => "random:gpt2",
            DrawnFamily::Bert => "random:bert",
        }
    }
}

impl<S: Source> Opened<S> {
    /// A drawn model.
    ///
    /// # Errors
    /// [`InputError`] where it cannot have that size.
    pub fn drawn(model: DrawnModel) -> Result<Self, InputError> {
        let DrawnModel { family, d, layers, heads, seed } = model;
        let default = match family {
            DrawnFamily::Gpt2 => ModelConfig::gpt2(),
            DrawnFamily::Bert => ModelConfig::bert(),
        };
        let label = format!("{} {d}x{layers}x{heads} seed {seed}", family.id());
        Ok(Opened { config: default.resized(d, layers, heads)?, label, origin: Origin::Drawn { seed } })
    }

    /// A model of files: `name` is its folder's, `config` the text of its `config.json`.
    ///
    /// # Errors
    /// [`InputError`] where the config is not one of the families', or the weights cannot be read.
    pub fn of_files(name: &str, config: &str, mut weights: S) -> Result<Self, InputError> {
        /// Header and first tensors: enough to tell two models apart.
        const LOOKED_AT: u64 = 1 << 20;
        let config = ModelConfig::from_json(config)?;
        let first = weights.read(0..weights.len().min(LOOKED_AT))?;
        let label = format!("{name} {:016x}", fingerprint(first));
        Ok(Opened { config, label, origin: Origin::File(weights) })
    }

    /// Its shape.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// What tables call it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Whether the file is one of tensors at all: a header is read, no tensor.
    ///
    /// # Errors
    /// [`InputError::File`] where it is not.
    pub fn check(&mut self) -> Result<(), InputError> {
        match &mut self.origin {
            Origin::Drawn { .. } => Ok(()),
            Origin::File(weights) => SafeTensors::open(weights).map(|_| ()),
        }
    }

    /// As much of the model as is needed.
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
