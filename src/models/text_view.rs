//! The text whose windows are measured.

use crate::prelude::*;

use super::desk::Desk;
use super::taking::take_text_file;
use crate::controls::TextSource;
use crate::strings;

/// The text with the number of its tokens.
#[component]
pub fn TextField(
    /// The form.
    desk: Desk,
) -> impl IntoView {
    let count = move || desk.facts.with(|facts| facts.as_ref().map(|facts| facts.ids.len()));
    let summary = view! {
        <span class="note" role="status" data-testid="model-tokens" data-value=move || count().unwrap_or(0)>
            {move || count().map_or_else(|| strings::model_counting().to_owned(), strings::model_tokens)}
        </span>
    };
    view! {
        <TextSource
            id="model-text"
            file_id="model-text-file"
            text=desk.text
            file=desk.text_file
            on_file=Callback::new(move |file| take_text_file(desk, file))
            summary=summary.into_any()
        />
    }
}
