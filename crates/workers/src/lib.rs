//! The browser side of the workers: the loop that listens for messages, and the files and downloads of the models'
//! worker.
//!
//! A message is an object with `bytes`, an envelope of `lipscope-protocol`; `files`, blobs by name, if there are any;
//! and `source`, a number that identifies those files.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`message`] | messages, as the browser carries them |
//! | [`tasks`] | the tasks of a list: commands in, replies out, one run at a time |
//! | [`rest`] | tasks in a module of their own, fetched when they are asked for |
//! | [`listen`] | the loop of a worker |
//! | [`helper`] | the training worker's second worker |
//! | [`blob`] | a blob read by ranges |
//! | [`network`] | files at an address that the user typed |
//! | [`remote`] | a file at such an address, read by ranges |

pub mod blob;
pub mod helper;
pub mod listen;
pub mod message;
pub mod network;
pub mod remote;
pub mod rest;
pub mod tasks;
