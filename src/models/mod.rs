//! Attention inside transformers: which model and text, the workers that measure, the table that grows.
//!
//! | module | concept |
//! | --- | --- |
//! | `view` | the form and the figures below it |
//! | `form`, `source_view`, `text_view`, `plan_view`, `run_view` | the form's parts |
//! | `settings` | what its fields hold |
//! | `desk`, `running`, `tables` | what it does: opening a model, running and pausing, tables in and out |
//! | `folder`, `remote`, `trained` | a model's files: chosen or dropped, at an address, or trained on this page |
//! | `window` | a window of text as the reader's own experiment |
//! | `figures` | the figures of the table |

mod desk;
mod figures;
mod folder;
mod form;
mod plan_view;
mod remote;
mod run_view;
mod running;
mod settings;
mod source_view;
mod tables;
mod text_view;
mod trained;
mod view;
mod window;

use std::sync::Arc;

use crate::prelude::*;
use web_sys::DataTransfer;

use lipscope_core::experiment::Rows;
use lipscope_models::{Cell, Table};
use lipscope_protocol::train::{ModelFiles, Plan};

use trained::TrainedModel;

use super::state::{PageState, Shared, TokenChoice};

pub use desk::{Desk, Progress};
pub use remote::RemotePhase;
pub use settings::SourceKind;
pub use view::ModelView;

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelPhase {
    /// Nothing is measured.
    #[default]
    Idle,
    /// Rows come in.
    Running,
    /// No new windows are begun.
    Paused,
    /// The workers were ended, and something is missing.
    Stopped,
    /// All that was asked for is there.
    Done,
}

impl ModelPhase {
    /// Its word in the page's attributes.
    pub fn id(self) -> &'static str {
        match self {
            ModelPhase::Idle => "idle",
            ModelPhase::Running => "running",
            ModelPhase::Paused => "paused",
            ModelPhase::Stopped => "stopped",
            ModelPhase::Done => "done",
        }
    }
}

/// What a text has at some tokens.
#[derive(Clone)]
struct WindowWords {
    tokens: Shared<Rows>,
    words: Arc<[String]>,
}

/// What is known of models.
#[derive(Clone, Copy, Default)]
pub struct Models {
    /// All rows so far; each change is another `Arc`.
    pub table: RwSignal<Option<Arc<Table>>>,
    /// Heads at adversarial tokens, of the form's model.
    pub adversarial: RwSignal<Option<Arc<Table>>>,
    /// Whether a worker measures such.
    pub adversarial_awaited: RwSignal<bool>,
    /// What is wrong, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// Where the run stands.
    pub phase: RwSignal<ModelPhase>,
    /// The words of a window that was opened in the explorer.
    words: RwSignal<Option<WindowWords>>,
    /// The form, once it was looked at.
    desk: StoredValue<Option<Desk>>,
    /// A trained model that waits for the form.
    trained: StoredValue<Option<TrainedModel>>,
}

impl Models {
    /// The words that a state's tokens stand for, where they are a window's. Tracks what it reads.
    pub fn words_of(self, state: &PageState) -> Option<Arc<[String]>> {
        self.words.with(|words| {
            let WindowWords { tokens, words } = words.as_ref()?;
            let is_shown = state.tokens == TokenChoice::Own && state.own_tokens.as_ref() == Some(tokens);
            is_shown.then(|| Arc::clone(words))
        })
    }

    /// Takes files, a folder or a text that is dropped.
    pub fn take_dropped(self, data: &DataTransfer) {
        if let Some(desk) = self.desk.get_value() {
            folder::take_dropped(desk, data);
        }
    }

    /// Whether windows are measured, or a run of them is paused: the model cannot change meanwhile.
    pub fn is_at_work(self) -> bool {
        self.phase.with(|phase| matches!(phase, ModelPhase::Running | ModelPhase::Paused))
    }

    /// Opens a model that was trained on this page, at once or when the form is looked at; `text` is what to measure it
    /// on, of characters that it knows.
    pub fn open_trained(self, plan: Plan, files: ModelFiles, text: String) {
        let model = TrainedModel { plan, files, text };
        match self.desk.get_value() {
            Some(desk) => desk.take_trained(model),
            None => self.trained.set_value(Some(model)),
        }
    }

    /// The form is there.
    fn begin(self, desk: Desk) {
        self.desk.set_value(Some(desk));
        if let Some(model) = self.trained.try_update_value(Option::take).flatten() {
            desk.take_trained(model);
        }
    }

    /// Measures one head at its adversarial tokens of radius R; layer and head as they are typed.
    pub fn ask_adversarial(self, layer: String, head: String, radius: f64) {
        if let Some(desk) = self.desk.get_value() {
            desk.ask_adversarial(layer, head, radius);
        }
    }

    /// Makes a window's tokens and its map's weights the reader's own experiment.
    pub fn open_window(self, cell: Cell) {
        if let Some(desk) = self.desk.get_value() {
            desk.open_window(cell);
        }
    }
}
