//! What is inverted: c, the tokens, the weights of dot-product attention.

use leptos::ev;
use leptos::prelude::*;

use crate::controls::Choice;
use crate::page::use_page;
use crate::strings;

use super::number::{LabNumber, Taken};
use super::request::shared_weights;
use crate::state::{DotWeights, InverseSettings, LabTokens, MOST_SEED, Settings};

/// Values of c to pick.
const PICKS: [f64; 3] = [0.5, 0.7, 0.9];

/// The controls over the plot of the inverse.
#[component]
pub fn InverseControls() -> impl IntoView {
    let page = use_page();
    let settings = page.labs.settings;
    let tokens = Memo::new(move |_| settings.with(|settings| settings.inverse.tokens));
    let chosen_tokens = Signal::derive(move || id_of(&LabTokens::ALL, tokens.get()));
    let chosen_weights = Signal::derive(move || settings.with(|s| id_of(&DotWeights::ALL, s.inverse.dot_weights)));
    let token_options = Signal::stored(LabTokens::ALL.map(|(id, choice)| (id, strings::lab_tokens(choice))).to_vec());
    let weight_options =
        Signal::stored(DotWeights::ALL.map(|(id, choice)| (id, strings::dot_weights(choice))).to_vec());
    let pick_tokens = move |id: String| {
        if let Some((_, choice)) = LabTokens::ALL.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| settings.inverse.tokens = *choice);
        }
    };
    let pick_weights = move |id: String| {
        if let Some((_, choice)) = DotWeights::ALL.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| settings.inverse.dot_weights = *choice);
        }
    };
    let not_drawn = Signal::derive(move || tokens.get() != LabTokens::Drawn);
    let is_page = Signal::derive(move || tokens.get() == LabTokens::Page);
    let weights_words = move || {
        settings
            .with(|settings| page.state.with(|state| strings::l2_weights(&shared_weights(&settings.inverse, state))))
    };
    view! {
        <div class="lab-head">
            <Fraction/>
            <button
                type="button"
                id="inverse-preset"
                title=strings::where_dot_fails_hint()
                on:click=move |_| settings.update(|settings| settings.inverse = InverseSettings::where_dot_fails())
            >
                {strings::where_dot_fails()}
            </button>
        </div>
        <div class="lab-head">
            <Choice id="inverse-tokens" label=strings::tokens() options=token_options chosen=chosen_tokens on_pick=Callback::new(pick_tokens)/>
            <LabNumber id="inverse-n" label="n" hint=strings::lab_n_hint() taken=Taken::sizes(&Settings::INVERSE_N) get=|s| s.inverse.n as f64 set=|s, x| s.inverse.n = x as usize disabled=not_drawn/>
            <LabNumber id="inverse-d" label="d" hint=strings::lab_d_hint() taken=Taken::sizes(&Settings::INVERSE_D) get=|s| s.inverse.d as f64 set=|s, x| s.inverse.d = x as usize disabled=not_drawn/>
            <LabNumber id="inverse-radius" label="R" hint=strings::lab_r_hint() taken=Taken::Any(*Settings::INVERSE_RADIUS.start(), *Settings::INVERSE_RADIUS.end()) get=|s| s.inverse.radius set=|s, x| s.inverse.radius = x disabled=is_page/>
            <LabNumber id="inverse-seed" label=strings::seed() hint=strings::seed_hint() taken=Taken::Whole(0, MOST_SEED) get=|s| s.inverse.seed as f64 set=|s, x| s.inverse.seed = x as u64 disabled=not_drawn/>
            <Choice id="inverse-dot-weights" label=strings::dot_weights_text() options=weight_options chosen=chosen_weights on_pick=Callback::new(pick_weights)/>
            <p class="note">{weights_words}</p>
        </div>
    }
}

/// c: three values to pick, and a slider.
#[component]
fn Fraction() -> impl IntoView {
    let settings = use_page().labs.settings;
    let fraction = Memo::new(move |_| settings.with(|settings| settings.inverse.fraction));
    let set = move |value: f64| settings.update(|settings| settings.inverse.fraction = value);
    let (least, most) = (*Settings::FRACTION.start(), *Settings::FRACTION.end());
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        if let Ok(value) = event.target().value().parse::<f64>() {
            set(value.clamp(least, most));
        }
    };
    let pick = move |value: f64| {
        view! {
            <button
                type="button"
                id=format!("inverse-c-{}", (100.0 * value).round())
                aria-pressed=move || (fraction.get() == value).to_string()
                on:click=move |_| set(value)
            >
                {value.to_string()}
            </button>
        }
    };
    view! {
        <div class="lab-fraction">
            <label for="inverse-c" title=strings::fraction_hint()>{strings::FRACTION}</label>
            <input
                type="range"
                id="inverse-c"
                min=least.to_string()
                max=most.to_string()
                step="0.05"
                prop:value=move || fraction.get().to_string()
                style=move || format!("--at:{}", (fraction.get() - least) / (most - least))
                on:input:target=on_input
            />
            <output for="inverse-c" data-testid="inverse-c" data-value=move || fraction.get().to_string()>{move || format!("{:.2}", fraction.get())}</output>
            <div class="switch" role="group" aria-label=strings::FRACTION>{PICKS.map(pick).collect_view()}</div>
            <span class="note" hidden=move || fraction.get() < 1.0>{strings::no_guarantee()}</span>
        </div>
    }
}

fn id_of<T: PartialEq + Copy>(all: &[(&'static str, T)], now: T) -> &'static str {
    all.iter().find(|(_, choice)| *choice == now).map_or("", |(id, _)| *id)
}
