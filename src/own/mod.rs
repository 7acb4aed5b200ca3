//! The reader's own tokens and weights: pasted, chosen or dropped; and the experiment on screen, to take away.

mod answers;
mod context;
mod export;
mod file;
mod form;
mod matrices;
mod table_problem;
mod weights;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Details;
use web_sys::HtmlElement;

use crate::files::read;
use crate::later::{LaterView, Piece};
use crate::page::use_page;
use crate::panels::when_there;
use crate::strings;
use lipscope_core::experiment::TableSource;

use context::use_own;

pub use context::Own;
pub use form::OwnForm;

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
    let own = use_own();
    let details = NodeRef::<Details>::new();
    let is_over = listen_for_drops(own);
    let on_toggle = move |_| {
        let Some(details) = details.get_untracked() else { return };
        // What the page opens, it scrolls to where that is needed.
        let is_opened_by_reader = details.open() && !page.panels.own.get_untracked();
        page.panels.own.set(details.open());
        if is_opened_by_reader {
            // The fold is the last one of the panel: it opens below what is in sight.
            page.later.with(move |_| when_there("own-text", scroll_to_fold));
        }
    };
    view! {
        <details class="own" id="own" node_ref=details prop:open=move || page.panels.own.get() on:toggle=on_toggle>
            <summary>{strings::own()}</summary>
            <LaterView wanted=Signal::derive(move || page.panels.own.get() || page.later.table().is_some()) piece=Piece::OwnForm/>
        </details>
        <div class="drop" class:over=move || is_over.get() aria-hidden="true"><p>{strings::drop()}</p></div>
    }
}

/// Takes files that are dropped anywhere on the page; says whether one hovers over it.
fn listen_for_drops(own: Own) -> RwSignal<bool> {
    let page = own.page;
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
        if page.drops.hand_over(page.plot.get_untracked(), &data) {
            return;
        }
        match data.files().and_then(|files| files.get(0)) {
            Some(file) => read(file, move |name, bytes| own.take_file(name, bytes)),
            None => {
                page.panels.own.set(true);
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
