//! Small transformers that are trained in the browser: the choice of models and text, measurements during training, and
//! running a trained model backwards.
//!
//! | module | concept |
//! | --- | --- |
//! | `form`, `run_view` | the form's parts |
//! | `settings` | the values of its fields |
//! | `session`, `training` | its work: the worker, the turns of the runs, pausing and continuing |
//! | `keep`, `keeping` | the runs that the browser keeps between visits |
//! | `figure`, `loss`, `constants`, `sample`, `backwards` | the figures |
//! | `files` | what can be exported of a run |

mod backwards;
mod constants;
mod figure;
mod files;
mod form;
mod keep;
mod keeping;
mod loss;
mod run_view;
mod sample;
mod session;
mod settings;
mod training;

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::files::use_drops;
use crate::frame::NextTask;
use crate::page::{PlotChoice, use_page};
use crate::strings;
use backwards::BackwardsFigure;
use constants::ConstantsFigure;
use files::FileButtons;
use form::TrainForms;
use loss::LossFigure;
use run_view::RunBar;
use sample::{RunChoice, SampleFigure};
use session::TrainingSession;

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
                    view! { <p class="note" data-testid="train-empty">{move || session.form.with(|form| strings::train_empty(form.kinds.len()))}</p> }.into_any()
                }
            }}
        </div>
    }
}

#[component]
fn Figures(
    /// The form of training, with its runs.
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
