//! The form of models, once it was looked at: what is dropped and what its figures ask for goes to it.

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::drops::use_drops;
use crate::page::PlotChoice;

use super::session::ModelSession;
use super::taking::take_dropped;

/// The form, if it is there.
#[derive(Clone, Copy, Default)]
pub struct FormAtHand(StoredValue<Option<ModelSession>>);

/// The context.
pub(super) fn use_form() -> FormAtHand {
    expect_context()
}

/// From now on files and texts that are dropped where models are shown are its.
pub fn begin() {
    let form = FormAtHand::default();
    provide_context(form);
    use_drops().taken_by(PlotChoice::Model, move |data: &DataTransfer| {
        if let Some(session) = form.session() {
            take_dropped(session, data);
        }
    });
}

impl FormAtHand {
    /// What the form does.
    pub(super) fn session(self) -> Option<ModelSession> {
        self.0.get_value()
    }

    /// The form is there. A model that was trained on this page waits for it, or comes later.
    pub(super) fn hold(self, session: ModelSession) {
        self.0.set_value(Some(session));
        let trained = session.page.live.trained_model;
        effect(move |_| {
            if trained.with(Option::is_some)
                && let Some(model) = trained.try_update(Option::take).flatten()
            {
                session.take_trained(model);
            }
        });
    }
}
