//! The page's context and its flow of data: edits change the state, the state orders work, and replies fill
//! [`Live`](crate::live::Live).
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | what every part of the page may read and do |
//! | `begin` | the workers and the effects that feed them |
//! | `ordered`, `order`, `sweeping` | the workers, and the page's requests when the state changes |
//! | `hear` | stores the workers' replies where the views read them |
//! | `history`, `address` | the address follows the scene on screen, and the other way round |

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
