//! Attention inside transformers: which model and text, the workers that measure, the table that grows.
//!
//! | module | concept |
//! | --- | --- |
//! | `view` | the form and the figures below it |
//! | `form`, `source_view`, `text_view`, `plan_view`, `run_view` | the form's parts |
//! | `settings` | the values of its fields |
//! | `context` | the tables, and the state of the run |
//! | `form_at_hand` | the form, once its view was opened |
//! | `session`, `running`, `tables` | the form's work: opening a model, running and pausing, tables in and out |
//! | `folder`, `taking`, `remote`, `fetching`, `trained` | a model's files: chosen or dropped, at an address, or trained on this page |
//! | `window` | a window of text as the reader's own experiment |
//! | `figures` | the figures of the table |

mod context;
mod fetching;
mod figures;
mod folder;
mod form_at_hand;
mod plan_view;
mod run_view;
mod running;
mod session;
mod settings;
mod source_view;
mod tables;
mod taking;
mod text_view;
mod trained;
mod view;
mod window;

pub use context::Models;
pub use folder::RemotePhase;
pub use form_at_hand::begin;
pub use session::Progress;
pub use settings::SourceKind;
pub use view::ModelView;
