//! The data that all figures read.

use std::sync::Arc;
use std::time::Duration;

use crate::prelude::*;

use crate::models::form_at_hand::FormAtHand;
use crate::strings;
use lipscope_models::charts::lengths_table;
use lipscope_models::{Cell, Estimate, Group, Heads, MapKind, ModelConfig, Table};

/// A layer, with all its heads or one.
pub type At = (usize, Heads);

/// The content of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no table.
    Empty,
    /// Windows of a text.
    Text,
    /// Adversarial tokens.
    Adversarial,
}

/// The table by layer and head, and the reader's choices in it.
#[derive(Clone, Copy)]
pub struct FigureData {
    /// The table of results.
    pub table: RwSignal<Option<Arc<Table>>>,
    /// The table by layer and head. It follows the table one task later.
    pub groups: RwSignal<Arc<Vec<Group>>>,
    /// The layer and head that the reader chose.
    pub chosen: RwSignal<Option<At>>,
    /// The layer and head that is shown: the chosen one where the table has it, else its first.
    pub at: Memo<Option<At>>,
    /// The window that is selected.
    pub selected: RwSignal<Option<Cell>>,
}

impl FigureData {
    /// The figure data of a table.
    pub fn of(table: RwSignal<Option<Arc<Table>>>) -> Self {
        let groups = RwSignal::new(Arc::new(Vec::new()));
        let read = move || {
            let read = table.with_untracked(|table| table.as_ref().map_or_else(Vec::new, |table| table.groups()));
            // The figures may have left the page.
            let _ = groups.try_set(Arc::new(read));
        };
        // In a task of its own: for ten thousand rows, grouping and drawing together would block the page for more than
        // a frame or two.
        effect(move |_| {
            table.track();
            set_timeout(read, Duration::ZERO);
        });
        let chosen = RwSignal::new(None::<At>);
        let at = memo(move |_| {
            let wanted = chosen.get();
            groups.with(|groups| {
                let has = |at: &At| groups.iter().any(|group| (group.layer, group.heads) == *at);
                wanted.filter(has).or_else(|| groups.first().map(|group| (group.layer, group.heads)))
            })
        });
        FigureData { table, groups, chosen, at, selected: RwSignal::new(None) }
    }

    /// The content of the table.
    pub fn kind(self) -> Memo<Kind> {
        memo(move |_| {
            self.table.with(|table| match table {
                Some(table) if !table.rows.is_empty() => match table.subject.adversarial_radius() {
                    Some(_) => Kind::Adversarial,
                    None => Kind::Text,
                },
                _ => Kind::Empty,
            })
        })
    }

    /// The map that was measured.
    pub fn map(self) -> Option<MapKind> {
        self.table.with(|table| table.as_ref().and_then(|table| MapKind::by_id(&table.subject.map)))
    }

    /// The architecture of the table's model, where that is the form's model.
    pub fn config(self, form: FormAtHand) -> Memo<Option<ModelConfig>> {
        memo(move |_| {
            let session = form.session()?;
            let model = self.table.with(|table| table.as_ref().map(|table| table.subject.model.clone()))?;
            session.facts.with(|facts| facts.as_ref().filter(|facts| facts.label == model).map(|facts| facts.config))
        })
    }

    /// Reads one group.
    pub fn with_group<T>(self, at: Option<At>, read: impl FnOnce(&Group) -> T) -> Option<T> {
        self.groups.with(|groups| groups.iter().find(|group| Some((group.layer, group.heads)) == at).map(read))
    }

    /// The selected window with its measured values.
    pub fn reading(self) -> Option<(Cell, Estimate)> {
        let cell = self.selected.get()?;
        self.table.with(|table| Some((cell, *table.as_ref()?.rows.get(&cell)?)))
    }

    /// The table of the layer and head on screen, length by length.
    pub fn lengths(self) -> lipscope_plot::Table {
        let words = strings::model_words();
        self.with_group(self.at.get(), |group| lengths_table(group, &words)).unwrap_or_default()
    }

    /// The rows of the layer and head on screen, as a file.
    pub fn csv(self) -> String {
        let Some((layer, heads)) = self.at.get_untracked() else { return String::new() };
        self.table.with_untracked(|table| {
            table.as_ref().and_then(|table| table.only(layer, heads).to_csv().ok()).unwrap_or_default()
        })
    }
}
