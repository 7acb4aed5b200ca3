//! The weights: where they come from, and how large random ones are.

use leptos::prelude::*;

use crate::app::field::Field;
use crate::app::own;
use crate::app::page::use_page;
use crate::app::state::{PageState, WeightChoice};
use crate::app::strings;

use super::choice::Choice;
use super::number::NumberField;
use super::seed::SeedField;

const CHOICES: [(&str, WeightChoice); 4] = [
    ("random", WeightChoice::Random),
    ("identity-plus", WeightChoice::IdentityPlus),
    ("identity-minus", WeightChoice::IdentityMinus),
    ("own", WeightChoice::Own),
];

/// Everything about the weights but the output matrix, which is rare.
#[component]
pub fn WeightControls() -> impl IntoView {
    let page = use_page();
    let chosen = Memo::new(move |_| page.state.with(|state| state.weights));
    let chosen_id = Signal::derive(move || {
        CHOICES.iter().find(|(_, known)| *known == chosen.get()).map_or("identity-minus", |(id, _)| *id)
    });
    let own_shape = Memo::new(move |_| page.state.with(own_shape));
    let options = Signal::derive(move || {
        CHOICES.iter().map(|(id, choice)| (*id, strings::weight_choice(*choice, own_shape.get()))).collect()
    });
    let on_pick = move |id: String| match CHOICES.iter().find(|(known, _)| *known == id) {
        Some((_, WeightChoice::Own)) if page.state.with_untracked(|s| s.own_weights.is_none()) => own::open(page),
        Some((_, choice)) => page.edit("weights", |state| state.weights = *choice),
        None => {}
    };
    let fixed = Signal::derive(move || match chosen.get() {
        WeightChoice::Random => None,
        WeightChoice::IdentityPlus | WeightChoice::IdentityMinus => Some(strings::ONLY_RANDOM),
        WeightChoice::Own => Some(strings::FIXED_BY_OWN_WEIGHTS),
    });
    view! {
        <section class="group" aria-labelledby="weights-heading">
            <h2 id="weights-heading">{strings::WEIGHTS}</h2>
            <Choice id="weights" label=strings::WEIGHT_LAW hint=strings::WEIGHT_LAW_HINT options chosen=chosen_id on_pick=Callback::new(on_pick)/>
            <NumberField field=Field::Heads fixed/>
            <NumberField field=Field::HeadDim fixed/>
            <NumberField field=Field::Scale fixed/>
            <SeedField
                id="weight-seed"
                redraw_hint=strings::REDRAW_WEIGHTS
                get=|state| state.weight_seed
                set=|state, seed| state.weight_seed = seed
                disabled=Signal::derive(move || chosen.get() != WeightChoice::Random)
            />
        </section>
    }
}

fn own_shape(state: &PageState) -> Option<(usize, usize)> {
    let own = state.own_weights.as_ref()?;
    Some((own.0.heads.len(), own.0.heads.first()?.q.n_columns()))
}
