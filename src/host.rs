//! Messages between this page and the page around it. The page around may set the experiment and follow its changes.
//!
//! When it is ready, this page sends `{lipscope: "ready"}` to the window around it, whatever its origin. It sends
//! nothing else unasked. It accepts these messages from that window only:
//!
//! - `{lipscope: "follow"}`: asks for the experiment on screen, now and whenever it changes;
//! - `{lipscope: "show", experiment: TEXT}`: asks to show the experiment of this file, and then acts as `follow`.
//!
//! It answers only the origin that asked, with `{lipscope: "experiment", experiment: TEXT}`, or with
//! `{lipscope: "problem", problem: SENTENCE}` where it cannot show an experiment. A message to a window of an opaque
//! origin could be read by others too, so this page ignores such a window.

use crate::prelude::*;
use js_sys::{Object, Reflect};
use leptos::ev;
use web_sys::{MessageEvent, Window};

use super::frame::{OncePerFrame, When};
use super::page::Page;
use super::strings;
use lipscope_core::experiment::{Experiment, InputError};

/// The key that marks messages of this protocol.
const KEY: &str = "lipscope";

/// Listens to the page around this one, if there is one.
pub fn begin(page: Page) {
    let Some(around) = window_around() else { return };
    let origin = RwSignal::new(None::<String>);
    let sent = StoredValue::new(String::new());
    let emit = OncePerFrame::new(When::After, {
        let around = around.clone();
        move || {
            let Some(origin) = origin.get_untracked() else { return };
            let text = page.shown_state().experiment().to_json();
            if sent.with_value(|sent| *sent != text) {
                send(&around, &origin, ("experiment", &text));
                sent.set_value(text);
            }
        }
    });
    // Sends the experiment when its numbers arrive. An experiment that cannot be measured is not sent.
    effect(move |_| {
        let is_measured = page.answers.measured.with(Option::is_some);
        if origin.get().is_some() && is_measured {
            emit.ask();
        }
    });
    let received = window_event_listener(ev::message, {
        let around = around.clone();
        move |event| {
            let Some(message) = asked(&event, &around) else { return };
            let before = page.shown_state().experiment().to_json();
            let outcome = message.show.map_or(Ok(()), |text| show(page, &text));
            // While the requested experiment is being measured, the earlier one counts as sent, so that it is not sent
            // as the answer.
            let is_other = page.state.get_untracked().experiment().to_json() != before;
            sent.set_value(if is_other { before } else { String::new() });
            if let Err(problem) = outcome {
                send(&around, &event.origin(), ("problem", &strings::problem_text(&problem)));
            }
            origin.set(Some(event.origin()));
        }
    });
    on_cleanup(move || received.remove());
    send(&around, "*", ("ready", ""));
}

/// What the page around this one asks for.
struct HostRequest {
    /// The file of the experiment to show.
    show: Option<String>,
}

/// Whether this page is inside another one, in a frame.
pub fn is_inside_another_page() -> bool {
    window_around().is_some()
}

/// The window around this one.
fn window_around() -> Option<Window> {
    let own = window();
    // The parent of a top-level window is the window itself.
    own.parent().ok().flatten().filter(|parent| !Object::is(parent, &own))
}

/// The request of a message, if it follows this protocol and comes from the window around.
fn asked(event: &MessageEvent, around: &Window) -> Option<HostRequest> {
    let is_from_around = event.source().is_some_and(|source| Object::is(&source, around));
    let origin = event.origin();
    if !is_from_around || origin.is_empty() || origin == "null" {
        return None;
    }
    let field = |key: &str| Reflect::get(&event.data(), &key.into()).ok()?.as_string();
    match field(KEY)?.as_str() {
        "follow" => Some(HostRequest { show: None }),
        "show" => Some(HostRequest { show: Some(field("experiment")?) }),
        _ => None,
    }
}

/// Shows the experiment of a file, or says why not.
fn show(page: Page, text: &str) -> Result<(), InputError> {
    let experiment = Experiment::from_json(text)?;
    page.state.get_untracked().with_experiment(experiment.clone())?;
    // The page itself says when an experiment is too large to measure.
    page.take_experiment(experiment);
    Ok(())
}

/// Posts a message of a kind, with its text.
fn send(to: &Window, origin: &str, (kind, text): (&str, &str)) {
    let message = Object::new();
    let set = |key: &str, value: &str| {
        // A plain object accepts every key.
        let _ = Reflect::set(&message, &key.into(), &value.into());
    };
    set(KEY, kind);
    if !text.is_empty() {
        set(kind, text);
    }
    // A window that has closed in the meantime receives nothing.
    let _ = to.post_message(&message, origin);
}
