//! The view of models: the form, and the figures under it.

use crate::prelude::*;

use super::figures::ModelFigures;
use super::form::ModelDesk;
use crate::page::{PlotChoice, use_page};

/// Form and figures.
#[component]
pub fn ModelView() -> impl IntoView {
    let page = use_page();
    view! {
        <div class="model-view" data-testid="model-view" hidden=move || page.plot.get() != PlotChoice::Model>
            <ModelDesk/>
            <ModelFigures/>
        </div>
    }
}
