//! The drawing of a prediction, which the projector shows beside the scene.

use crate::prelude::*;

/// How the drawing of a prediction is read in one window, as text, and shown in another.
#[derive(Clone, Copy)]
pub struct Drawing {
    /// The drawing in this window. Tracks its signals.
    pub text: Callback<(), String>,
    /// Shows a drawing of the lecturer's window in this one.
    pub show: Callback<String>,
}
