//! The content of the fold: a box for tokens, the choice of weights, and the exports.

use crate::prelude::*;
use leptos::html::Textarea;

use super::answers::Answers;
use super::context::use_own;
use super::export::Export;
use super::file::FileButton;
use super::weights::OwnWeightsForm;
use crate::controls::ProblemAt;
use crate::page::PLACE_OWN;
use crate::strings;
use lipscope_core::experiment::TableSource;

/// The content of the fold.
#[component]
pub fn OwnForm() -> impl IntoView {
    let own = use_own();
    let page = own.page;
    let text = NodeRef::<Textarea>::new();
    let note = page.answers.own_note;
    let apply = move || {
        let pasted = text.get_untracked().map(|area| area.value()).unwrap_or_default();
        own.take_given(TableSource::text(&pasted));
    };
    view! {
        <label for="own-text" class="note">{strings::own_hint()}</label>
        <textarea
            id="own-text"
            node_ref=text
            rows="4"
            spellcheck="false"
            autocomplete="off"
            aria-describedby="own-problem"
            placeholder=strings::OWN_PLACEHOLDER
        ></textarea>
        <div class="own-tools">
            <button type="button" id="own-apply" on:click=move |_| apply()>{strings::apply()}</button>
            <FileButton id="own-file" then=Callback::new(move |(name, bytes)| own.take_file(name, bytes))/>
        </div>
        <ProblemAt place=PLACE_OWN/>
        <Answers place=PLACE_OWN/>
        <p class="note" role="status" data-testid="own-note">{move || note.get()}</p>
        <OwnWeightsForm/>
        <p class="note" data-testid="address-note" hidden=move || page.address.holds.get()>{strings::address_too_short()}</p>
        <Export/>
    }
}
