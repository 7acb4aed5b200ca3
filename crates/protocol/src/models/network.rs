//! The interface to other servers, which the worker implements.

use lipscope_core::experiment::InputError;
use lipscope_core::phrase;
use lipscope_models::{PREPROCESSORS, WEIGHT_INDEX, WEIGHTS};
use serde::{Deserialize, Serialize};

/// Names of the files in a model's folder to look for, besides those that [`WEIGHT_INDEX`] names.
pub const MODEL_FILES: [&str; 12] = [
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
    PREPROCESSORS[0],
    PREPROCESSORS[1],
];
/// Weights in other formats. The page looks for them only to explain how to convert them.
pub const OTHER_WEIGHTS: [&str; 4] =
    ["pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack"];

/// A request to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DownloadPlan {
    /// Asks which files the server has, their sizes, and whether it gives ranges of the weights: of [`MODEL_FILES`] and of the files that an index of weights
    /// names; if none of these holds weights, also of [`OTHER_WEIGHTS`].
    List {
        /// The folder's address.
        address: String,
    },
    /// Downloads files.
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
    /// Its size in bytes, where the server states it.
    pub size: Option<u64>,
}

/// What a server gives of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Serving {
    /// Only the whole of it.
    WholeFiles,
    /// Any range of its bytes, and its size.
    Ranges,
}

/// An answer of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Downloaded {
    /// The files that the server has.
    List(Vec<RemoteFile>, Serving),
    /// The files, which travel beside the message.
    Files,
}

/// Starts transfers from other servers.
pub trait Network {
    /// Starts a transfer.
    fn begin(&mut self, plan: &DownloadPlan) -> Box<dyn Transfer>;
}

/// A transfer under way. Dropping it ends it.
pub trait Transfer {
    /// The progress of the transfer.
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
    /// All bytes have arrived.
    Complete(Downloaded),
}

/// A network without servers, for tests: every transfer fails.
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
