//! The experiment on screen, as files and a link.

use crate::prelude::*;
use serde_json::Value;

use crate::files::{copy, download};
use crate::page::{Page, use_page};
use crate::state::Stage;
use crate::strings;
use lipscope_core::script::Dialect;

/// Experiments with more numbers than this are written on one line.
const PRETTY_UP_TO: usize = 20_000;

/// What can be taken away.
#[component]
pub fn Export() -> impl IntoView {
    let page = use_page();
    let note = RwSignal::new("");
    let measurement = move || {
        let measured = page.live.measured.get_untracked();
        measured.map_or_else(String::new, |measured| pretty(&measured.measurement.to_value()))
    };
    let script = move |dialect: Dialect| {
        view! {
            <button type="button" id=format!("export-{}", dialect.id()) title=strings::script_hint(dialect) on:click=move |_| page.ask_script(dialect)>
                {strings::script_name(dialect)}
            </button>
        }
    };
    view! {
        <p class="note">{strings::export_hint()}</p>
        <div class="own-tools">
            <button type="button" id="export-copy" on:click=move |_| copy(experiment_text(page), note)>{strings::copy_experiment()}</button>
            <button type="button" id="export-link" on:click=move |_| copy_link(page, note)>{strings::copy_link()}</button>
            <button type="button" id="export-download" on:click=move |_| download("lipscope-experiment.json", "application/json", &experiment_text(page))>
                {strings::download_experiment()}
            </button>
            <button type="button" id="export-measurement" on:click=move |_| download("lipscope-measurement.json", "application/json", &measurement())>
                {strings::download_measurement()}
            </button>
            {Dialect::ALL.map(script).collect_view()}
            <span role="status">{move || note.get()} {strings::between_sentences()} {move || page.live.script_note.get()}</span>
        </div>
    }
}

/// Copies the page's address with all that is shown in it.
pub fn copy_link(page: Page, note: RwSignal<&'static str>) {
    match page.link_to(Stage::Full) {
        Some(link) => copy(link, note),
        None => note.set(strings::link_too_long()),
    }
}

/// The experiment on screen, as the file that reproduces it.
pub fn experiment_text(page: Page) -> String {
    let state = page.shown_state();
    let value = state.experiment().to_value();
    if state.n_listed() * state.dim() <= PRETTY_UP_TO { pretty(&value) } else { value.to_string() }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}
