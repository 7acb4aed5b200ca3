//! A seed: its number, and a button that draws a new sample with the next seed.

use crate::prelude::*;
use leptos::ev;

use crate::page::use_page;
use crate::state::{MOST_SEED, PageState};
use crate::strings;

use super::problem::ProblemAt;
use super::unavailable::UnavailableControl;

/// A seed and "redraw".
#[component]
pub fn SeedField(
    /// The id of the box; the button has this id and "-redraw".
    id: &'static str,
    /// What "redraw" draws again.
    redraw_hint: &'static str,
    /// Reads the seed.
    get: fn(&PageState) -> u64,
    /// Writes the seed.
    set: fn(&mut PageState, u64),
    /// Why nothing is random now, in a few words. The field is not there then.
    #[prop(optional, into)]
    fixed: Option<Signal<Option<&'static str>>>,
) -> impl IntoView {
    let fixed = fixed.unwrap_or_else(|| Signal::stored(None));
    let page = use_page();
    let value = memo(move |_| page.state.with(get));
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let text = event.target().value();
        match text.trim().parse::<u64>() {
            Ok(seed) if seed <= MOST_SEED => page.edit(id, |state| set(state, seed)),
            _ => page.complain(id, strings::not_a_seed(text.trim(), MOST_SEED)),
        }
    };
    view! {
        <div class="choice seed" hidden=move || fixed.get().is_some()>
            <label for=id title=strings::seed_hint()>{strings::seed()}</label>
            <input
                type="text"
                inputmode="numeric"
                autocomplete="off"
                class="number"
                id=id
                aria-describedby=format!("{id}-problem")
                prop:value=move || value.get().to_string()
                on:change:target=on_change
            />
            <button
                type="button"
                id=format!("{id}-redraw")
                title=redraw_hint
                aria-label=redraw_hint
                on:click=move |_| page.edit(id, |state| set(state, if get(state) < MOST_SEED { get(state) + 1 } else { 0 }))
            >
                {strings::redraw()}
            </button>
        </div>
        <UnavailableControl id label=strings::seed() reason=fixed/>
        <ProblemAt place=id/>
    }
}
