//! The page's context, and what ties it together: edits change the state, the state sends runs, replies fill
//! [`Live`](crate::live::Live).
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | what every part of the page may read and do |
//! | `begin` | the workers and the effects that feed them |
//! | `ordered`, `order`, `sweeping` | the workers, and what they are asked for when the state changes |
//! | `hear` | what they answer, put where the views read it |
//! | `history`, `address` | the address follows what is shown, and the other way round |

mod address;
mod begin;
mod context;
mod hear;
mod history;
mod order;
mod ordered;
mod sweeping;

pub use begin::begin;
pub use context::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page, use_page};
pub use history::fragment;

pub use crate::state::PlotChoice;
