//! The reader's own tokens and weights: pasted, chosen or dropped; and the experiment on screen, to take away.

mod answers;
mod export;
mod file;
mod form;
mod matrices;
mod weights;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Details;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::files::read;
use crate::later::LaterView;
use crate::page::{Page, PlotChoice, use_page};
use crate::strings;
use lipscope_core::experiment::TableSource;

use file::take_file;

pub use export::{copy_link, experiment_text};
pub use form::OwnForm;

/// What a reader is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Tokens.
    Tokens,
    /// Weights: a box for each matrix.
    Weights,
}

/// Opens the form in sight, with the caret in its first box.
pub fn open(page: Page, asked: Asked) {
    page.classroom.controls_open.set(true);
    page.own_open.set(true);
    let id = match asked {
        Asked::Tokens => "own-text",
        Asked::Weights => {
            page.own_matrices_open.set(true);
            "own-q"
        }
    };
    // The form may still be on its way.
    page.with_later(move |_| {
        when_there(id, FRAMES_TO_WAIT, |field| {
            field.scroll_into_view();
            let _ = field.focus();
        });
    });
}

/// About two seconds: on a slow machine the controls are built after the press that opened them.
const FRAMES_TO_WAIT: usize = 120;

/// Acts on an element as soon as it has a place on the page.
fn when_there(id: &'static str, frames: usize, act: fn(&HtmlElement)) {
    request_animation_frame(move || {
        let element = document().get_element_by_id(id).and_then(|found| found.dyn_into::<HtmlElement>().ok());
        // Inside a closed fold it has no place.
        match element.filter(|element| element.offset_parent().is_some()) {
            Some(element) => act(&element),
            None if frames > 0 => when_there(id, frames - 1, act),
            None => {}
        }
    });
}

/// Brings the fold around a field into sight, with its title at the top; at once, so that nothing moves on the way.
fn scroll_to_fold(field: &HtmlElement) {
    if let Ok(Some(fold)) = field.closest("details") {
        fold.scroll_into_view();
    }
}

/// The fold with everything about own data.
#[component]
pub fn OwnData() -> impl IntoView {
    let page = use_page();
    let details = NodeRef::<Details>::new();
    let is_over = listen_for_drops(page);
    let on_toggle = move |_| {
        let Some(details) = details.get_untracked() else { return };
        // What the page opens, it scrolls to where that is needed.
        let is_opened_by_reader = details.open() && !page.own_open.get_untracked();
        page.own_open.set(details.open());
        if is_opened_by_reader {
            // The fold is the last one of the panel: it opens below what is in sight.
            page.with_later(move |_| when_there("own-text", FRAMES_TO_WAIT, scroll_to_fold));
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
        match page.plot.get_untracked() {
            PlotChoice::Model => return page.with_later(move |later| (later.drop_on_models)(page, &data)),
            PlotChoice::Train => return page.with_later(move |later| (later.drop_on_training)(page, &data)),
            _ => {}
        }
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => read(file, move |name, bytes| take_file(page, name, bytes)),
            None => {
                page.own_open.set(true);
                page.take_given(TableSource::text(&data.get_data("text/plain").unwrap_or_default()));
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
