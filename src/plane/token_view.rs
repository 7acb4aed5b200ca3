//! The token plane among the small views: the tokens' own plane, or that of their first two principal axes.

use crate::prelude::*;

use crate::later::{LaterView, Piece, use_later};
use crate::page::PlotChoice;
use crate::strings;

use super::canvas::PlaneCanvas;
use super::context::{MOST_DRAWN, Size, use_plane};
use super::stage::plane_words;

/// The token plane, with a caption beside it.
#[component]
pub fn TokenView() -> impl IntoView {
    let later = use_later();
    let plane = use_plane();
    let page = plane.page;
    let words = memo(move |before: Option<&String>| match before {
        // The words stay while a token moves.
        Some(before) if page.held.get() => before.clone(),
        _ => plane_words(page),
    });
    let finding = memo(move |_| page.answers.measured.with(|m| m.as_ref().map(|m| strings::tokens_finding(&m.tokens))));
    let drawn = memo(move |_| {
        let n = page.answers.measured.with(|m| m.as_ref().map_or(0, |m| m.tokens.positions.len()));
        (n > MOST_DRAWN).then(|| strings::drawn_of(MOST_DRAWN, n))
    });
    view! {
        <figure class="small">
            <div class="small-head">
                <h2>{strings::tokens_heading()}</h2>
                <button
                    type="button"
                    id="token-enlarge"
                    title=strings::enlarge_hint()
                    hidden=move || page.plot.get() == PlotChoice::Tokens
                    on:click=move |_| page.plot.set(PlotChoice::Tokens)
                >
                    {strings::enlarge()}
                </button>
            </div>
            <div class="small-stage">
                <PlaneCanvas id="token-plane" size=Size::Small words/>
            </div>
            <figcaption>
                <p>{move || finding.get()} {strings::between_sentences()} {move || drawn.get()}</p>
                <div class="folds"><LaterView wanted=later.is_here() piece=Piece::PlaneFolds/></div>
            </figcaption>
            <p class="sr-only" aria-live="polite" data-testid="plane-said">{move || plane.said.get()}</p>
        </figure>
    }
}
