//! What a reader drops on the page, wherever it falls and however soon. The later part reads it: the page listens from
//! the first picture on, so that the browser never leaves the page to open the file.

use crate::prelude::*;
use leptos::ev;

use super::files::{Dropped, use_drops};
use super::later::use_later;
use super::page::use_page;
use super::strings;

/// Takes what is dropped anywhere on the page, and covers the page while something is dragged over it.
#[component]
pub fn DropZone() -> impl IntoView {
    let (page, later, drops) = (use_page(), use_later(), use_drops());
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
        if !drops.hand_over(page.plot.get_untracked(), &data) {
            let dropped = Dropped::of(&data);
            later.with(move |_| drops.hand_to_others(dropped));
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
    view! { <div class="drop" class:over=is_over aria-hidden="true"><p>{strings::drop()}</p></div> }
}
