//! Texts in a form: a box with its name, and a longer text that is typed, pasted, or from a file.

use std::sync::Arc;

use crate::prelude::*;
use leptos::ev;
use web_sys::{File, HtmlInputElement, HtmlTextAreaElement};

use crate::strings;

/// A text that the reader has taken from a file. It may be too long for a box.
#[derive(Clone, Debug, PartialEq)]
pub struct TextFile {
    /// The name of the file.
    pub name: String,
    /// The contents of the file.
    pub text: Arc<str>,
}

/// The fold of a text with its form.
#[component]
pub fn TextSource(
    /// The id of the form.
    id: &'static str,
    /// The id of the choice of a file.
    file_id: &'static str,
    /// The text in the form.
    text: RwSignal<String>,
    /// A file whose text is used in place of the text in the form.
    file: RwSignal<Option<TextFile>>,
    /// Called with the file that the reader chooses.
    on_file: Callback<File>,
    /// The summary of the text beside the name of the fold.
    summary: AnyView,
    /// A note above the form.
    #[prop(optional)]
    note: Option<&'static str>,
    /// More buttons, beside the choice of a file.
    #[prop(optional)]
    more: Option<AnyView>,
) -> impl IntoView {
    let has_file = move || file.with(Option::is_some);
    let on_pick = move |event: ev::Targeted<ev::Event, HtmlInputElement>| {
        let input = event.target();
        if let Some(picked) = input.files().and_then(|files| files.get(0)) {
            on_file.run(picked);
        }
        input.set_value("");
    };
    let on_input = move |event: ev::Targeted<ev::Event, HtmlTextAreaElement>| text.set(event.target().value());
    view! {
        <details class="model-text">
            <summary>{strings::model_text()} " " {summary}</summary>
            {note.map(|note| view! { <p class="note">{note}</p> })}
            <textarea
                id=id
                rows="6"
                spellcheck="false"
                autocomplete="off"
                aria-label=strings::model_text()
                hidden=has_file
                prop:value=move || text.get()
                on:input:target=on_input
            ></textarea>
            <div class="own-tools">
                <label class="file">
                    <input type="file" id=file_id accept=".txt,.md,text/plain" on:change:target=on_pick/>
                    <span>{strings::model_choose_text()}</span>
                </label>
                <span class="note">
                    {move || file.with(|file| file.as_ref().map(|file| strings::model_text_file(&file.name, file.text.len())))}
                </span>
                <button type="button" hidden=move || !has_file() on:click=move |_| file.set(None)>{strings::model_own_text()}</button>
                {more}
            </div>
        </details>
    }
}

/// A box with its name. The form around it holds the text, and checks the text when it uses it.
#[component]
pub fn InputBox(
    /// The id of the box.
    id: &'static str,
    /// The label of the box.
    label: &'static str,
    /// Explains the box, on hover.
    #[prop(optional)]
    hint: &'static str,
    /// How wide it is, in characters.
    width: &'static str,
    /// The text in the box.
    #[prop(into)]
    value: Signal<String>,
    /// Called with the text that the reader types.
    #[prop(into)]
    set: Callback<String>,
) -> impl IntoView {
    let on_input = move |event: ev::Targeted<ev::Event, HtmlInputElement>| set.run(event.target().value());
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
