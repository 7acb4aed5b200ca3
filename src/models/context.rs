//! The tables of the models, and the state of the run.

use std::sync::Arc;

use crate::prelude::*;

use crate::page::Page;
use crate::phase::ModelPhase;
use lipscope_models::Table;
use lipscope_protocol::models::ChangeAt;

/// The tables of the models, and the state of the run.
#[derive(Clone, Copy)]
pub struct Models {
    pub(super) page: Page,
    /// The table of results, with all rows so far.
    pub table: RwSignal<Option<Arc<Table>>>,
    /// The table of heads of the form's model at adversarial tokens.
    pub adversarial: RwSignal<Option<Arc<Table>>>,
    /// Whether a worker measures adversarial tokens.
    pub adversarial_awaited: RwSignal<bool>,
    /// The worst change at a window that the reader asked for.
    pub change: RwSignal<Option<Arc<ChangeAt>>>,
    /// Whether a worker searches for it.
    pub is_change_awaited: RwSignal<bool>,
    /// What is wrong, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// The state of the run.
    pub phase: RwSignal<ModelPhase>,
}

/// The tables of the models, from the context.
pub fn use_models() -> Models {
    expect_context()
}

impl Models {
    /// The context before any measurement.
    pub fn new(page: Page) -> Self {
        Models {
            page,
            table: RwSignal::new(None),
            adversarial: RwSignal::new(None),
            adversarial_awaited: RwSignal::new(false),
            change: RwSignal::new(None),
            is_change_awaited: RwSignal::new(false),
            problem: RwSignal::new(None),
            phase: page.answers.model_phase,
        }
    }

    /// Whether a run is in progress or paused: the model cannot change meanwhile.
    pub fn is_at_work(self) -> bool {
        self.phase.get().is_at_work()
    }
}
