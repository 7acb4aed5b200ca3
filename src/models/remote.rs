//! What is known of the address of a model's folder.

use lipscope_protocol::models::RemoteFile;

/// What is known of an address.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remote {
    /// As it was typed.
    pub address: String,
    /// Where it stands.
    pub phase: RemotePhase,
}

/// How far a model at an address is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RemotePhase {
    /// Nothing was asked.
    #[default]
    Typed,
    /// The server is asked which files it has.
    Looking,
    /// It has these, of which they are fetched at a press.
    Found(Vec<RemoteFile>),
    /// They are fetched: bytes that are here, and in all.
    Fetching(u64, Option<u64>),
    /// They are here.
    Here,
}
