//! A button that reads a file.

use crate::prelude::*;
use leptos::ev;

use crate::files::read;
use crate::strings;

/// A button for a file of numbers; hands over its name and bytes, or a sentence.
#[component]
pub fn FileButton(
    /// The id of the input.
    id: &'static str,
    /// What the file is for, where the page has several such buttons.
    #[prop(optional)]
    label: Option<String>,
    /// Called when it is read.
    then: Callback<(String, Result<Vec<u8>, String>)>,
) -> impl IntoView {
    let on_file = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            read(file, move |name, bytes| then.run((name, bytes)));
        }
        // The same file may be chosen again after it was mended.
        input.set_value("");
    };
    view! {
        <label class="file">
            <input type="file" id=id aria-label=label accept=".csv,.tsv,.txt,.json,.npy" on:change:target=on_file/>
            <span>{strings::choose_file()}</span>
        </label>
    }
}
