//! The selected window in one line, and the way into the explorer.

use crate::prelude::*;

use crate::page::{Page, use_page};
use crate::strings;
use lipscope_models::MapKind;

use super::shown::Shown;

/// The line under a scatter of windows.
#[component]
pub fn WindowReadout(
    /// What is selected.
    shown: Shown,
    /// The id of the line.
    id: &'static str,
) -> impl IntoView {
    let page = use_page();
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
                on:click=move |_| open(page, shown)
            >
                {strings::model_open_window()}
            </button>
        </div>
    }
}

/// Opens the selected window.
pub fn open(page: Page, shown: Shown) {
    if let Some(cell) = shown.selected.get_untracked() {
        page.models.open_window(cell);
    }
}
