//! The form of training, once it was looked at: what is dropped goes to it.

use crate::prelude::*;
use web_sys::DataTransfer;

use crate::page::{Page, PlotChoice};

use super::session::TrainingSession;

/// The form, if it is there.
#[derive(Clone, Copy, Default)]
pub struct FormAtHand(StoredValue<Option<TrainingSession>>);

/// The context.
pub(super) fn use_form() -> FormAtHand {
    expect_context()
}

/// From now on texts that are dropped where models are trained are its.
pub fn begin(page: Page) {
    let form = FormAtHand::default();
    provide_context(form);
    page.drops.taken_by(PlotChoice::Train, move |data: &DataTransfer| {
        if let Some(session) = form.0.get_value() {
            session.take_dropped(data);
        }
    });
}

impl FormAtHand {
    /// The form is there.
    pub(super) fn hold(self, session: TrainingSession) {
        self.0.set_value(Some(session));
    }
}
