//! The state of the address of a model's folder.

use lipscope_protocol::models::RemoteFile;

/// An address and its state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remote {
    /// As it was typed.
    pub address: String,
    /// Its state.
    pub phase: RemotePhase,
}

/// The progress of fetching a model from an address.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RemotePhase {
    /// The server has not been asked.
    #[default]
    Typed,
    /// The page asks the server which files it has.
    Looking,
    /// The server has these files. A press of the button fetches them.
    Found(Vec<RemoteFile>),
    /// The files are being fetched: bytes so far, and in all.
    Fetching(u64, Option<u64>),
    /// The files have arrived.
    Here,
}
