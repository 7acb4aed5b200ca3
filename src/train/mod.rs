//! Small transformers that are trained in the browser: which ones on which text, what is measured meanwhile, and running a
//! trained one backwards.
//!
//! | module | concept |
//! | --- | --- |
//! | `view` | the form and the figures below it |
//! | `form`, `text_view`, `run_view` | the form's parts |
//! | `settings` | what its fields hold |
//! | `session`, `training` | what it does: the worker, whose turn it is, pausing and going on |
//! | `keep`, `keeping` | what the browser keeps of them from one visit to the next |
//! | `figure`, `loss`, `constants`, `sample`, `backwards` | the figures |
//! | `files` | what can be exported of a run |

mod backwards;
mod constants;
mod figure;
mod files;
mod form;
mod keep;
mod keeping;
mod loss;
mod run_view;
mod sample;
mod session;
mod settings;
mod text_view;
mod training;
mod view;

pub use keep::{Keeping, Kept};
pub use view::TrainView;
