//! A labelled box of a form.

use crate::prelude::*;
use leptos::ev;

/// A box with its name. The form holds its text, and checks it when it is used.
#[component]
pub fn InputBox(
    /// The id of the box.
    id: &'static str,
    /// Its name.
    label: &'static str,
    /// Explains the box, on hover.
    #[prop(optional)]
    hint: &'static str,
    /// How wide it is, in characters.
    width: &'static str,
    /// What it holds.
    #[prop(into)]
    value: Signal<String>,
    /// Takes what is typed.
    #[prop(into)]
    set: Callback<String>,
) -> impl IntoView {
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| set.run(event.target().value());
    view! {
        <div class="model-field" title=hint>
            <label for=id>{label}</label>
            <input
                type="text"
                class="number"
                id=id
                size=width
                autocomplete="off"
                spellcheck="false"
                prop:value=move || value.get()
                on:input:target=on_input
            />
        </div>
    }
}
