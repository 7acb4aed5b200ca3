//! The room that the line about the other window takes from the page, as the style property `--bar`: the page is laid
//! out above it, however many lines of text it has.

use crate::prelude::*;
use leptos::ev;
use leptos::html::Section;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Keeps the height of the line in `--bar`. `changes` tracks what the height depends on.
pub fn keep_room(line: NodeRef<Section>, changes: impl Fn() + 'static) {
    effect(move |_| {
        changes();
        request_animation_frame(move || measure(line));
    });
    let resized = window_event_listener(ev::resize, move |_| measure(line));
    on_cleanup(move || resized.remove());
}

fn measure(line: NodeRef<Section>) {
    let height = line.try_get_untracked().flatten().map_or(0, |line| line.offset_height());
    let root = document().document_element().and_then(|root| root.dyn_into::<HtmlElement>().ok());
    if let Some(root) = root {
        // If the document refuses, the line covers the foot of the page.
        let _ = HtmlElement::style(&root).set_property("--bar", &format!("{height}px"));
    }
}
