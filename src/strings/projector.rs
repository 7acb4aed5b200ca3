//! The second window, for the projector.

pub use crate::words::projector::*;
