//! The tables of the models, and the state of the run.

use std::sync::Arc;

use crate::prelude::*;

use crate::page::Page;
use crate::phase::ModelPhase;
use lipscope_models::{Subject, Table};
use lipscope_protocol::models::ChangeAt;

/// The tables of the models, and the state of the run.
#[derive(Clone, Copy)]
pub struct Models {
    pub(super) page: Page,
    /// The table of results, with all rows so far.
    pub table: RwSignal<Option<Arc<Table>>>,
    /// Earlier tables of this visit, with rows.
    pub earlier: RwSignal<Vec<Arc<Table>>>,
    /// The earlier table that is drawn beside the present one, by its subject.
    pub beside: RwSignal<Option<Subject>>,
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
            earlier: RwSignal::new(Vec::new()),
            beside: RwSignal::new(None),
            adversarial: RwSignal::new(None),
            adversarial_awaited: RwSignal::new(false),
            change: RwSignal::new(None),
            is_change_awaited: RwSignal::new(false),
            problem: RwSignal::new(None),
            phase: page.answers.model_phase,
        }
    }

    /// Shows the table of a subject: the present one, else an earlier one of this visit, else an empty one. The present
    /// table becomes an earlier one, if it has rows.
    pub fn show_table(self, subject: Subject) {
        let present = self.table.get_untracked();
        if present.as_ref().is_some_and(|table| table.subject == subject) {
            return;
        }
        let shown = self.earlier.try_update(|earlier| exchanged(present, earlier, subject));
        self.table.set(shown);
    }

    /// The earlier table that is drawn beside the present one. Tracks both.
    pub fn table_beside(self) -> Option<Arc<Table>> {
        let subject = self.beside.get()?;
        self.earlier.with(|earlier| earlier.iter().find(|table| table.subject == subject).cloned())
    }

    /// Whether a run is in progress or paused: the model cannot change meanwhile.
    pub fn is_at_work(self) -> bool {
        self.phase.get().is_at_work()
    }
}

/// Puts the present table to the earlier ones, if it has rows, and returns the one of a subject: an earlier one, or an
/// empty one.
fn exchanged(present: Option<Arc<Table>>, earlier: &mut Vec<Arc<Table>>, subject: Subject) -> Arc<Table> {
    earlier.extend(present.filter(|table| !table.rows.is_empty()));
    let known = earlier.iter().position(|table| table.subject == subject);
    known.map_or_else(|| Arc::new(Table::new(subject)), |at| earlier.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_models::{Cell, Estimate, Heads, SpectralNorm};

    fn subject(model: &str) -> Subject {
        let [text, map, mask, estimator] = ["text", "attention", "causal", "both"].map(String::from);
        Subject { model: model.into(), text, map, mask, estimator }
    }

    #[test]
    fn a_table_with_rows_becomes_an_earlier_one_and_comes_back_and_an_empty_one_is_not_kept() {
        let mut measured = Table::new(subject("a"));
        let estimate = Estimate {
            spectral: Some(SpectralNorm { value: 1.0, iterations: 0, relative_residual: 0.0 }),
            released: None,
            radius: 1.0,
            sink: None,
            bounds: None,
            upper: None,
            statistics: Default::default(),
        };
        measured.rows.insert(Cell { layer: 0, heads: Heads::All, n: 2, window: 0 }, estimate);
        let mut earlier = Vec::new();
        let second = exchanged(Some(Arc::new(measured)), &mut earlier, subject("b"));
        assert_eq!((second.subject.model.as_str(), second.rows.len(), earlier.len()), ("b", 0, 1));
        let first = exchanged(Some(second), &mut earlier, subject("a"));
        assert_eq!((first.rows.len(), earlier.len()), (1, 0));
    }
}
