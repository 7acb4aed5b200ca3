//! The token plane. The reader moves, adds, removes and snaps tokens on it, by pointer and by keys. It shows the
//! leading singular pair, and the attention row of one token.
//!
//! | file | concept |
//! | --- | --- |
//! | `context` | the plane's state, and editing tokens by hand |
//! | `crowds` | how many tokens, and outputs, lie at one place |
//! | `scene` | the plane's picture: tokens at present, arrows and rows of the last measurement |
//! | `canvas` | the canvas with its pointer and its keys |
//! | `token_number_sync` | shows a moved token in the same frame as its numbers |
//! | `journey` | the way of the tokens to the worst known |
//! | `stage` | the large plane with its tools and its legend |
//! | `swing` | the swing of X + e v |

mod canvas;
mod context;
mod crowds;
mod journey;
mod scene;
mod stage;
mod swing;
mod token_number_sync;

use crate::prelude::*;

use crate::later::{LaterView, Piece, use_later};
use crate::page::PlotChoice;
use crate::strings;

pub use canvas::PlaneCanvas;
pub use context::{MOST_DRAWN, Plane, Size, use_plane};
pub use crowds::arrow_words;
pub use scene::{Moves, faintness, plane_of, scene, scene_at_rest};
pub use stage::{PlaneTable, TokenStage, plane_words};

/// Starts the swing of the pair, the ways to the worst tokens, the wait of moved tokens for their numbers, and the end of
/// words that no longer hold.
pub fn begin(plane: Plane) {
    swing::begin(plane);
    journey::begin(plane);
    plane.sync.begin(plane.page);
    plane.forget_old_words();
}

/// The token plane, with a caption beside it.
#[component]
pub fn TokenView() -> impl IntoView {
    let later = use_later();
    let plane = use_plane();
    let page = plane.page;
    let words = memo(move |before: Option<&String>| match before {
        // The description stays the same while a token moves.
        Some(before) if page.held.get() => before.clone(),
        _ => plane_words(page),
    });
    let finding = memo(move |_| page.answers.measured.with(|m| m.as_ref().map(|m| strings::tokens_finding(&m.tokens))));
    let drawn = memo(move |_| {
        let n = page.answers.measured.with(|m| m.as_ref().map_or(0, |m| m.tokens.positions.len()));
        (n > MOST_DRAWN).then(|| strings::drawn_of { drawn: MOST_DRAWN, n }.text())
    });
    view! {
        <figure class="small" class:stale=move || !page.is_measured()>
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
            <p class="sr-only" aria-live="polite" data-testid="plane-said">{move || plane.spoken.get()}</p>
        </figure>
    }
}
