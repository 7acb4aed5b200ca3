//! The view over n: what is measured, every bound, and the search for worse tokens, in one plot.
//!
//! | file | concept |
//! | --- | --- |
//! | `plan`, `answers` | at which n the curves are asked for, and what the workers answer |
//! | `reading` | what a trace says at an n |
//! | `chart`, `plot` | the plot, and how it is read |
//! | `list` | the traces as a list: switch, value at the cursor, what stands behind each |
//! | `sentence` | the gap between the bounds at the cursor, in words |
//! | `search`, `search_run`, `search_work`, `search_plane` | the search for worse tokens |

mod answers;
mod chart;
mod list;
mod plan;
mod plot;
mod reading;
mod search;
mod search_plane;
mod search_run;
mod search_work;
mod sentence;

use crate::prelude::*;

use crate::charts::AxisChoice;
use crate::controls::Switch;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{PageState, RadiusLaw, Range};
use crate::strings;

pub use search_run::SearchRun;

use list::TraceList;
use plot::GrowthPlot;
use search::Search;

/// What the view holds.
#[derive(Clone, Copy)]
pub struct Growth {
    /// The n under the pointer or the keys.
    hover: RwSignal<Option<f64>>,
    /// The search under way or the last one.
    search: RwSignal<SearchRun>,
    /// What the curves were last asked for.
    asked: StoredValue<Option<PageState>>,
    /// Whether the curves have been of another state for so long that a reader could take them for the present one's.
    is_waiting: RwSignal<bool>,
}

impl Default for Growth {
    fn default() -> Self {
        Growth {
            hover: RwSignal::new(None),
            search: RwSignal::default(),
            asked: StoredValue::new(None),
            is_waiting: RwSignal::new(false),
        }
    }
}

/// Asks for the curves while the view is looked at, and pauses the search when it is not.
pub fn begin(page: Page) {
    answers::begin(page);
    search_work::begin(page);
}

/// Whether the curves are of another state than the controls', and new ones are on their way.
fn is_stale(page: Page) -> bool {
    page.live.growth.with(|data| data.problem.is_none() && page.state.with(|state| !data.is_of(state)))
}

/// The n that is read: under the pointer, or where the cursor rests.
fn read_at(page: Page) -> f64 {
    page.growth.hover.get().unwrap_or_else(|| page.state.with(PageState::read_at))
}

/// The view.
#[component]
pub fn GrowthView() -> impl IntoView {
    let page = use_page();
    let is_hidden = move || page.plot.get() != PlotChoice::Growth;
    view! {
        <div class="growth" data-testid="growth-view" hidden=is_hidden>
            <div class="growth-tools">
                <RangeSwitch/>
                <AxisChoice id="x-axis"/>
                <RadiusSwitch/>
            </div>
            <div class="growth-body">
                <GrowthPlot/>
                <TraceList/>
            </div>
            <Search/>
        </div>
    }
}

/// How far the axis goes.
#[component]
fn RangeSwitch() -> impl IntoView {
    let page = use_page();
    let chosen = Signal::derive(move || Some(page.state.with(|state| state.growth.range)));
    // As far as the sweep measures, or to the tokens where there are more.
    let longest = memo(move |_| page.state.with(|state| state.n_tokens().max(state.sweep_max as f64)));
    let options = Signal::derive(move || {
        vec![
            ("growth-range-measured", Range::Measured, strings::count(longest.get())),
            ("growth-range-1e6", Range::Million, strings::TEN_TO_SIX.to_owned()),
            ("growth-range-1e18", Range::Quintillion, strings::TEN_TO_EIGHTEEN.to_owned()),
        ]
    });
    let on_pick = move |range| page.edit("growth-range", |state| state.growth.range = range);
    view! { <Switch label=strings::range_text() options chosen on_pick=Callback::new(on_pick)/> }
}

/// Whether R stays or grows with n.
#[component]
fn RadiusSwitch() -> impl IntoView {
    let page = use_page();
    let chosen = Signal::derive(move || Some(page.state.with(|state| state.growth.radius_law)));
    let option = |id, law| (id, law, strings::radius_law(law).to_owned());
    let options = Signal::stored(vec![
        option("growth-radius-fixed", RadiusLaw::Fixed),
        option("growth-radius-grows", RadiusLaw::SqrtLog),
    ]);
    let on_pick = move |law| page.edit("growth-radius", |state| state.growth.radius_law = law);
    view! { <Switch label=strings::radius_law_text() options chosen on_pick=Callback::new(on_pick)/> }
}
