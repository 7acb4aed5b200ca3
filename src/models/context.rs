//! What is known of models: the tables that grow, and where the run stands.

use std::sync::Arc;

use crate::prelude::*;

use crate::page::Page;
use crate::phase::ModelPhase;
use lipscope_models::Table;

/// What is known of models.
#[derive(Clone, Copy)]
pub struct Models {
    pub(super) page: Page,
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
}

/// The context.
pub fn use_models() -> Models {
    expect_context()
}

impl Models {
    /// Nothing is measured.
    pub fn new(page: Page) -> Self {
        Models {
            page,
            table: RwSignal::new(None),
            adversarial: RwSignal::new(None),
            adversarial_awaited: RwSignal::new(false),
            problem: RwSignal::new(None),
            phase: page.live.model_phase,
        }
    }

    /// Whether windows are measured, or a run of them is paused: the model cannot change meanwhile.
    pub fn is_at_work(self) -> bool {
        self.phase.get().is_at_work()
    }
}
