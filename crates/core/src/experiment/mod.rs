//! The experiment: the description of one measurement, with its file format, and the tables of numbers
//! that users give.
//!
//! The page exports and imports it, the command line reads it, and every number on screen can be reproduced from it.
//! Untrusted text enters only through [`Experiment::from_json`] and tables of numbers ([`table`]); what they return is
//! valid, so that later code need not check again.

mod arrays;
mod check;
mod decoded_text;
mod error;
mod fields;
mod git_lfs;
mod given;
mod json_problem;
pub mod limits;
mod mask;
mod memory;
mod own_weights;
mod parse;
mod parse_variant;
mod parse_weights;
mod phrase;
mod rows;
mod steps;
mod strict_json;
pub mod table;
mod table_kind;
mod types;
mod variant;
mod write;
mod write_variant;

pub use arrays::IntoRows;
pub use decoded_text::{DecodedText, whole_characters};
pub use error::InputError;
pub use git_lfs::refuse_lfs_pointer;
pub use given::Given;
pub use json_problem::{json_problem, library_words, serde_problem};
pub use mask::{Mask, MaskKind, Order};
pub use memory::{Memory, NotAMemorySize, Size};
pub use own_weights::{TableSource, WeightTables, WeightsReading};
pub use phrase::{Argument, Phrase};
pub use rows::Rows;
pub use steps::{Preset, Steps};
pub use table_kind::{FirstColumn, FirstRow, NumberComma, Table, TableAnswers, TableQuestion};
pub use types::{
    Attention, Distribution, Experiment, Head, Normalization, Output, RandomTokens, RandomWeights, Scope, SecondMap,
    TokenSource, WeightSource,
};
pub use variant::{Alibi, Gain, QkNorm, Rope, RopeLayout, Score, Sink, VectorNorm, Weighting};
