//! A second window for the projector, which follows the lecturer's window. The lecturer can freeze its picture, and
//! make it black. Both windows run the page in the same browser and talk through a `BroadcastChannel`: nothing leaves
//! the machine.
//!
//! | module | concept |
//! | --- | --- |
//! | `message` | what the two windows say to each other |
//! | `channel` | the channel of a pair of windows |
//! | `lecturer` | the lecturer's window: opens the other one and sends the scene |
//! | `audience` | the projector's window: shows what it is sent |
//! | `views` | the line about the other window, and the section in the panel of links |

mod audience;
mod channel;
mod lecturer;
mod message;
mod views;

use crate::prelude::*;

use crate::page::Page;
use crate::panels::Panels;

pub use views::{OpenSection, ProjectorLine};

use audience::Audience;
use lecturer::Lecturer;

/// What the projector shows beside the scene: the drawing of a prediction, as text.
#[derive(Clone, Copy)]
pub struct Drawing {
    /// The drawing in this window. Tracks its signals.
    pub text: Callback<(), String>,
    /// Shows a drawing of the lecturer's window in this one.
    pub show: Callback<String>,
}

/// Starts this window as the projector's, if a lecturer's window opened it, else as a lecturer's.
pub fn begin(page: Page, panels: Panels, drawing: Drawing) {
    let name = window().name().unwrap_or_default();
    if name.starts_with(message::NAME) {
        provide_context(Audience::begin(&name, page, panels, drawing));
    } else {
        provide_context(Lecturer::begin(page, panels, drawing));
    }
}
