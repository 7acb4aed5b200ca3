//! The weights for the reader's tokens: the page asks for them when tokens come in, and always names them.

use crate::prelude::*;
use leptos::html::Fieldset;

use super::answers::Answers;
use super::context::use_own;
use super::matrices::Matrices;
use crate::controls::ProblemAt;
use crate::page::PLACE_OWN_WEIGHTS;
use crate::state::{TokenChoice, WeightChoice};
use crate::strings;

/// The weights to choose from, with their ids.
const OFFERED: [(&str, WeightChoice); 4] = [
    ("own-weights-minus", WeightChoice::IdentityMinus),
    ("own-weights-plus", WeightChoice::IdentityPlus),
    ("own-weights-random", WeightChoice::Random),
    ("own-weights-own", WeightChoice::Own),
];

/// The weights to choose from, and a box for each own matrix.
#[component]
pub fn OwnWeightsForm() -> impl IntoView {
    let own = use_own();
    let page = own.page;
    let group = NodeRef::<Fieldset>::new();
    let chosen = memo(move |_| page.state.with(|state| state.weights));
    let is_skew = memo(move |_| page.state.with(|state| state.tokens == TokenChoice::Skew));
    let pick = move |choice: WeightChoice| {
        own.panels.matrices.set(choice == WeightChoice::Own);
        if choice == WeightChoice::Own && page.state.with_untracked(|state| state.own_weights.is_none()) {
            return;
        }
        own.are_weights_asked.set(false);
        page.edit(PLACE_OWN_WEIGHTS, |state| state.choose_weights(choice));
        page.answers.own_note.set(page.state.with_untracked(strings::applied));
    };
    // Scrolls a new question into sight.
    effect(move |_| {
        if own.are_weights_asked.get()
            && let Some(group) = group.get()
        {
            request_animation_frame(move || group.scroll_into_view_with_bool(false));
        }
    });
    // The sentence about an answer stands under its button, which may be at the edge of the visible part.
    effect(move |_| {
        if page
            .answers
            .problem
            .with(|problem| problem.as_ref().is_some_and(|problem| problem.place == PLACE_OWN_WEIGHTS))
        {
            request_animation_frame(|| {
                if let Some(sentence) = document().get_element_by_id("own-weights-problem") {
                    sentence.scroll_into_view_with_bool(false);
                }
            });
        }
    });
    let option = move |(id, choice): (&'static str, WeightChoice)| {
        let is_chosen = move || match own.panels.matrices.get() {
            true => choice == WeightChoice::Own,
            false => choice == chosen.get() && !is_skew.get(),
        };
        view! {
            <label class="own-choice" for=id>
                <input type="radio" name="own-weights" id=id prop:checked=is_chosen disabled=move || is_skew.get() on:change=move |_| pick(choice)/>
                <span>{strings::own_weight(choice)}</span>
            </label>
        }
    };
    view! {
        <fieldset class="own-weights" id="own-weights" node_ref=group class:asked=move || own.are_weights_asked.get()>
            <legend>{strings::own_weights()}</legend>
            <p class="note" role="status" data-testid="own-weights-question" hidden=move || !own.are_weights_asked.get()>
                {move || page.state.with(strings::own_weights_question)}
            </p>
            <div class="own-choices">{OFFERED.map(option).collect_view()}</div>
            <Show when=move || own.panels.matrices.get()><Matrices/></Show>
            <ProblemAt place=PLACE_OWN_WEIGHTS/>
            <Answers place=PLACE_OWN_WEIGHTS/>
        </fieldset>
    }
}
