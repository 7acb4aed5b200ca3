//! Attention inside transformers: which model and text, the workers that measure, the table that grows.
//!
//! | module | concept |
//! | --- | --- |
//! | `view` | the form and the figures below it |
//! | `desk` | the form |
//! | `figures` | the figures of the table |

mod desk;
mod figures;
mod view;

use std::sync::Arc;

use leptos::prelude::*;

use crate::models::{Place, Table};

use super::page::Page;

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
    /// All that was asked for is there.
    Done,
}

/// What is known of models.
#[derive(Clone, Copy, Default)]
pub struct Models {
    /// All rows so far; each change is another `Arc`.
    pub table: RwSignal<Option<Arc<Table>>>,
    /// What is wrong, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// Where the run stands.
    pub phase: RwSignal<ModelPhase>,
}

impl Models {
    /// Makes a window's tokens and its map's weights the reader's own experiment.
    pub fn open_window(self, _page: Page, place: Place) {
        self.problem.set(Some(format!("n = {}, window {}", place.n, place.window)));
    }
}
