//! The form's values in the page's address: the form follows the address, and the address the form.

use crate::prelude::*;

use super::session::ModelSession;
use super::settings::{PlanForm, SourceForm, settings_of};
use crate::state::ModelSettings;

/// Shows the values that the address holds, and from now on keeps both alike. Values that are half typed do not reach
/// the address.
pub(super) fn begin(session: ModelSession) {
    let settings = session.page.settings;
    let of_form = move || session.source.with(|source| session.plan.with(|plan| settings_of(source, plan)));
    show(session, &settings.with_untracked(|settings| settings.model.clone()));
    effect(move |_| {
        if let Some(now) = of_form()
            && settings.with_untracked(|settings| settings.model != now)
        {
            settings.update(|settings| settings.model = now);
        }
    });
    let wanted = memo(move |_| settings.with(|settings| settings.model.clone()));
    effect(move |_| {
        let wanted = wanted.get();
        let here = untrack(of_form);
        // A scene that says nothing of models, such as that of a lesson, leaves the reader's files where they are.
        let has_files = session.source.with_untracked(|source| source.kind.family().is_none());
        if here.as_ref() != Some(&wanted) && !(has_files && wanted == ModelSettings::default()) {
            show(session, &wanted);
        }
    });
}

fn show(session: ModelSession, settings: &ModelSettings) {
    let resizing = session.source.with_untracked(|source| source.resizing);
    set_if_new(session.source, SourceForm::of(settings, resizing));
    // A random model has no special tokens, so the address does not speak of them.
    let special = session.plan.with_untracked(|plan| plan.special);
    set_if_new(session.plan, PlanForm { special, ..PlanForm::of(settings) });
}
