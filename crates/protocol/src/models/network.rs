//! The way to other servers, as the worker that has one gives it.

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use lipscope_models::{WEIGHT_INDEX, WEIGHTS};
use serde::{Deserialize, Serialize};

/// The files of a model's folder that are looked for, besides those that [`WEIGHT_INDEX`] names.
pub const MODEL_FILES: [&str; 10] = [
    "config.json",
    WEIGHTS,
    WEIGHT_INDEX,
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
];
/// Weights in other formats: they are looked for only to say how they are converted.
pub const OTHER_WEIGHTS: [&str; 4] =
    ["pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack"];

/// What to ask a server for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DownloadPlan {
    /// Which of [`MODEL_FILES`] there are and of the files that an index of weights names, and how large; where there are
    /// no weights among them, which of [`OTHER_WEIGHTS`].
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
            file: phrase!("download", "The download"),
            problem: phrase!("there_no_network_here", "there is no network here"),
            fix: phrase!("download_files_this_computer", "Download the files to this computer and choose them."),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::MODEL_FILES;
    use lipscope_models::TOKENIZER_FILES;

    #[test]
    fn every_file_of_a_tokenizer_is_looked_for() {
        for name in TOKENIZER_FILES {
            assert!(MODEL_FILES.contains(&name), "{name}");
        }
    }
}
