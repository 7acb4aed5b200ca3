//! The form: which model, which text, what to measure.

use leptos::prelude::*;

/// The form.
#[component]
pub fn ModelDesk() -> impl IntoView {
    view! { <div class="model-desk" data-testid="model-desk"></div> }
}
