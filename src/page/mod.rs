//! The page's context and its flow of data: edits change the state, the state orders work, and replies fill
//! [`Answers`](crate::answers::Answers).
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | what every part of the page may read and do |
//! | `begin` | the workers and the effects that feed them |
//! | `order` | what the page asks of the engine when its state changes |
//! | `history`, `address` | the address follows the scene on screen, and the other way round |

mod address;
mod begin;
mod context;
mod history;
mod order;

pub use begin::begin;
pub use context::{PLACE_LINK, PLACE_OWN, PLACE_OWN_WEIGHTS, Page, use_page};
pub use history::fragment;

pub use crate::state::PlotChoice;
