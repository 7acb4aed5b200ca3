//! A model's files at an address: which of them there are, and fetching them.

use lipscope_core::experiment::InputError;
use serde::{Deserialize, Serialize};

use super::ModelContext;
use crate::task::{Report, Task, Turn};

/// The files of a model's folder that are looked for.
pub const MODEL_FILES: [&str; 6] =
    ["config.json", "model.safetensors", "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"];

/// What to ask a server for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DownloadPlan {
    /// Which of [`MODEL_FILES`] there are, and how large.
    List {
        /// The folder's address.
        address: String,
    },
    /// The files themselves.
    Fetch {
        /// The folder's address.
        address: String,
        /// Their names.
        names: Vec<String>,
    },
}

/// A file on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteFile {
    /// Its name.
    pub name: String,
    /// Its bytes, where the server says.
    pub size: Option<u64>,
}

/// What came from a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Downloaded {
    /// The files that there are.
    List(Vec<RemoteFile>),
    /// The files, which travel beside the message.
    Files,
}

/// The way to other servers.
pub trait Network {
    /// Begins a transfer.
    fn begin(&mut self, plan: &DownloadPlan) -> Box<dyn Transfer>;
}

/// A transfer under way. Dropping it ends it.
pub trait Transfer {
    /// How far it is.
    ///
    /// # Errors
    /// Why the transfer failed.
    fn poll(&mut self) -> Result<TransferState, InputError>;
}

/// How far a transfer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferState {
    /// Bytes that have arrived.
    Under(u64),
    /// All is here.
    Complete(Downloaded),
}

/// A machine without other servers, as tests have it: every transfer fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNetwork;

impl Network for NoNetwork {
    fn begin(&mut self, _: &DownloadPlan) -> Box<dyn Transfer> {
        Box::new(NoNetwork)
    }
}

impl Transfer for NoNetwork {
    fn poll(&mut self) -> Result<TransferState, InputError> {
        Err(InputError::File {
            file: "The download".into(),
            problem: "there is no network here".into(),
            fix: "Fetch the files to this computer and choose them.".into(),
        })
    }
}

/// A download under way.
pub struct DownloadTask {
    transfer: Box<dyn Transfer>,
    told: u64,
}

impl Task<ModelContext> for DownloadTask {
    type Plan = DownloadPlan;
    type Event = Downloaded;

    fn start(plan: DownloadPlan, context: &mut ModelContext) -> Result<Self, InputError> {
        Ok(DownloadTask { transfer: context.network().begin(&plan), told: 0 })
    }

    fn step(&mut self, _: &mut ModelContext, report: &mut Report<'_, Downloaded>) -> Result<Turn, InputError> {
        match self.transfer.poll()? {
            TransferState::Under(bytes) => {
                if bytes > self.told && report.is_due() {
                    self.told = bytes;
                    report.bytes(bytes);
                }
                Ok(Turn::Waiting)
            }
            TransferState::Complete(downloaded) => {
                report.event(downloaded);
                Ok(Turn::Done)
            }
        }
    }
}
