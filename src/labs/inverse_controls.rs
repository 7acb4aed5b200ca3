//! The settings of the inverse: c, the tokens, the weights of dot-product attention.

use crate::prelude::*;

use crate::field::Field;
use crate::page::use_page;
use crate::state::{DotWeights, InverseSettings, LabTokens, PageState, WeightChoice};
use crate::strings;
use lipscope_core::experiment::WeightSource;

use super::inputs::{LabChoice, LabNumber, LabSlider, Slide};

/// Values of c to pick.
const PICKS: [f64; 3] = [0.5, 0.7, 0.9];

/// The controls over the plot of the inverse.
#[component]
pub fn InverseControls() -> impl IntoView {
    let page = use_page();
    let settings = page.settings;
    let tokens = memo(move |_| settings.with(|settings| settings.inverse.tokens));
    let fraction = memo(move |_| settings.with(|settings| settings.inverse.fraction));
    let pick = move |value: f64| {
        view! {
            <button
                type="button"
                id=format!("inverse-c-{}", (100.0 * value).round())
                aria-pressed=move || (fraction.get() == value).to_string()
                on:click=move |_| settings.update(|settings| settings.inverse.fraction = value)
            >
                {value.to_string()}
            </button>
        }
    };
    let weights_words = move || {
        settings
            .with(|settings| page.state.with(|state| strings::l2_weights(&shared_weights(&settings.inverse, state))))
    };
    let is_drawn = move || tokens.get() == LabTokens::Drawn;
    let slide = Slide { step: "0.05", place: |c| c, value: |c| c, written: |c| format!("{c:.2}") };
    view! {
        <div class="lab-head">
            <LabSlider id="inverse-c" label=strings::FRACTION field=Field::INVERSE_C slide/>
            <div class="switch" role="group" aria-label=strings::FRACTION>{PICKS.map(pick).collect_view()}</div>
            <span class="note" hidden=move || fraction.get() < 1.0>{strings::no_guarantee()}</span>
            <button
                type="button"
                id="inverse-preset"
                on:click=move |_| settings.update(|settings| settings.inverse = InverseSettings::where_dot_fails())
            >
                {strings::where_dot_fails()}
            </button>
        </div>
        <div class="lab-head">
            <LabChoice id="inverse-tokens" label=strings::tokens() all=LabTokens::ALL words=strings::lab_tokens get=|s| s.inverse.tokens set=|s, x| s.inverse.tokens = x/>
            <div class="lab-group" hidden=move || !is_drawn()>
                <LabNumber field=Field::INVERSE_N/>
                <LabNumber field=Field::INVERSE_D/>
                <LabNumber field=Field::INVERSE_SEED/>
            </div>
            <div class="lab-group" hidden=move || tokens.get() == LabTokens::Page>
                <LabNumber field=Field::INVERSE_RADIUS/>
            </div>
            <LabChoice id="inverse-dot-weights" label=strings::dot_weights_text() all=DotWeights::ALL words=strings::dot_weights get=|s| s.inverse.dot_weights set=|s, x| s.inverse.dot_weights = x/>
            <p class="note">{weights_words}</p>
        </div>
        <p class="lab-note" hidden=is_drawn>{strings::inverse_not_drawn()}</p>
    }
}

/// The weights of L2 multi-head attention. Where the controls choose such weights, these are used, with one head if the
/// number of heads does not divide d. Otherwise there is one head, with scale 1 and seed 0.
pub fn shared_weights(settings: &InverseSettings, state: &PageState) -> WeightSource {
    let d = match settings.tokens {
        LabTokens::Drawn => settings.d,
        LabTokens::Grid => 2,
        LabTokens::Page => state.dim(),
    };
    match state.weights {
        WeightChoice::Kim => {
            let heads = if d.is_multiple_of(state.heads) { state.heads } else { 1 };
            WeightSource::Kim { heads, scale: state.scale, seed: state.weight_seed }
        }
        _ => WeightSource::Kim { heads: 1, scale: 1.0, seed: 0 },
    }
}
