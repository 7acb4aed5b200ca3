//! The browser's side of the workers: a loop that listens, and files and addresses for the models' worker.
//!
//! A message is an object with `bytes`, an envelope of `lipscope-protocol`; `files`, blobs by their names, where there are
//! some; and `source`, a number that says which files they are.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`listen`] | commands in, replies out, one run at a time |
//! | [`models`] | the models' worker: its files and its network |
//! | [`helper`] | the training worker's second worker |
//! | `blob` | a blob read by ranges |
//! | `network` | files of an address that the reader typed |

mod blob;
pub mod helper;
pub mod listen;
pub mod models;
mod network;
