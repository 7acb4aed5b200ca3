//! The line that says which attention is shown, with a button for the other sign of A.

use crate::prelude::*;

use crate::page::use_page;
use crate::state::{TokenChoice, WeightChoice};
use crate::strings;

/// The attention of this view in plain words.
#[component]
pub fn AttentionLine() -> impl IntoView {
    let page = use_page();
    let shown = memo(move |_| page.state.with(|state| (state.tokens, state.weights, state.attention)));
    let other = memo(move |_| match shown.get() {
        (TokenChoice::Skew, ..) => None,
        (_, WeightChoice::IdentityMinus, _) => Some(WeightChoice::IdentityPlus),
        (_, WeightChoice::IdentityPlus, _) => Some(WeightChoice::IdentityMinus),
        _ => None,
    });
    let choose = move |_| {
        if let Some(other) = other.get_untracked() {
            page.edit("weights", |state| state.choose_weights(other));
        }
    };
    view! {
        <p class="attention-line" data-testid="attention-line">
            {move || {
                let (tokens, weights, attention) = shown.get();
                strings::which_attention(tokens, weights, attention)
            }} " "
            <button type="button" id="other-sign" hidden=move || other.get().is_none() on:click=choose>
                {move || other.get().map(strings::other_sign)}
            </button>
        </p>
    }
}
