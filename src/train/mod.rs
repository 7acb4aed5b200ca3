//! Small transformers that are trained in the browser: which ones on which text, what is measured meanwhile, and running a
//! trained one backwards.
//!
//! | module | concept |
//! | --- | --- |
//! | `view` | the form and the figures below it |
//! | `form`, `text_view`, `run_view` | the form's parts |
//! | `settings` | what its fields hold |
//! | `desk`, `training` | what it does: the worker, whose turn it is, pausing and going on |
//! | `keep` | what the browser keeps of them from one visit to the next |
//! | `figure`, `loss`, `constants`, `sample`, `backwards` | the figures |
//! | `files` | what can be taken away of a run |

mod backwards;
mod constants;
mod desk;
mod figure;
mod files;
mod form;
mod keep;
mod loss;
mod run_view;
mod sample;
mod settings;
mod text_view;
mod training;
mod view;

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::trained::TrainRun;
use desk::Desk;

pub use keep::{Keeping, Kept};
pub use view::TrainView;

/// What is trained, and the form, once it was looked at.
#[derive(Clone, Copy, Default)]
pub struct Training {
    /// The runs, in the order in which they take turns.
    pub runs: RwSignal<Vec<TrainRun>>,
    desk: StoredValue<Option<Desk>>,
}

impl Training {
    /// Takes a text, or a file with one, that is dropped.
    pub fn take_dropped(self, data: &DataTransfer) {
        if let Some(desk) = self.desk.get_value() {
            desk.take_dropped(data);
        }
    }
}
