//! A button that reads a file.

use crate::prelude::*;
use leptos::ev;

use crate::files::read;
use crate::strings;

/// A button for a file of numbers. It passes on the file's name and bytes, or a sentence.
#[component]
pub fn FileButton(
    /// The id of the input.
    id: &'static str,
    /// The purpose of the file, where the page has several such buttons.
    #[prop(optional)]
    label: Option<String>,
    /// Called when the file is read.
    then: Callback<(String, Result<Vec<u8>, String>)>,
) -> impl IntoView {
    let on_file = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let input = event.target();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            read(file, move |name, bytes| then.run((name, bytes)));
        }
        // The reader may mend the same file and choose it again.
        input.set_value("");
    };
    view! {
        <label class="file">
            <input type="file" id=id aria-label=label accept=".csv,.tsv,.txt,.json,.npy" on:change:target=on_file/>
            <span>{strings::choose_file()}</span>
        </label>
    }
}
