//! A monitored run of the reader's own training: its log as figures over the steps.
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | the opened runs, and what is chosen of them |
//! | `reading` | reads a log in slices |
//! | `source` | where a log comes from: a file, a dropped file that can be read again, the example |
//! | `choices` | the map, the column, the layer and the lines |
//! | `player` | the slider over the steps, and play |
//! | `panels`, `heads` | the figures: layers over steps; heads by layers at a step |

mod choices;
mod context;
mod heads;
mod panels;
mod player;
mod reading;
mod source;

use crate::prelude::*;
use leptos::ev;
use web_sys::HtmlInputElement;

use crate::strings;

use choices::RunChoices;
use context::{Runs, Slot};
use heads::HeadsOfRun;
use panels::PanelsOfRun;
use player::StepPlayer;
use source::{open_example, open_file, reload};

pub use context::use_runs;
pub use source::take_dropped;

/// Figures side by side where there is room for two. Here and not in a style sheet: those come with the first picture.
const SIDE_BY_SIDE: &str = "display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:1rem";

/// Provides the context.
pub fn begin() {
    provide_context(Runs::new());
}

/// The part of the view of models about a run.
#[component]
pub fn MonitoredRun() -> impl IntoView {
    let runs = use_runs();
    let figures = move || {
        runs.is_open(Slot::First).then(|| {
            view! {
                <RunChoices/>
                <StepPlayer/>
                <div style=SIDE_BY_SIDE>
                    <PanelsOfRun which=Slot::First/>
                    {move || runs.is_open(Slot::Second).then(|| view! { <PanelsOfRun which=Slot::Second/> })}
                </div>
                <div style=SIDE_BY_SIDE>
                    <HeadsOfRun which=Slot::First/>
                    {move || runs.is_open(Slot::Second).then(|| view! { <HeadsOfRun which=Slot::Second/> })}
                </div>
            }
        })
    };
    view! {
        <section class="model-figure" aria-labelledby="run-heading" data-testid="monitored-run">
            <h3 id="run-heading" tabindex="-1">{strings::run_heading()}</h3>
            <p class="note">{strings::run_about()}</p>
            <RunSources/>
            {figures}
        </section>
    }
}

/// The buttons that open logs, and what is wrong with one.
#[component]
fn RunSources() -> impl IntoView {
    let runs = use_runs();
    let is_alone = move || !runs.is_open(Slot::First);
    // The example does not change.
    let cannot_reload = move || is_alone() || runs.sources().is_empty();
    let status = move || if runs.is_reading() { strings::run_reading() } else { "" };
    view! {
        <div class="model-row">
            <RunInput id="run-file" label=strings::run_open() which=Slot::First/>
            <button type="button" id="run-example" hidden=move || !is_alone() on:click=move |_| open_example(runs)>{strings::run_example()}</button>
            <button type="button" id="run-reload" hidden=cannot_reload on:click=move |_| reload(runs)>{strings::run_reload()}</button>
            <span hidden=is_alone><RunInput id="run-file-beside" label=strings::run_open_beside() which=Slot::Second/></span>
            <button type="button" id="run-close" hidden=move || !runs.is_open(Slot::Second) on:click=move |_| runs.close(Slot::Second)>{strings::run_close()}</button>
            <span class="note" role="status">{status}</span>
        </div>
        <p class="problem" role="alert" data-testid="run-problem" hidden=move || runs.problem.with(Option::is_none)>{move || runs.problem.get()}</p>
    }
}

/// An input for a log.
#[component]
fn RunInput(
    /// The id of the input.
    id: &'static str,
    /// Its label.
    label: &'static str,
    /// Where the run is shown.
    which: Slot,
) -> impl IntoView {
    let (runs, slot) = (use_runs(), which);
    let on_file = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            open_file(runs, slot, file);
        }
        input.set_value("");
    };
    view! {
        <label class="file">
            <input type="file" id=id accept=".jsonl,.json,.ndjson" on:change:target=on_file/>
            <span>{label}</span>
        </label>
    }
}
