//! The button that pins the state on screen, and the list of pins: each with what differs from the state on screen, its
//! number, the way back to it, and a button that removes it.

use crate::prelude::*;

use lipscope_plot::Number;

use crate::frame::focus_soon;
use crate::page::{Page, use_page};
use crate::strings;

use super::pins::{MOST_PINS, Pin, use_pins};

/// The button and the list.
#[component]
pub fn PinList() -> impl IntoView {
    let (page, pins) = (use_page(), use_pins());
    let is_waiting = memo(move |_| !page.is_measured());
    let pin = move |_| {
        if pins.pin(page) {
            page.answers.announcement.set(strings::pinned(pins.all.with_untracked(Vec::len)));
        }
    };
    let has = move |at: usize| pins.all.with(|all| all.len() > at);
    view! {
        <div class="pins">
            <button type="button" id="pin-state" title=strings::pin_hint() disabled=move || is_waiting.get() || !pins.has_room() on:click=pin>
                {strings::pin_state()}
            </button>
            <ol aria-label=strings::pins() data-testid="pins" hidden=move || !has(0)>
                {(0..MOST_PINS).map(|at| view! { <li hidden=move || !has(at)><PinLine at/></li> }).collect_view()}
            </ol>
        </div>
    }
}

/// A pin.
#[component]
fn PinLine(
    /// Which one, from zero.
    at: usize,
) -> impl IntoView {
    let (page, pins) = (use_page(), use_pins());
    let words = memo(move |_| pins.all.with(|all| all.get(at).map(|pin| words_of(page, pin))));
    let value = move || pins.all.with(|all| all.get(at).map_or_else(String::new, |pin| pin.norm.0.to_string()));
    let go_back = move |_| {
        if let Some(pin) = pins.all.with_untracked(|all| all.get(at).cloned()) {
            page.put("preset", Ok(pin.state));
        }
    };
    let remove = move |_| {
        pins.remove(at);
        focus_soon(|| document().get_element_by_id("pin-state"));
    };
    view! {
        <button type="button" title=strings::pin_back() data-testid=format!("pin-{}", at + 1) data-value=value on:click=go_back>
            {(at + 1).to_string()} ": " {move || words.get()}
        </button>
        <button type="button" class="pin-remove" aria-label=strings::pin_remove(at + 1) on:click=remove>"×"</button>
    }
}

fn words_of(page: Page, pin: &Pin) -> String {
    let (value, kind) = pin.norm;
    let differences = page.state.with(|now| strings::differences(&pin.state, now));
    strings::pin_line { differences: &differences, sign: kind.sign(), value: Number::digits(value, kind) }.text()
}
