//! The view of models: the form, and the figures under it.

use crate::prelude::*;

use super::context::use_models;
use super::figures::ModelFigures;
use super::form_at_hand::use_form;
use super::plan_view::{MapField, MoreFields};
use super::run_view::RunBar;
use super::session::ModelSession;
use super::source_view::SourceFields;
use super::text_view::TextField;
use crate::page::{PlotChoice, use_page};
use crate::strings;

/// Form and figures.
#[component]
pub fn ModelView() -> impl IntoView {
    let page = use_page();
    view! {
        <div class="model-view" data-testid="model-view" hidden=move || page.plot.get() != PlotChoice::Model>
            <ModelForm/>
            <ModelFigures/>
        </div>
    }
}

/// The form. The model and text cannot change while a run is in progress.
#[component]
pub fn ModelForm() -> impl IntoView {
    let models = use_models();
    let session = ModelSession::new(models);
    use_form().hold(session);
    view! {
        <div class="model-session" data-testid="model-session">
            <fieldset disabled=move || models.is_at_work() aria-label=strings::model_form_name()>
                <SourceFields session/>
                <MapField session/>
                <TextField session/>
                <MoreFields session/>
            </fieldset>
            <RunBar session/>
        </div>
    }
}
