//! The doors.

mod config;
mod experiment;
mod link;
mod message;
mod notation;
mod plan;
mod results;
mod safetensors;
mod table;
mod tokenizer;
mod train;
mod upper;
mod work;

use crate::door::Door;

/// All doors, in the order of the table.
pub const DOORS: [Door; 14] = [
    experiment::DOOR,
    work::DOOR,
    table::TEXT,
    table::NPY,
    link::DOOR,
    safetensors::DOOR,
    config::DOOR,
    tokenizer::DOOR,
    plan::DOOR,
    results::DOOR,
    train::DOOR,
    message::DOOR,
    upper::DOOR,
    notation::DOOR,
];

/// The door of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Door> {
    DOORS.iter().find(|door| door.name == name)
}
