//! Of the page, what needs no browser: the state and its links, so that they are tested natively.

pub mod field;
pub mod language;
pub mod link;
pub mod state;
#[path = "strings/native.rs"]
mod strings;

pub use strings::told;
