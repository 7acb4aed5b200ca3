//! The reader's own tokens and weights: pasted, chosen or dropped; and the experiment on screen, to export.

mod context;
mod form;
mod matrices;
mod table_problem;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Details;
use web_sys::HtmlElement;

use crate::answers::Problem;
use crate::files::{read, use_drops};
use crate::later::{LaterView, Piece, use_later};
use crate::page::{PLACE_OWN, PLACE_OWN_WEIGHTS, use_page};
use crate::panels::when_there;
use crate::strings;
use lipscope_core::experiment::TableSource;

use context::use_own;

pub use context::Own;
pub use form::OwnForm;

/// Scrolls the fold around a field into sight, with its title at the top. It jumps there, without a smooth motion.
fn scroll_to_fold(field: &HtmlElement) {
    if let Ok(Some(fold)) = field.closest("details") {
        fold.scroll_into_view();
    }
}

/// The fold with all controls of own data.
#[component]
pub fn OwnData() -> impl IntoView {
    let page = use_page();
    let (own, later) = (use_own(), use_later());
    let details = NodeRef::<Details>::new();
    let is_over = listen_for_drops(own);
    let on_toggle = move |_| {
        let Some(details) = details.get_untracked() else { return };
        // Where the page itself opens the fold, the code that opens it also scrolls, if needed.
        let is_opened_by_reader = details.open() && !own.panels.own.get_untracked();
        own.panels.own.set(details.open());
        if is_opened_by_reader {
            // The fold is the last one of the panel, so its content opens below the visible part.
            later.with(move |_| when_there("own-text", scroll_to_fold));
        }
    };
    // A sentence may stand in the fold, so the fold opens for it.
    effect(move |_| {
        let is_ours = |problem: &Problem| matches!(problem.place, PLACE_OWN | PLACE_OWN_WEIGHTS);
        if page.answers.problem.with(|problem| problem.as_ref().is_some_and(is_ours)) {
            own.panels.own.set(true);
        }
    });
    view! {
        <details class="own" id="own" node_ref=details prop:open=move || own.panels.own.get() on:toggle=on_toggle>
            <summary>{strings::own()}</summary>
            <LaterView wanted=Signal::derive(move || own.panels.own.get() || later.table().is_some()) piece=Piece::OwnForm/>
        </details>
        <div class="drop" class:over=move || is_over.get() aria-hidden="true"><p>{strings::drop()}</p></div>
    }
}

/// Takes files that are dropped anywhere on the page. The signal says whether a dragged file is over the page.
fn listen_for_drops(own: Own) -> RwSignal<bool> {
    let (page, drops) = (own.page, use_drops());
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
        if drops.hand_over(page.plot.get_untracked(), &data) {
            return;
        }
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => read(file, move |name, bytes| own.take_file(name, bytes)),
            None => {
                own.panels.own.set(true);
                own.take_given(TableSource::text(&data.get_data("text/plain").unwrap_or_default()));
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
