//! The figures of a table: norms over n, layers, heads, sinks.

use leptos::prelude::*;

/// All figures of [`super::Models::table`].
#[component]
pub fn ModelFigures() -> impl IntoView {
    view! { <div class="model-figures" data-testid="model-figures"></div> }
}
