//! The view of training: the form, and the figures under it.

use crate::prelude::*;

use super::backwards::BackwardsFigure;
use super::constants::ConstantsFigure;
use super::desk::Desk;
use super::files::FileButtons;
use super::form::TrainForms;
use super::form_at_hand::use_form;
use super::loss::LossFigure;
use super::run_view::RunBar;
use super::sample::{RunChoice, SampleFigure};
use crate::charts::Soon;
use crate::page::{PlotChoice, use_page};
use crate::strings;

/// Form and figures.
#[component]
pub fn TrainView() -> impl IntoView {
    let page = use_page();
    let desk = Desk::new(page);
    use_form().hold(desk);
    let has_runs = memo(move |_| desk.runs.with(|runs| !runs.is_empty()));
    view! {
        <div class="model-view train-view" data-testid="train-view" hidden=move || page.plot.get() != PlotChoice::Train>
            <div class="model-desk">
                <TrainForms desk/>
                <RunBar desk/>
            </div>
            {move || {
                if has_runs.get() {
                    view! { <Soon><Figures desk/></Soon> }.into_any()
                } else {
                    view! { <p class="note" data-testid="train-empty">{strings::train_empty()}</p> }.into_any()
                }
            }}
        </div>
    }
}

#[component]
fn Figures(
    /// The runs.
    desk: Desk,
) -> impl IntoView {
    view! {
        <div class="model-figures train-figures">
            <RunChoice desk/>
            <LossFigure desk/>
            <Soon>
                <ConstantsFigure desk/>
                <Soon>
                    <SampleFigure desk/>
                    <BackwardsFigure desk/>
                    <FileButtons desk/>
                </Soon>
            </Soon>
        </div>
    }
}
