//! The text: the one that comes with the page, typed, pasted, dropped, or from a file.

use leptos::ev;
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::desk::{Desk, USUAL_TEXT};
use crate::strings;

/// The text with the number of its characters.
#[component]
pub fn TextField(
    /// The form.
    desk: Desk,
) -> impl IntoView {
    let has_file = move || desk.text_file.with(Option::is_some);
    let is_usual = move || !has_file() && desk.text.with(|text| text == USUAL_TEXT);
    let characters = move || {
        let file = desk.text_file.with(|file| file.as_ref().map(|file| file.text.chars().count()));
        strings::train_characters(file.unwrap_or_else(|| desk.text.with(|text| text.chars().count())))
    };
    let on_file = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            desk.take_file(file);
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
                <span class="note" role="status" data-testid="train-characters">
                    {move || if is_usual() { strings::train_usual_text() } else { "" }} " " {characters}
                </span>
            </summary>
            <p class="note">{strings::train_text_note()}</p>
            <textarea
                id="train-text"
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
                    <input type="file" id="train-text-file" accept=".txt,.md,text/plain" on:change:target=on_file/>
                    <span>{strings::model_choose_text()}</span>
                </label>
                <span class="note">
                    {move || desk.text_file.with(|file| file.as_ref().map(|file| strings::model_text_file(&file.name, file.text.len())))}
                </span>
                <button type="button" hidden=move || !has_file() on:click=move |_| desk.text_file.set(None)>{strings::model_own_text()}</button>
                <button type="button" hidden=move || is_usual() || has_file() on:click=move |_| desk.text.set(USUAL_TEXT.to_owned())>{strings::train_use_usual_text()}</button>
            </div>
        </details>
    }
}
