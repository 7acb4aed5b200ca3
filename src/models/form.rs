//! The form: which model, which text, what to measure, and the run.

use crate::prelude::*;

use super::context::use_models;
use super::desk::Desk;
use super::form_at_hand::use_form;
use super::plan_view::{MapField, MoreFields};
use super::run_view::RunBar;
use super::source_view::SourceFields;
use super::text_view::TextField;
use crate::strings;

/// The form. While windows are measured, what they are of stays as it is.
#[component]
pub fn ModelDesk() -> impl IntoView {
    let models = use_models();
    let desk = Desk::new(models);
    use_form().hold(desk);
    view! {
        <div class="model-desk" data-testid="model-desk">
            <fieldset disabled=move || models.is_at_work() aria-label=strings::model_form_name()>
                <SourceFields desk/>
                <MapField desk/>
                <TextField desk/>
                <MoreFields desk/>
            </fieldset>
            <RunBar desk/>
        </div>
    }
}
