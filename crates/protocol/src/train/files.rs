//! Writes a trained model as files.

use lipscope_core::experiment::InputError;
use lipscope_train::{config, safetensors, tokenizer};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::context::{Beginning, TrainContext};
use crate::task::{Poll, Report, Task};

/// A model at its checkpoint, whose files are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilesPlan {
    /// The model.
    pub model: Beginning,
}

/// The files, as `lipscope train` writes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelFiles {
    /// `config.json`.
    pub config: String,
    /// `model.safetensors`.
    pub weights: ByteBuf,
    /// `tokenizer.json`.
    pub tokenizer: String,
}

/// Writes the files in one step.
#[derive(Debug)]
pub struct FilesTask {
    plan: FilesPlan,
}

impl Task<TrainContext> for FilesTask {
    type Plan = FilesPlan;
    type Event = ModelFiles;

    fn start(plan: FilesPlan, _: &mut TrainContext) -> Result<Self, InputError> {
        Ok(FilesTask { plan })
    }

    fn step(&mut self, _: &mut TrainContext, report: &mut Report<'_, ModelFiles>) -> Result<Poll, InputError> {
        let trainer = self.plan.model.trainer()?;
        let (plan, corpus) = (trainer.plan(), trainer.corpus());
        report.event(ModelFiles {
            config: format!("{:#}\n", config(plan, corpus)),
            weights: ByteBuf::from(safetensors(plan, trainer.weights())?),
            tokenizer: format!("{:#}\n", tokenizer(corpus)),
        });
        Ok(Poll::Done)
    }
}
