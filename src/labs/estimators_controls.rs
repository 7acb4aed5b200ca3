//! What the estimators are tried on, and what is drawn.

use leptos::prelude::*;

use crate::controls::Choice;
use crate::page::use_page;
use crate::state::{EstimatorSettings, Shown};
use crate::strings;

use super::number::{LabNumber, Taken};

/// The controls over the plot of the estimators.
#[component]
pub fn EstimatorControls() -> impl IntoView {
    let settings = use_page().labs.settings;
    let trial = Memo::new(move |_| settings.with(|settings| settings.estimators.trial));
    let trials = Signal::stored(EstimatorSettings::TRIALS.map(|(id, trial)| (id, strings::trial(trial))).to_vec());
    let chosen = Signal::derive(move || {
        let now = trial.get();
        EstimatorSettings::TRIALS.iter().find(|(_, trial)| *trial == now).map_or("page", |(id, _)| *id)
    });
    let on_pick = move |id: String| {
        if let Some((_, trial)) = EstimatorSettings::TRIALS.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| settings.estimators.trial = *trial);
        }
    };
    let shown =
        Signal::stored(Shown::ALL.map(|(id, shown)| (id, strings::estimators_shown(shown).to_owned())).to_vec());
    let chosen_shown = Signal::derive(move || {
        let now = settings.with(|settings| settings.estimators.shown);
        Shown::ALL.iter().find(|(_, shown)| *shown == now).map_or("error", |(id, _)| *id)
    });
    let on_shown = move |id: String| {
        if let Some((_, shown)) = Shown::ALL.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| settings.estimators.shown = *shown);
        }
    };
    view! {
        <div class="lab-head">
            <Choice id="court-trial" label=strings::trial_text() options=trials chosen on_pick=Callback::new(on_pick)/>
            <Choice id="court-shown" label=strings::estimators_shows() options=shown chosen=chosen_shown on_pick=Callback::new(on_shown)/>
            <LabNumber
                id="court-tolerance"
                label=strings::stop_tolerance()
                hint=strings::stop_tolerance_hint()
                taken=Taken::Any(*EstimatorSettings::TOLERANCE.start(), *EstimatorSettings::TOLERANCE.end())
                get=|settings| settings.estimators.tolerance
                set=|settings, value| settings.estimators.tolerance = value
            />
        </div>
        <p class="lab-finding" data-testid="court-about">{move || strings::trial_about(trial.get())}</p>
    }
}
