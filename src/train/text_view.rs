//! The text to learn: the one that comes with the page, typed, pasted, dropped, or from a file.

use crate::prelude::*;

use super::session::{TrainingSession, USUAL_TEXT};
use crate::controls::TextSource;
use crate::strings;

/// The text with the number of its characters.
#[component]
pub fn TextField(
    /// The form.
    session: TrainingSession,
) -> impl IntoView {
    let has_file = move || session.text_file.with(Option::is_some);
    let is_usual = move || !has_file() && session.text.with(|text| text == USUAL_TEXT);
    let characters = move || {
        let file = session.text_file.with(|file| file.as_ref().map(|file| file.text.chars().count()));
        strings::train_characters(file.unwrap_or_else(|| session.text.with(|text| text.chars().count())))
    };
    let summary = view! {
        <span class="note" role="status" data-testid="train-characters">
            {move || if is_usual() { strings::train_usual_text() } else { "" }} {strings::between_sentences()} {characters}
        </span>
    };
    let usual = view! {
        <button type="button" hidden=move || is_usual() || has_file() on:click=move |_| session.text.set(USUAL_TEXT.to_owned())>{strings::train_use_usual_text()}</button>
    };
    view! {
        <TextSource
            id="train-text"
            file_id="train-text-file"
            text=session.text
            file=session.text_file
            on_file=Callback::new(move |file| session.take_file(file))
            summary=summary.into_any()
            note=strings::train_text_note()
            more=usual.into_any()
        />
    }
}
