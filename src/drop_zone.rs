//! What a reader drops on the page, wherever it falls. Until this part of the page is there, assets/boot.js keeps what is
//! dropped.

use crate::prelude::*;
use js_sys::Reflect;
use leptos::ev;
use wasm_bindgen::{JsCast, JsValue};

use super::files::{Dropped, use_drops};
use super::page::use_page;
use super::strings;

/// Takes what is dropped anywhere on the page, and covers the page while something is dragged over it.
#[component]
pub fn DropZone() -> impl IntoView {
    let (page, drops) = (use_page(), use_drops());
    if let Some(dropped) = take_kept() {
        drops.hand_to_others(dropped);
    }
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
            drops.hand_to_others(Dropped::of(&data));
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        drop.remove();
    });
    view! { <div class="drop" class:over=is_over aria-hidden="true"><p>{strings::drop()}</p></div> }
}

/// Takes what assets/boot.js has kept in `window.dropped`, and deletes this property, so that assets/boot.js keeps
/// nothing from now on.
fn take_kept() -> Option<Dropped> {
    let key = JsValue::from_str("dropped");
    let kept = Reflect::get(&window(), &key).ok()?;
    let _ = Reflect::delete_property(&window(), &key);
    match kept.dyn_into::<web_sys::File>() {
        Ok(file) => Some(Dropped::File(file)),
        Err(other) => other.as_string().filter(|text| !text.is_empty()).map(Dropped::Text),
    }
}
