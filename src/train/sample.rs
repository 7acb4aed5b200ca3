//! The text that the chosen model draws, as it learns.

use crate::prelude::*;

use super::session::TrainingSession;
use crate::answers::TrainRun;
use crate::strings;

/// The text, and the step after which the model drew it.
#[component]
pub fn SampleFigure(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let about = move || {
        session.with_chosen(|run| run.last().map(|last| strings::train_sample_at(run.plan.kind, last.step))).flatten()
    };
    let text = memo(move |_| session.with_chosen(|run| run.last().map(|last| last.sample.clone())).flatten());
    view! {
        <section class="model-figure" aria-labelledby="train-sample-heading">
            <h3 id="train-sample-heading">{strings::train_sample_heading()} <small>{about}</small></h3>
            <pre class="train-sample" tabindex="0" role="group" aria-labelledby="train-sample-heading" data-testid="train-sample">{move || text.get()}</pre>
        </section>
    }
}

/// The choice of the run whose details are shown.
#[component]
pub fn RunChoice(
    /// The form of training, with its runs.
    session: TrainingSession,
) -> impl IntoView {
    let options = memo(move |_| {
        let option = |run: &TrainRun| (run.number, run.plan.kind);
        session.runs.with(|runs| runs.iter().map(option).collect::<Vec<_>>())
    });
    let buttons = move || {
        let button = |(number, kind): (u64, lipscope_protocol::train::Kind)| {
            view! {
                <button
                    type="button"
                    id=format!("train-show-{}", kind.id())
                    aria-pressed=move || (session.chosen.get() == Some(number)).to_string()
                    on:click=move |_| session.chosen.set(Some(number))
                >
                    {strings::train_kind(kind)}
                </button>
            }
        };
        options.get().into_iter().map(button).collect_view()
    };
    view! {
        <div class="quick-switch train-choice">
            <span class="quick-label" aria-hidden="true">{strings::train_shown()}</span>
            <div class="switch" role="group" aria-label=strings::train_shown()>{buttons}</div>
        </div>
    }
}
