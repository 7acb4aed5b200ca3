//! What the view over n holds, and what follows from it.

use crate::prelude::*;

use crate::page::Page;
use crate::state::PageState;

use super::search_run::SearchRun;

/// What the view holds.
#[derive(Clone, Copy)]
pub struct Growth {
    pub(super) page: Page,
    /// The n under the pointer or the keys.
    pub(super) hover: RwSignal<Option<f64>>,
    /// The search under way or the last one.
    pub(super) search: RwSignal<SearchRun>,
    /// What the curves were last asked for.
    pub(super) asked: StoredValue<Option<PageState>>,
    /// Whether the curves have been of another state for so long that a reader could take them for the present one's.
    pub(super) is_waiting: RwSignal<bool>,
}

/// The context.
pub fn use_growth() -> Growth {
    expect_context()
}

impl Growth {
    /// Before anything was asked.
    pub fn new(page: Page) -> Self {
        Growth {
            page,
            hover: RwSignal::new(None),
            search: RwSignal::default(),
            asked: StoredValue::new(None),
            is_waiting: RwSignal::new(false),
        }
    }

    /// Whether the curves are of another state than the controls', and new ones are on their way.
    pub(super) fn is_stale(self) -> bool {
        let page = self.page;
        page.live.growth.with(|data| data.problem.is_none() && page.state.with(|state| !data.is_of(state)))
    }

    /// The n that is read: under the pointer, or where the cursor rests.
    pub(super) fn read_at(self) -> f64 {
        self.hover.get().unwrap_or_else(|| self.page.state.with(PageState::read_at))
    }
}
