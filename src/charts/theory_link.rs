//! A link from a bound, or from a view, to its statement in the theory.

use crate::prelude::*;

use crate::strings;
use crate::theory::Place;
use lipscope_core::bounds::{BoundId, CASTIN_GENERAL, CASTIN_MEAN_FIELD, KIM_LINF};

/// Bounds whose proofs are in the papers.
static PROVED_ELSEWHERE: [BoundId; 3] = [&CASTIN_GENERAL, &CASTIN_MEAN_FIELD, &KIM_LINF];

/// A link to a place in the theory. The theory opens in another tab, so that the explorer keeps its state.
#[component]
pub fn TheoryLink(
    /// The place.
    to: Place,
    /// The words of the link; by default those for the kind of place.
    #[prop(optional)]
    words: Option<&'static str>,
) -> impl IntoView {
    let words = words.unwrap_or_else(|| words_of(to));
    view! { <a class="theory" href=to.address() hreflang="en" target="_blank" rel="noopener">{words}</a> }
}

fn words_of(place: Place) -> &'static str {
    match place {
        Place::Start => strings::theory_link::all(),
        // The proofs of these theorems are in the papers.
        Place::Bound(id) if PROVED_ELSEWHERE.contains(&id) => strings::theory_link::statement(),
        Place::Bound(_) | Place::Certified => strings::theory_link::proof(),
        Place::L2 | Place::Inverse => strings::theory_link::section(),
    }
}
