//! The reader's own tokens and weights: pasted, chosen or dropped; and the experiment on screen, to take away.

use leptos::ev;
use leptos::html::{Details, Textarea};
use leptos::prelude::*;
use serde_json::Value;

use super::controls::ProblemAt;
use super::files::{copy, download, read};
use super::later::LaterView;
use super::page::{PLACE_OWN, Page, PlotChoice, use_page};
use super::state::Stage;
use super::strings;
use lipscope_core::script::Dialect;

/// Experiments with more numbers than this are written on one line.
const PRETTY_UP_TO: usize = 20_000;

/// What a reader is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Tokens, which need no form.
    Tokens,
    /// Weights, whose form is shown.
    Weights,
}

/// Opens the fold and puts the caret into it.
pub fn open(page: Page, asked: Asked) {
    page.own_open.set(true);
    page.own_form_open.set(asked == Asked::Weights);
    // The form may still be on its way.
    page.with_later(|_| focus_text());
}

fn focus_text() {
    request_animation_frame(|| {
        if let Some(text) = document().get_element_by_id("own-text") {
            text.scroll_into_view();
            use wasm_bindgen::JsCast;
            if let Some(element) = text.dyn_ref::<web_sys::HtmlElement>() {
                let _ = element.focus();
            }
        }
    });
}

/// The fold with everything about own data.
#[component]
pub fn OwnData() -> impl IntoView {
    let page = use_page();
    let details = NodeRef::<Details>::new();
    let is_over = listen_for_drops(page);
    let on_toggle = move |_| {
        if let Some(details) = details.get_untracked() {
            page.own_open.set(details.open());
        }
    };
    view! {
        <details class="own" id="own" node_ref=details prop:open=move || page.own_open.get() on:toggle=on_toggle>
            <summary>{strings::own()}</summary>
            <LaterView wanted=Signal::derive(move || page.own_open.get() || page.later().is_some()) view=|later| (later.own_form)()/>
        </details>
        <div class="drop" class:over=move || is_over.get() aria-hidden="true"><p>{strings::drop()}</p></div>
    }
}

/// What is in the fold.
#[component]
pub fn OwnForm() -> impl IntoView {
    let page = use_page();
    let text = NodeRef::<Textarea>::new();
    let note = page.live.own_note;
    let apply = move || {
        let pasted = text.get_untracked().map(|area| area.value()).unwrap_or_default();
        page.take_given(None, pasted.into_bytes());
    };
    let show_example = move || {
        if let Some(area) = text.get_untracked() {
            area.set_value(strings::OWN_FORM_EXAMPLE);
        }
    };
    let on_file = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            read(file, move |name, bytes| take_bytes(page, name, bytes));
        }
        // The same file may be chosen again after it was mended.
        input.set_value("");
    };
    view! {
        <label for="own-text" class="note">{strings::own_hint()}</label>
        <textarea
            id="own-text"
            node_ref=text
            rows="4"
            spellcheck="false"
            autocomplete="off"
            aria-describedby="own-problem"
            placeholder=strings::OWN_PLACEHOLDER
        ></textarea>
        <div class="own-tools">
            <button type="button" id="own-apply" on:click=move |_| apply()>{strings::apply()}</button>
            <label class="file">
                <input type="file" id="own-file" accept=".csv,.tsv,.txt,.json,.npy" on:change:target=on_file/>
                <span>{strings::choose_file()}</span>
            </label>
        </div>
        <details class="own-form" prop:open=move || page.own_form_open.get()>
            <summary>{strings::own_form()}</summary>
            <p class="note">{strings::own_form_note()}</p>
            <pre tabindex="0">{strings::OWN_FORM_EXAMPLE}</pre>
            <button type="button" id="own-example" on:click=move |_| show_example()>{strings::own_form_use()}</button>
        </details>
        <ProblemAt place=PLACE_OWN/>
        <p class="note" role="status" data-testid="own-note">{move || note.get()}</p>
        <p class="note" data-testid="address-note" hidden=move || page.address_holds.get()>{strings::address_too_short()}</p>
        <Export/>
    }
}

/// What can be taken away.
#[component]
fn Export() -> impl IntoView {
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
            <span role="status">{move || note.get()} " " {move || page.live.script_note.get()}</span>
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

fn take_bytes(page: Page, name: String, bytes: Result<Vec<u8>, String>) {
    page.own_open.set(true);
    page.live.own_note.set(String::new());
    match bytes {
        Ok(bytes) => page.take_given(Some(name), bytes),
        Err(sentence) => page.complain(PLACE_OWN, sentence),
    }
}

/// Takes files that are dropped anywhere on the page; says whether one hovers over it.
fn listen_for_drops(page: Page) -> RwSignal<bool> {
    let is_over = RwSignal::new(false);
    let over = window_event_listener(ev::dragover, move |event| {
        event.prevent_default();
        if !is_over.get_untracked() {
            is_over.set(true);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // Only when the pointer leaves the window.
        if event.related_target().is_none() {
            is_over.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        event.prevent_default();
        is_over.set(false);
        let Some(data) = event.data_transfer() else { return };
        if page.plot.get_untracked() == PlotChoice::Model {
            return page.with_later(move |later| (later.drop_on_models)(page, &data));
        }
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => read(file, move |name, bytes| take_bytes(page, name, bytes)),
            None => {
                page.own_open.set(true);
                page.take_given(None, data.get_data("text/plain").unwrap_or_default().into_bytes());
            }
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
    is_over
}
