//! The view over n: the measured norms, every bound, and the worst-case search, in one plot.
//!
//! | file | concept |
//! | --- | --- |
//! | `context` | its signals and its requests |
//! | `reading` | the value of a trace at an n |
//! | `chart`, `plot` | the plot and its readout |
//! | `list` | the traces as a list: switch, value at the cursor, details of each |
//! | `sentence` | the gap between the bounds at the cursor, in words |
//! | `search`, `search_run`, `search_work`, `search_plane` | the worst-case search |

mod chart;
mod context;
mod list;
mod plot;
mod reading;
mod search;
mod search_plane;
mod search_run;
mod search_work;
mod sentence;

use crate::prelude::*;

use crate::controls::Switch;
use crate::over_n::AxisChoice;
use crate::page::{PlotChoice, use_page};
use crate::state::{PageState, RadiusGrowth, Range};
use crate::strings;

pub use context::{Growth, begin};

use list::TraceList;
use plot::GrowthPlot;
use search::Search;

/// The view over n: tools, plot, list of traces, search.
#[component]
pub fn GrowthView() -> impl IntoView {
    let page = use_page();
    let is_hidden = move || page.plot.get() != PlotChoice::Growth;
    view! {
        <div class="growth" data-testid="growth-view" hidden=is_hidden>
            <div class="growth-tools">
                <RangeSwitch/>
                <AxisChoice id="x-axis" now=PageState::growth_axis/>
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

/// Chooses where the axis of n ends.
#[component]
fn RangeSwitch() -> impl IntoView {
    let page = use_page();
    // As far as the sweep measures, or to the number of tokens if that is larger.
    let longest = memo(move |_| page.state.with(|state| state.n_tokens().max(state.sweep_max as f64)));
    // An end that the sweep reaches is no other choice.
    let is_past = move |end: f64| longest.get() >= end;
    let end = move |end: f64, words: &'static str| {
        Signal::derive(move || if is_past(end) { String::new() } else { words.to_owned() })
    };
    let chosen = Signal::derive(move || {
        Some(match page.state.with(|state| state.growth.range) {
            Range::Million if is_past(1e6) => Range::Measured,
            Range::Quintillion if is_past(1e18) => Range::Measured,
            range => range,
        })
    });
    let options = vec![
        ("growth-range-measured", Range::Measured, Signal::derive(move || strings::count(longest.get()))),
        ("growth-range-1e6", Range::Million, end(1e6, strings::TEN_TO_SIX)),
        ("growth-range-1e18", Range::Quintillion, end(1e18, strings::TEN_TO_EIGHTEEN)),
    ];
    let on_pick = move |range| page.edit("growth-range", |state| state.growth.range = range);
    view! { <Switch label=strings::range_text() options chosen on_pick=Callback::new(on_pick)/> }
}

/// Whether R stays or grows with n.
#[component]
fn RadiusSwitch() -> impl IntoView {
    let page = use_page();
    let chosen = Signal::derive(move || Some(page.state.with(|state| state.growth.radius_growth)));
    let option = |id, growth| (id, growth, Signal::stored(strings::radius_growth(growth).to_owned()));
    let options =
        vec![option("growth-radius-fixed", RadiusGrowth::Fixed), option("growth-radius-grows", RadiusGrowth::SqrtLog)];
    let on_pick = move |growth| page.edit("growth-radius", |state| state.growth.radius_growth = growth);
    view! { <Switch label=strings::radius_growth_text() options chosen on_pick=Callback::new(on_pick)/> }
}
