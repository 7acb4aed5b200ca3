//! The experiment on screen, as files and a link.

use crate::prelude::*;

use crate::export::{ask_script, copy_link, experiment_text, pretty};
use crate::files::{copy, download};
use crate::page::use_page;
use crate::strings;
use lipscope_core::script::Dialect;

/// What can be exported.
#[component]
pub fn Export() -> impl IntoView {
    let page = use_page();
    let note = RwSignal::new("");
    let measurement = move || {
        let measured = page.answers.measured.get_untracked();
        measured.map_or_else(String::new, |measured| pretty(&measured.measurement.to_value()))
    };
    let script = move |dialect: Dialect| {
        view! {
            <button type="button" id=format!("export-{}", dialect.id()) title=strings::script_hint(dialect) on:click=move |_| ask_script(page, dialect)>
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
            <span role="status">{move || note.get()} {strings::between_sentences()} {move || page.answers.script_note.get()}</span>
        </div>
    }
}
