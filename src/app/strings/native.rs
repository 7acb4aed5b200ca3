//! The texts of the state and its links, for where there is no browser.
//!
//! The texts of the views name types of theirs, which there are in a browser only.

// Few of the controls' texts are those of the state.
#![allow(dead_code)]

#[macro_use]
mod speak;

mod controls;
mod link;
mod problems;
mod wrong;

use speak::t;

pub use controls::*;
pub use link::*;
pub use problems::told;
pub use wrong::*;
