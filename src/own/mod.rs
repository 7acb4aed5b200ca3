//! The reader's own tokens and weights: pasted, chosen or dropped; and the experiment on screen, to export.

mod context;
mod form;
mod matrices;
mod table_problem;

use crate::prelude::*;
use leptos::html::Details;
use web_sys::HtmlElement;

use crate::answers::Problem;
use crate::files::use_drops;
use crate::later::{LaterView, Piece, use_later};
use crate::page::{PLACE_OWN, PLACE_OWN_WEIGHTS, use_page};
use crate::panels::when_there;
use crate::strings;

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
    }
}

/// Begins to take what is dropped on the page, where no other view takes it.
pub fn begin(own: Own) {
    use_drops().otherwise_by(move |dropped| own.take_dropped(dropped));
}
