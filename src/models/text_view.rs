//! The text whose windows are measured.

use crate::prelude::*;

use super::session::ModelSession;
use super::taking::take_text_file;
use crate::controls::TextSource;
use crate::strings;

/// The text with the number of its tokens.
#[component]
pub fn TextField(
    /// The form.
    session: ModelSession,
) -> impl IntoView {
    let count = move || session.facts.with(|facts| facts.as_ref().map(|facts| facts.ids.len()));
    let summary = view! {
        <span class="note" role="status" data-testid="model-tokens" data-value=move || count().unwrap_or(0)>
            {move || count().map_or_else(|| strings::model_counting().to_owned(), strings::model_tokens)}
        </span>
    };
    view! {
        <TextSource
            id="model-text"
            file_id="model-text-file"
            text=session.text
            file=session.text_file
            on_file=Callback::new(move |file| take_text_file(session, file))
            summary=summary.into_any()
        />
    }
}
