//! The content of the fold under the sentence: why the question matters, and what the words and lines of the view mean.

use crate::prelude::*;

use crate::charts::TheoryLink;
use crate::strings;
use crate::theory::Place;

/// A line each.
#[component]
pub fn Why() -> impl IntoView {
    let lines = [
        strings::why_robustness(),
        strings::why_depth(),
        strings::why_inverse(),
        strings::why_attention(),
        strings::why_root(),
        strings::why_mean_field(),
    ];
    view! {
        {lines.map(|line| view! { <p>{line}</p> }).collect_view()}
        <p>{strings::why_theory()} {strings::between_sentences()} <TheoryLink to=Place::Start/></p>
    }
}
