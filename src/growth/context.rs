//! The signals of the view over n.

use crate::prelude::*;

use crate::page::Page;
use crate::state::PageState;

use super::search_run::SearchRun;

/// The signals of the view over n.
#[derive(Clone, Copy)]
pub struct Growth {
    pub(super) page: Page,
    /// The n under the pointer or the keys.
    pub(super) hover: RwSignal<Option<f64>>,
    /// The search under way or the last one.
    pub(super) search: RwSignal<SearchRun>,
    /// The state of the latest request for curves.
    pub(super) asked: StoredValue<Option<PageState>>,
    /// Whether the curves have belonged to another state for so long that a reader could take them for the present
    /// one's.
    pub(super) is_waiting: RwSignal<bool>,
}

/// The context.
pub fn use_growth() -> Growth {
    expect_context()
}

impl Growth {
    /// The view before any request.
    pub fn new(page: Page) -> Self {
        Growth {
            page,
            hover: RwSignal::new(None),
            search: RwSignal::default(),
            asked: StoredValue::new(None),
            is_waiting: RwSignal::new(false),
        }
    }

    /// Whether the curves belong to another state than the controls, and new ones are on their way.
    pub(super) fn is_stale(self) -> bool {
        let page = self.page;
        page.live.growth.with(|data| data.problem.is_none() && page.state.with(|state| !data.is_of(state)))
    }

    /// The n that is read: under the pointer, or where the cursor rests.
    pub(super) fn read_at(self) -> f64 {
        self.hover.get().unwrap_or_else(|| self.page.state.with(PageState::read_at))
    }
}
