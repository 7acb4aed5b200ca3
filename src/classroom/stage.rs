//! The place where a reader draws, in place of the plots.

use crate::prelude::*;

use crate::lessons::Prediction;

use super::context::use_classroom;
use super::draw::DrawCurve;
use super::guess::{is_guessed, prediction_now};
use super::place::PlaceMark;

/// The picture that the reader draws on, while a step asks for it.
#[component]
pub fn GuessStage() -> impl IntoView {
    let room = use_classroom();
    let prediction = memo(move |_| prediction_now(room));
    view! {
        <div class="guess" hidden=move || !is_guessed(room)>
            {move || match prediction.get() {
                Prediction::None | Prediction::Choice(_) => ().into_any(),
                Prediction::Curve => view! { <DrawCurve/> }.into_any(),
                Prediction::Mark => view! { <PlaceMark/> }.into_any(),
            }}
        </div>
    }
}
