//! Who found the bounds of the plot, and where the best one is stated and proved.

use crate::prelude::*;

use crate::charts::TheoryLink;
use crate::page::use_page;
use crate::strings;
use crate::theory::Place;

use super::facts::facts;

/// The names, with a link to the statement of the smallest upper bound at the present n; to the whole theory where
/// there is none.
#[component]
pub fn BoundNames() -> impl IntoView {
    let page = use_page();
    let best = memo(move |before: Option<&Place>| {
        let best = facts(page).map(|facts| facts.best.map_or(Place::Start, |best| Place::Bound(best.id)));
        best.or(before.copied()).unwrap_or(Place::Start)
    });
    view! { <p class="absent">{strings::explore_names()} {strings::between_sentences()} {move || view! { <TheoryLink to=best.get()/> }}</p> }
}
