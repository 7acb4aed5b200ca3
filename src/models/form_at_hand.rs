//! The form of models, once the reader has opened its view. It receives dropped data and the requests of the figures.

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::files::use_drops;
use crate::page::PlotChoice;

use super::monitored;
use super::session::ModelSession;
use super::taking::take_dropped;

/// The form, if it has been opened.
#[derive(Clone, Copy, Default)]
pub struct FormAtHand(StoredValue<Option<ModelSession>>);

/// The form, from the context.
pub(super) fn use_form() -> FormAtHand {
    expect_context()
}

/// Provides the context, and passes to the form the files and texts that are dropped on the view of models.
pub fn begin() {
    let form = FormAtHand::default();
    provide_context(form);
    monitored::begin();
    let runs = monitored::use_runs();
    use_drops().taken_by(PlotChoice::Model, move |data: &DataTransfer| {
        if monitored::take_dropped(runs, data) {
            return;
        }
        if let Some(session) = form.session() {
            take_dropped(session, data);
        }
    });
}

impl FormAtHand {
    /// The form, if it has been opened.
    pub(super) fn session(self) -> Option<ModelSession> {
        self.0.get_value()
    }

    /// Stores the form, and gives it every model that was trained on this page: one that waits already, and those that
    /// come later.
    pub(super) fn hold(self, session: ModelSession) {
        self.0.set_value(Some(session));
        let trained = session.page.answers.trained_model;
        effect(move |_| {
            if trained.with(Option::is_some)
                && let Some(model) = trained.try_update(Option::take).flatten()
            {
                session.take_trained(model);
            }
        });
    }
}
