//! The view of training: the form, and the figures under it.

use crate::prelude::*;
use web_sys::DataTransfer;

use super::backwards::BackwardsFigure;
use super::constants::ConstantsFigure;
use super::files::FileButtons;
use super::form::TrainForms;
use super::loss::LossFigure;
use super::run_view::RunBar;
use super::sample::{RunChoice, SampleFigure};
use super::session::TrainingSession;
use crate::charts::NextTask;
use crate::drops::use_drops;
use crate::page::{PlotChoice, use_page};
use crate::strings;

/// Form and figures.
#[component]
pub fn TrainView() -> impl IntoView {
    let page = use_page();
    let session = TrainingSession::new(page);
    use_drops().taken_by(PlotChoice::Train, move |data: &DataTransfer| session.take_dropped(data));
    let has_runs = memo(move |_| session.runs.with(|runs| !runs.is_empty()));
    view! {
        <div class="model-view train-view" data-testid="train-view" hidden=move || page.plot.get() != PlotChoice::Train>
            <div class="model-session">
                <TrainForms session/>
                <RunBar session/>
            </div>
            {move || {
                if has_runs.get() {
                    view! { <NextTask><Figures session/></NextTask> }.into_any()
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
    session: TrainingSession,
) -> impl IntoView {
    view! {
        <div class="model-figures train-figures">
            <RunChoice session/>
            <LossFigure session/>
            <NextTask>
                <ConstantsFigure session/>
                <NextTask>
                    <SampleFigure session/>
                    <BackwardsFigure session/>
                    <FileButtons session/>
                </NextTask>
            </NextTask>
        </div>
    }
}
