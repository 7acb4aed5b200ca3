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
    let can_open = memo(move |_| shown.map().is_none_or(MapKind::is_attention_alone));
    let words = move || {
        reading.get().map_or_else(
            || strings::model_window_hint().to_owned(),
            |(cell, estimate)| strings::model_readout(shown.map(), &cell, &estimate),
        )
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
        </div>
    }
}

/// Opens the selected window in the explorer.
pub fn open(form: FormAtHand, shown: FigureData) {
    if let Some((session, cell)) = form.session().zip(shown.selected.get_untracked()) {
        session.open_window(cell);
    }
}
