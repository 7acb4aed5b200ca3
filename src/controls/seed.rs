//! A seed: its number, and a button that draws a new sample with the next seed.

use crate::prelude::*;
use leptos::ev;

use crate::field::Field;
use crate::page::use_page;
use crate::state::PageState;
use crate::strings;

use super::beside::{ProblemAt, UnavailableControl};

/// A seed and "redraw".
#[component]
pub fn SeedField(
    /// Which seed. The id of the button is the id of the box followed by `-redraw`.
    field: &'static Field<PageState>,
    /// What "redraw" draws again.
    redraw_hint: &'static str,
    /// Why nothing is random now, in a few words. While there is a reason, the field is hidden.
    #[prop(optional, into)]
    fixed: Option<Signal<Option<&'static str>>>,
) -> impl IntoView {
    let fixed = fixed.unwrap_or_else(|| Signal::stored(None));
    let page = use_page();
    let (id, most) = (field.id, field.range.1);
    let value = memo(move |_| page.state.with(|state| field.used(state)));
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let text = event.target().value();
        match page.state.with_untracked(|state| field.accept(&text, state)) {
            Ok(seed) => page.edit(id, |state| field.choose(state, seed)),
            Err(_) => page.complain(id, strings::not_a_seed(text.trim(), most as u64)),
        }
    };
    let redraw = move |state: &mut PageState| {
        let seed = field.used(state);
        field.choose(state, if seed < most { seed + 1.0 } else { 0.0 });
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
                on:click=move |_| page.edit(id, redraw)
            >
                {strings::redraw()}
            </button>
        </div>
        <UnavailableControl id label=strings::seed() reason=fixed/>
        <ProblemAt place=id/>
    }
}
