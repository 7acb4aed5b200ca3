//! The keys of the whole page, and the list of all keys.

use crate::prelude::*;
use leptos::ev;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use crate::dialog::{DialogBox, DialogButton};
use crate::keys::{self, Group, Held, PageKey};
use crate::later::Piece;
use crate::panels::ProjectorKey;
use crate::stage;
use crate::state::Stage;
use crate::strings;
use crate::theory::DOCUMENTS;

use super::context::{Classroom, use_classroom};
use super::course;

/// Listens for the keys of the whole page.
pub fn begin(room: Classroom) {
    let listener = window_event_listener(ev::keydown, move |event| {
        let held = held(&event);
        // With Caps Lock a key is a capital without Shift. The page's keys are ASCII: tables of all other capitals
        // would add 10 KB to the first module.
        let name = match held {
            Held::Control if event.shift_key() => event.key().to_ascii_uppercase(),
            Held::Control => event.key().to_ascii_lowercase(),
            _ => event.key(),
        };
        let key = PageKey::of(&name, held)
            .or_else(|| PageKey::of_arrow(&event.key(), held).filter(|_| is_presented(room) && !has_own_keys(&event)))
            .filter(|_| !event.default_prevented() && !is_typing(&event));
        let has_left = || event.key() == "Escape" && !event.default_prevented() && stage::leave(room.panels);
        if key.is_some_and(|key| act(room, key) == Taken::Yes) || has_left() {
            // Alt with an arrow would leave the page.
            event.prevent_default();
        }
    });
    on_cleanup(move || listener.remove());
    begin_remote(room);
}

/// Listens for the page keys of a presenter's remote before any control hears them: a slider, a list or a plot that has
/// the focus would act on them, and the lecturer at the other end of the hall could not go on.
fn begin_remote(room: Classroom) {
    let on_key = Closure::<dyn FnMut(ev::KeyboardEvent)>::new(move |event: ev::KeyboardEvent| {
        let key =
            PageKey::of_remote(&event.key(), held(&event)).filter(|_| is_presented(room) && !is_in_long_text(&event));
        // Under an open sheet the key scrolls the sheet.
        let Some(key) = key.filter(|_| !has_sheet()) else { return };
        // At either end the key does nothing: one press too many must not close the lesson.
        if has_step(room, key) {
            act(room, key);
        }
        event.prevent_default();
        event.stop_propagation();
    });
    let callback: js_sys::Function = on_key.as_ref().unchecked_ref::<js_sys::Function>().clone();
    if window().add_event_listener_with_callback_and_bool("keydown", &callback, true).is_err() {
        return;
    }
    let kept = StoredValue::new_local(on_key);
    on_cleanup(move || {
        // The page ends: no key is heard any more.
        let _ = window().remove_event_listener_with_callback_and_bool("keydown", &callback, true);
        kept.dispose();
    });
}

/// The modifiers of an event.
fn held(event: &ev::KeyboardEvent) -> Held {
    match (event.alt_key(), event.ctrl_key() || event.meta_key()) {
        (false, false) => Held::Nothing,
        (true, false) => Held::Alt,
        (false, true) => Held::Control,
        (true, true) => Held::Other,
    }
}

/// The button that opens the list of keys.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let room = use_classroom();
    let heading = strings::keys_label();
    view! { <DialogButton id="keys" words="?" heading hint=heading is_open=room.keys_open piece=Piece::KeyList/> }
}

/// The dialog with the way to the documents, and all keys by what they are for.
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
    view! {
        <DialogBox id="keys" heading=strings::keys_label() is_open=use_classroom().keys_open>
            <p>
                <a class="documents" href=DOCUMENTS hreflang="en" target="_blank" rel="noopener">{strings::documents()}</a>
                {strings::between_sentences()} {strings::documents_about()}
            </p>
            <div class="keys-groups">{keys::groups().into_iter().map(group).collect_view()}</div>
        </DialogBox>
    }
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
    // Any other key of the page shows the page again.
    if !matches!(key, PageKey::Blank | PageKey::Freeze) {
        set_if_new(room.panels.blank, false);
    }
    match key {
        PageKey::Help => room.keys_open.set(true),
        PageKey::Alone if room.page.stage.get_untracked() == Stage::Embed => return Taken::No,
        PageKey::Alone => stage::toggle_alone(room.panels),
        PageKey::Projector | PageKey::Freeze if room.page.stage.get_untracked() == Stage::Embed => return Taken::No,
        PageKey::Projector => ask(room, ProjectorKey::Open),
        PageKey::Blank if room.panels.has_projector.get_untracked() => ask(room, ProjectorKey::Blank),
        PageKey::Freeze if room.panels.has_projector.get_untracked() => ask(room, ProjectorKey::Freeze),
        // Some remotes send a point to make the screen black.
        PageKey::Blank | PageKey::Freeze if stage::is_projected(room.page, room.panels) => {
            room.panels.blank.update(|blank| *blank = !*blank);
        }
        PageKey::Blank => return Taken::No,
        PageKey::Freeze => ask(room, ProjectorKey::Freeze),
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

/// Hands a key about the projector's window to the later part.
fn ask(room: Classroom, key: ProjectorKey) {
    room.later.with(move |_| room.panels.projector_key.set(Some(key)));
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

/// Whether the lesson has the step to which the key would move.
fn has_step(room: Classroom, key: PageKey) -> bool {
    untrack(|| course::step_now(room)).is_some_and(|(lesson, step, _)| match key {
        PageKey::NextStep => step + 1 < lesson.steps.len(),
        _ => step > 0,
    })
}

/// Whether the focus is in a text of several lines, in which page keys move the caret. In the box of a number they do
/// nothing.
fn is_in_long_text(event: &ev::KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok());
    target.is_some_and(|element| element.tag_name() == "TEXTAREA" || element.is_content_editable())
}

/// Whether the focused element answers arrows itself.
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
