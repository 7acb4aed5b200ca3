//! The signals of the view over n, and what it asks for.

use std::rc::Rc;
use std::time::Duration;

use crate::prelude::*;

use lipscope_protocol::tasks::WorstAt;

use crate::answers::Curves;
use crate::frame::Debounce;
use crate::page::{Page, PlotChoice};
use crate::plans;
use crate::query::{AtFailure, Query, Start};
use crate::state::{PageState, TokenChoice, WeightChoice};
use crate::workers::EngineLane;

use super::search_run::SearchRun;

/// Curves of another state fade after this time. While a slider moves, new curves come with nearly every frame: without
/// the wait, plot and words would flicker.
const PATIENCE: Duration = Duration::from_millis(100);

/// The signals of the view over n.
#[derive(Clone, Copy)]
pub struct Growth {
    pub(super) page: Page,
    /// The n under the pointer or the keys.
    pub(super) hover: RwSignal<Option<f64>>,
    /// The worst-case search.
    pub(super) search: Query<SearchRun>,
    /// Whether the curves have belonged to another state for longer than `PATIENCE`. They are then drawn faintly, so
    /// that a reader does not take them for curves of the present state.
    pub(super) is_waiting: RwSignal<bool>,
}

/// The signals of the view over n, from the context.
pub fn use_growth() -> Growth {
    expect_context()
}

/// Asks for the curves while the view is on screen, and pauses the search when it is not: other views may need the
/// worker.
pub fn begin(growth: Growth) {
    let (page, curves) = (growth.page, growth.page.answers.growth);
    effect(move |_| {
        if page.plot.get() != PlotChoice::Growth {
            return growth.pause_search();
        }
        page.state.with(|state| {
            let is_long = state.tokens == TokenChoice::Own || state.weights == WeightChoice::Own;
            // The page copies a long list for every worker, so the request waits until the controls rest.
            let start = if is_long { Start::AtRest } else { Start::Now };
            let plan = plans::growth(state);
            let worst = plans::worst_over_n(state, &plan);
            let (asked, answers) = (state.clone(), page.answers);
            let remember = Rc::new(move |found: &[WorstAt]| answers.remember(&|all| all.add_worst(&asked, found)));
            Curves::ask(curves, (plan, worst), start, remember);
        });
    });
    let is_stale = memo(move |_| growth.is_stale());
    let fading = Debounce::default();
    effect(move |_| {
        if is_stale.get() {
            fading.after(PATIENCE, move || growth.is_waiting.set(true));
        } else {
            fading.forget();
            growth.is_waiting.set(false);
        }
    });
}

impl Growth {
    /// The view before any request.
    pub fn new(page: Page) -> Self {
        Growth {
            page,
            hover: RwSignal::new(None),
            search: Query::new(page.engine, EngineLane::Search, AtFailure::Keep),
            is_waiting: RwSignal::new(false),
        }
    }

    /// Whether the curves belong to another state than the controls, and new ones are on their way.
    pub(super) fn is_stale(self) -> bool {
        let page = self.page;
        page.answers.growth.is_running()
            && page.answers.growth.with(|curves| page.state.with(|state| !curves.are_of_view(state)))
    }

    /// The n that is read: under the pointer, or where the cursor rests.
    pub(super) fn read_at(self) -> f64 {
        self.hover.get().unwrap_or_else(|| self.page.state.with(PageState::read_at))
    }
}
