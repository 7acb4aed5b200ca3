//! The opening view: how much attention can magnify a small change of tokens in a disc, and how that grows with n.
//!
//! | file | concept |
//! | --- | --- |
//! | `facts` | the numbers that sentence and plot share |
//! | `sentence` | the numbers in words; why the question matters, and what the words and lines mean |
//! | `find_worst` | the button that moves the tokens to the worst known, and back |
//! | `chart`, `plot` | the constant over n, with its bounds; its table, its files, links to other plots |
//! | `bound_names` | who found the bounds of the plot, and where they are proved |
//! | `pins`, `pin_list` | states that stay in the plot, and their list |
//! | `table` | the plot's numbers at the present n, for a screen reader; the curves that are missing |
//! | `quick` | the few main controls; which attention is shown, and the button for the other sign of A |

mod bound_names;
mod chart;
mod facts;
mod find_worst;
mod pin_list;
mod pins;
mod plot;
mod quick;
mod sentence;
mod table;

use crate::prelude::*;

use lipscope_core::experiment::Normalization;

use crate::frame::is_motion_reduced;
use crate::later::{LaterView, Piece};
use crate::page::{PlotChoice, use_page};
use crate::panels::use_panels;
use crate::plane::{PlaneCanvas, Size, arrow_words, faintness, plane_words, use_plane};
use crate::strings;
use lipscope_plot::Number;

pub use bound_names::BoundNames;
pub use pin_list::PinList;
pub use pins::{Pinned, Pins, use_pinned};
pub use plot::ExploreFolds;
pub use plot::first_picture;
pub use quick::{Notes, Quick};
pub use sentence::Why;
pub use table::AtN;

use find_worst::FindWorst;
use plot::ExplorePlot;
use quick::AttentionLine;
use sentence::{Headline, Sentence};

/// The opening view.
#[component]
pub fn Explore() -> impl IntoView {
    let (plane, page, panels) = (use_plane(), use_page(), use_panels());
    let is_hidden = move || page.plot.get() != PlotChoice::Explore;
    let words = memo(move |before: Option<&String>| match before {
        // The description of the disc stays the same while a token moves.
        Some(before) if page.held.get() => before.clone(),
        _ => plane_words(page),
    });
    // Why there are no arrows; `None` where there are some, or before the first measurement.
    let no_arrows = memo(move |_| {
        page.answers.measured.with(|m| {
            let m = m.as_ref().filter(|m| m.pair.is_none())?;
            Some(strings::no_pair(&m.state, &m.tokens))
        })
    });
    let crowd = memo(move |_| page.answers.measured.with(|m| m.as_ref().and_then(|m| arrow_words(m))));
    let faint = memo(move |_| {
        page.answers.measured.with(|m| faintness(m.as_ref()?).map(|times| strings::explore_faint(Number::short(times))))
    });
    let has_notes = Signal::derive(move || page.state.with(|state| state.normalization) != Normalization::None);
    let has_row = memo(move |_| page.look.row_of(plane.n_on_plane()).is_some());
    view! {
        <section class="explore" id="explore" aria-labelledby="question" hidden=is_hidden>
            <div class="question-row"><h2 class="question" id="question">{strings::lead()}</h2><AttentionLine/></div>
            <Sentence/>
            <LaterView wanted=has_notes piece=Piece::Notes/>
            <figure class="disc" class:stale=move || !page.is_measured()>
                <div class="disc-stage"><PlaneCanvas id="explore-plane" size=Size::Opening words/></div>
                <figcaption>
                    <Headline/>
                    <p class="disc-legend" data-testid="no-arrows" hidden=move || no_arrows.with(Option::is_none)>{move || no_arrows.get()}</p>
                    <p class="disc-legend" hidden=move || no_arrows.with(Option::is_some)>
                        <span><span class="swatch nudge" aria-hidden="true"></span>{move || if panels.printing.get() { strings::explore_nudge_paper() } else { strings::explore_nudge() }}{move || faint.get()}</span>
                        <span><span class="swatch response" aria-hidden="true"></span>{strings::explore_response()}</span>
                        // This line stays when the motion ends, so that nothing below it moves.
                        <span data-testid="swing-legend" hidden=is_motion_reduced()>{strings::explore_swing()}</span>
                        <span data-testid="crowd-legend" hidden=move || crowd.with(Option::is_none)>{move || crowd.get()}</span>
                        <span hidden=move || !has_row.get()><span class="swatch row" aria-hidden="true"></span>{strings::explore_row()}</span>
                    </p>
                    <p class="sr-only" aria-live="polite">{move || plane.spoken.get()}</p>
                </figcaption>
            </figure>
            <div class="find"><FindWorst/></div>
            <ExplorePlot/>
        </section>
    }
}
