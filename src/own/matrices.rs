//! Own weights: a box for each matrix of one head, each for a text or a file; and the button that reads a file.

use crate::prelude::*;
use leptos::html::Textarea;

use super::context::use_own;
use crate::files::read;
use crate::page::{PLACE_OWN_WEIGHTS, use_page};
use crate::state::PageState;
use crate::strings;
use leptos::ev;
use lipscope_core::experiment::{TableSource, WeightTables};

/// A box: its typed text, or the last file chosen for it.
#[derive(Clone, Copy)]
struct Given {
    text: NodeRef<Textarea>,
    file: RwSignal<Option<TableSource>>,
}

impl Given {
    fn new() -> Self {
        Given { text: NodeRef::new(), file: RwSignal::new(None) }
    }

    fn source(self) -> TableSource {
        let typed = || self.text.get_untracked().map(|area| area.value()).unwrap_or_default();
        self.file.get_untracked().unwrap_or_else(|| TableSource::text(&typed()))
    }
}

/// The boxes, and the button that uses their matrices.
#[component]
pub fn Matrices() -> impl IntoView {
    let own = use_own();
    let page = own.page;
    let [q, k, v, output] = [(); 4].map(|()| Given::new());
    let apply = move |_| {
        let tables = WeightTables { q: q.source(), k: k.source(), v: v.source(), output: output.source() };
        own.take_weights(tables);
    };
    let d = memo(move |_| page.state.with(PageState::listed_dim));
    view! {
        <p class="note">{move || strings::own_matrices_hint(d.get())}</p>
        <MatrixBox id="own-q" file_id="own-q-file" label=strings::own_q() given=q/>
        <MatrixBox id="own-k" file_id="own-k-file" label=strings::own_k() given=k/>
        <MatrixBox id="own-v" file_id="own-v-file" label=strings::own_v() given=v/>
        <MatrixBox id="own-output" file_id="own-output-file" label=strings::own_output() given=output/>
        <details class="own-form">
            <summary>{strings::own_more_heads()}</summary>
            <p class="note">{strings::own_form_note()}</p>
            <pre tabindex="0">{strings::OWN_FORM_EXAMPLE}</pre>
        </details>
        <div class="own-tools">
            <button type="button" id="own-weights-apply" on:click=apply>{strings::own_weights_use()}</button>
        </div>
    }
}

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

/// A box for a matrix. It shows the name of a chosen file, until the reader types something.
#[component]
fn MatrixBox(
    /// The id of the box.
    id: &'static str,
    /// The id of its button for files.
    file_id: &'static str,
    /// Its name, with the shapes that it accepts.
    label: &'static str,
    /// Its text or file.
    given: Given,
) -> impl IntoView {
    let page = use_page();
    let on_file = move |(name, bytes): (String, Result<Vec<u8>, String>)| match bytes {
        Ok(bytes) => {
            if let Some(area) = given.text.get_untracked() {
                area.set_value("");
            }
            given.file.set(Some(TableSource::file(name, bytes)));
        }
        Err(sentence) => page.complain(PLACE_OWN_WEIGHTS, sentence),
    };
    let placeholder = move || {
        let name = given.file.with(|file| file.as_ref().and_then(|file| file.file.clone()));
        name.unwrap_or_default()
    };
    view! {
        <div class="own-matrix">
            <label for=id>{label}</label>
            <FileButton id=file_id label=strings::own_file_for(label) then=Callback::new(on_file)/>
            <textarea
                id=id
                node_ref=given.text
                rows="2"
                spellcheck="false"
                autocomplete="off"
                aria-describedby="own-weights-problem"
                placeholder=placeholder
                on:input=move |_| given.file.set(None)
            ></textarea>
        </div>
    }
}
