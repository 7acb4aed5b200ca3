//! A second window for the projector, which follows the lecturer's window. The lecturer can freeze its picture, and
//! make it black. Both windows run the page in the same browser and talk through a `BroadcastChannel`: nothing leaves
//! the machine.
//!
//! | module | concept |
//! | --- | --- |
//! | `message` | what the two windows say to each other |
//! | `channel` | the channel of a pair of windows |
//! | `drawing` | the drawing of a prediction, which goes with a scene |
//! | `lecturer` | the lecturer's window: opens the other one and sends the scene |
//! | `audience` | the projector's window: shows what it is sent |
//! | `views` | the line about the other window, and the section in the panel of links |

mod audience;
mod bar;
mod channel;
mod drawing;
mod lecturer;
mod message;
mod views;

use crate::prelude::*;

use crate::page::Page;
use crate::panels::Panels;

pub use drawing::Drawing;
pub use views::{OpenSection, ProjectorLine};

use audience::Audience;
use lecturer::Lecturer;

/// Whether this window is the projector's: a lecturer's window opened it.
pub fn is_projector() -> bool {
    projector_name().is_some()
}

/// Starts this window as the projector's, or as a lecturer's.
pub fn begin(page: Page, panels: Panels, drawing: Drawing) {
    match projector_name() {
        Some(name) => provide_context(Audience::begin(&name, page, panels, drawing)),
        None => provide_context(Lecturer::begin(page, panels, drawing)),
    }
}

/// The name of this window, if it is a projector's.
fn projector_name() -> Option<String> {
    window().name().ok().filter(|name| name.starts_with(message::NAME))
}
