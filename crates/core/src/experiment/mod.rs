//! The experiment: one description of one measurement, and the file, link and form that carry it.
//!
//! The page exports and imports it, the command line reads it, and every number on screen can be reproduced from it.
//! Parsing ([`Experiment::from_json`]) and user tables ([`table`]) are the only places where untrusted text comes in;
//! what they return is valid, so that nothing downstream has to ask again.

mod control;
mod error;
mod fields;
mod given;
pub mod limits;
mod link;
mod memory;
mod parse;
mod rows;
pub mod table;
mod types;
mod write;

pub use control::Control;
pub use error::InputError;
pub use given::Given;
pub use memory::Memory;
pub use rows::Rows;
pub use types::{
    Attention, Distribution, Experiment, Head, Mask, Normalization, Output, RandomTokens, RandomWeights, Scope,
    TokenSource, WeightSource,
};
