//! The selected window in one line, and a link into the explorer.

use crate::prelude::*;

use crate::models::form_at_hand::{FormAtHand, use_form};
use crate::strings;
use lipscope_models::MapKind;

use super::figure_data::FigureData;

/// The line under a scatter of windows.
#[component]
pub fn WindowReadout(
    /// The table and the selected window.
    shown: FigureData,
    /// The id of the line.
    id: &'static str,
) -> impl IntoView {
    let form = use_form();
    let reading = memo(move |_| shown.reading());
    let config = shown.config(form);
    let has_more = memo(move |_| config.with(|config| config.is_some_and(|config| !config.has_plain_attention())));
    let is_attention = memo(move |_| shown.map().is_none_or(MapKind::is_attention_alone));
    // For a map with more than attention the reason stands once, above all figures.
    let has_reason = move || is_attention.get() && has_more.get();
    let can_open = memo(move |_| is_attention.get() && !has_more.get());
    let hint = move || if can_open.get() { strings::model_window_hint() } else { strings::model_length_hint() };
    let words = move || {
        reading
            .get()
            .map_or_else(|| hint().to_owned(), |(cell, estimate)| strings::model_readout(shown.map(), &cell, &estimate))
    };
    view! {
        <div class="model-readout">
            <p class="readout" id=id data-testid=id aria-live="polite">{words}</p>
            <button
                type="button"
                data-testid=format!("{id}-open")
                title=strings::model_open_hint()
                hidden=move || !can_open.get()
                disabled=move || reading.with(Option::is_none)
                on:click=move |_| open(form, shown)
            >
                {strings::model_open_window()}
            </button>
            <p class="note" data-testid=format!("{id}-closed") hidden=move || !has_reason()>{strings::model_window_closed()}</p>
        </div>
    }
}

/// Opens the selected window in the explorer.
pub fn open(form: FormAtHand, shown: FigureData) {
    if let Some((session, cell)) = form.session().zip(shown.selected.get_untracked()) {
        session.open_window(cell);
    }
}
