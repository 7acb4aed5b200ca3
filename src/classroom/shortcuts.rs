//! The keys of the whole page, and the list of all keys.

use crate::prelude::*;
use leptos::ev;
use leptos::html::Dialog;
use wasm_bindgen::JsCast;

use crate::keys::{self, Group, Held, PageKey};
use crate::later::{LaterView, Piece};
use crate::stage;
use crate::state::Stage;
use crate::strings;

use super::context::{Classroom, use_classroom};
use super::course;

/// Listens for the keys of the whole page.
pub fn begin(room: Classroom) {
    let listener = window_event_listener(ev::keydown, move |event| {
        let held = match (event.alt_key(), event.ctrl_key() || event.meta_key()) {
            (false, false) => Held::Nothing,
            (true, false) => Held::Alt,
            (false, true) => Held::Control,
            (true, true) => Held::Other,
        };
        // With Caps Lock a key is a capital without Shift. The page's keys are ASCII: tables of all other capitals
        // would add 10 KB to the first module.
        let name = match held {
            Held::Control if event.shift_key() => event.key().to_ascii_uppercase(),
            Held::Control => event.key().to_ascii_lowercase(),
            _ => event.key(),
        };
        let key = PageKey::of(&name, held)
            .or_else(|| PageKey::of_remote(&event.key(), held).filter(|_| is_presented(room) && !has_own_keys(&event)))
            .filter(|_| !event.default_prevented() && !is_typing(&event));
        if key.is_some_and(|key| act(room, key) == Taken::Yes) {
            // Otherwise the browser would leave the page at Alt with an arrow.
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
}

/// The button that opens the list of keys, and the list.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let room = use_classroom();
    let dialog = NodeRef::<Dialog>::new();
    let is_open = room.keys_open;
    effect(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (is_open.get(), dialog.open()) {
            // A dialog that is no longer in the page cannot be shown: nothing to do.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    view! {
        <button type="button" id="keys-open" class="keys-open" aria-label=strings::keys_label() title=strings::keys_label() aria-haspopup="dialog" on:click=move |_| is_open.set(true)>"?"</button>
        // Escape closes it, and the browser gives the focus back.
        <dialog node_ref=dialog id="keys" class="keys" aria-labelledby="keys-heading" on:close=move |_| is_open.set(false)>
            <div class="keys-head">
                <h2 id="keys-heading">{strings::keys_label()}</h2>
                <button type="button" id="keys-close" on:click=move |_| is_open.set(false)>{strings::close()}</button>
            </div>
            <LaterView wanted=is_open piece=Piece::KeyList/>
        </dialog>
    }
}

/// All keys, by what they are for.
#[component]
pub fn KeyList() -> impl IntoView {
    let group = |(heading, keys): Group| {
        view! {
            <section>
                <h3>{heading}</h3>
                <dl>
                    {keys
                        .into_iter()
                        .map(|(key, what)| view! { <div><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div> })
                        .collect_view()}
                </dl>
            </section>
        }
    };
    view! { <div class="keys-groups">{keys::groups().into_iter().map(group).collect_view()}</div> }
}

/// Whether a key did something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

fn act(room: Classroom, key: PageKey) -> Taken {
    // Under an open sheet, such as the list of keys, only the sheet answers keys.
    if has_sheet() {
        return Taken::No;
    }
    match key {
        PageKey::Help => room.keys_open.set(true),
        PageKey::Teacher => stage::toggle(room.page),
        PageKey::Undo => room.page.undo(),
        PageKey::Redo => room.page.redo(),
        PageKey::Lessons if untrack(|| course::is_panel_open(room)) => course::leave(room),
        PageKey::Lessons => course::show_list(room),
        PageKey::NextStep | PageKey::StepBack if untrack(|| course::step_now(room)).is_none() => return Taken::No,
        PageKey::NextStep => go_by(room, 1),
        PageKey::StepBack => go_by(room, -1),
    }
    Taken::Yes
}

/// Moves by some steps in a lesson, once the lessons are loaded.
fn go_by(room: Classroom, by: isize) {
    room.later.with(move |_| {
        if let Some(go_by) = room.go_by.get_value() {
            go_by(room, by);
        }
    });
}

/// Whether a sheet lies over the page.
fn has_sheet() -> bool {
    document().query_selector("dialog[open]").is_ok_and(|sheet| sheet.is_some())
}

/// Whether a lesson is shown to an audience: a presenter's remote then moves through it.
fn is_presented(room: Classroom) -> bool {
    room.page.stage.get_untracked() == Stage::Teacher && room.page.lesson.with_untracked(Option::is_some)
}

/// Whether the focused element answers arrows and page keys itself.
fn has_own_keys(event: &ev::KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA" | "CANVAS"))
}

/// Whether the reader is typing text.
fn is_typing(event: &ev::KeyboardEvent) -> bool {
    const NOT_TYPED: [&str; 5] = ["range", "checkbox", "radio", "button", "file"];
    let Some(target) = event.target() else { return false };
    if let Some(input) = target.dyn_ref::<web_sys::HtmlInputElement>() {
        return !NOT_TYPED.contains(&input.type_().as_str());
    }
    target.dyn_ref::<web_sys::HtmlElement>().is_some_and(|element| {
        matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT") || element.is_content_editable()
    })
}
