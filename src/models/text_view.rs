//! The text: typed, pasted, or from a file.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::desk::Desk;
use super::folder::take_text_file;
use crate::strings;

/// The text with the number of its tokens.
#[component]
pub fn TextField(
    /// The form.
    desk: Desk,
) -> impl IntoView {
    let has_file = move || desk.text_file.with(Option::is_some);
    let on_file = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            take_text_file(desk, file);
        }
        input.set_value("");
    };
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlTextAreaElement>| {
        desk.text.set(event.target().value());
    };
    view! {
        <details class="model-text">
            <summary>
                {strings::model_text()} " "
                <span class="note" role="status" data-testid="model-tokens" data-value=move || desk.facts.with(|facts| facts.as_ref().map_or(0, |facts| facts.ids.len()))>
                    {move || desk.facts.with(|facts| facts.as_ref().map_or_else(|| strings::model_counting().to_owned(), |facts| strings::model_tokens(facts.ids.len())))}
                </span>
            </summary>
            <textarea
                id="model-text"
                rows="6"
                spellcheck="false"
                autocomplete="off"
                aria-label=strings::model_text()
                hidden=has_file
                prop:value=move || desk.text.get()
                on:input:target=on_input
            ></textarea>
            <div class="own-tools">
                <label class="file">
                    <input type="file" id="model-text-file" accept=".txt,.md,text/plain" on:change:target=on_file/>
                    <span>{strings::model_choose_text()}</span>
                </label>
                <span class="note">
                    {move || desk.text_file.with(|file| file.as_ref().map(|file| strings::model_text_file(&file.name, file.text.len())))}
                </span>
                <button type="button" hidden=move || !has_file() on:click=move |_| desk.text_file.set(None)>{strings::model_own_text()}</button>
            </div>
        </details>
    }
}
