//! Small transformers that are trained in the browser: the choice of models and text, measurements during training, and
//! running a trained model backwards.
//!
//! | module | concept |
//! | --- | --- |
//! | `view` | the form and the figures below it |
//! | `form`, `text_view`, `run_view` | the form's parts |
//! | `settings` | the values of its fields |
//! | `session`, `training` | its work: the worker, the turns of the runs, pausing and continuing |
//! | `keep`, `keeping` | the runs that the browser keeps between visits |
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
