//! What the estimators are tried on, and what is drawn.

use leptos::prelude::*;

use crate::controls::Choice;
use crate::page::use_page;
use crate::state::{CourtSettings, Shown};
use crate::strings;

use super::number::{LabNumber, Taken};

/// The controls over the plot of the estimators.
#[component]
pub fn CourtControls() -> impl IntoView {
    let settings = use_page().labs.settings;
    let trial = Memo::new(move |_| settings.with(|settings| settings.court.trial));
    let trials = Signal::stored(CourtSettings::TRIALS.map(|(id, trial)| (id, strings::trial(trial))).to_vec());
    let chosen = Signal::derive(move || {
        let now = trial.get();
        CourtSettings::TRIALS.iter().find(|(_, trial)| *trial == now).map_or("page", |(id, _)| *id)
    });
    let on_pick = move |id: String| {
        if let Some((_, trial)) = CourtSettings::TRIALS.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| settings.court.trial = *trial);
        }
    };
    let shown = Signal::stored(Shown::ALL.map(|(id, shown)| (id, strings::court_shown(shown).to_owned())).to_vec());
    let chosen_shown = Signal::derive(move || {
        let now = settings.with(|settings| settings.court.shown);
        Shown::ALL.iter().find(|(_, shown)| *shown == now).map_or("error", |(id, _)| *id)
    });
    let on_shown = move |id: String| {
        if let Some((_, shown)) = Shown::ALL.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| settings.court.shown = *shown);
        }
    };
    view! {
        <div class="lab-head">
            <Choice id="court-trial" label=strings::trial_text() options=trials chosen on_pick=Callback::new(on_pick)/>
            <Choice id="court-shown" label=strings::court_shows() options=shown chosen=chosen_shown on_pick=Callback::new(on_shown)/>
            <LabNumber
                id="court-tolerance"
                label=strings::stop_tolerance()
                hint=strings::stop_tolerance_hint()
                taken=Taken::Any(*CourtSettings::TOLERANCE.start(), *CourtSettings::TOLERANCE.end())
                get=|settings| settings.court.tolerance
                set=|settings, value| settings.court.tolerance = value
            />
        </div>
        <p class="lab-finding" data-testid="court-about">{move || strings::trial_about(trial.get())}</p>
    }
}
