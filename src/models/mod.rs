//! Attention inside transformers: which model and text, the workers that measure, the table that grows.
//!
//! | module | concept |
//! | --- | --- |
//! | `source_view`, `plan_view`, `run_view` | the form's parts, besides the text |
//! | `settings`, `address` | the values of its fields, and how the page's address holds them |
//! | `context` | the tables, and the state of the run |
//! | `form_at_hand` | the form, once its view was opened |
//! | `session`, `running`, `tables` | the form's work: opening a model, a window of text as the reader's own experiment; running and pausing; tables in and out |
//! | `folder`, `taking`, `fetching` | a model's files: chosen or dropped, at an address, or trained on this page |
//! | `figures` | the figures of the table |
//! | `figure_files` | the table of a figure, and what can be exported from it |
//! | `monitored` | the log of a training run that was monitored elsewhere |

mod address;
mod context;
mod fetching;
mod figure_files;
mod figures;
mod folder;
mod form_at_hand;
mod monitored;
mod plan_view;
mod run_view;
mod running;
mod session;
mod settings;
mod share;
mod source_view;
mod tables;
mod taking;

use crate::prelude::*;

use crate::controls::TextSource;
use crate::page::{PlotChoice, use_page};
use crate::strings;
use context::use_models;
use figures::ModelFigures;
use form_at_hand::use_form;
use monitored::MonitoredRun;
use plan_view::{MapField, MoreFields};
use run_view::RunBar;
use session::ModelSession;
use source_view::SourceFields;
use taking::take_text_file;

pub use context::Models;
pub use form_at_hand::begin;

/// Form and figures.
#[component]
pub fn ModelView() -> impl IntoView {
    let page = use_page();
    view! {
        <div class="model-view" data-testid="model-view" hidden=move || page.plot.get() != PlotChoice::Model>
            <ModelForm/>
            <ModelFigures/>
            <MonitoredRun/>
        </div>
    }
}

/// The form. The model and text cannot change while a run is in progress.
#[component]
pub fn ModelForm() -> impl IntoView {
    let models = use_models();
    let session = ModelSession::new(models);
    address::begin(session);
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

/// The text with the number of its tokens.
#[component]
pub fn TextField(
    /// The form of models, with its workers.
    session: ModelSession,
) -> impl IntoView {
    let counts =
        move || session.facts.with(|facts| facts.as_ref().map(|facts| (facts.ids.len(), facts.pictures.len())));
    let summary = view! {
        <span class="note" role="status" data-testid="model-tokens" data-value=move || counts().map_or(0, |(tokens, _)| tokens)>
            {move || match counts() {
                None => strings::model_counting().to_owned(),
                Some((tokens, 0)) => strings::model_tokens(tokens),
                Some((tokens, pictures)) => strings::model_picture_tokens { pictures, tokens }.text(),
            }}
        </span>
    };
    view! {
        <TextSource
            id="model-text"
            file_id="model-text-file"
            text=session.text
            file=session.text_file
            on_file=Callback::new(move |file| take_text_file(session, file))
            summary=summary.into_any()
        />
    }
}
