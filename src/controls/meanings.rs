//! One fold with the meaning of all words of a group.

use crate::prelude::*;

use crate::strings;

/// A fold with a definition for each name.
#[component]
pub fn Meanings(
    /// The id of the fold, where it is named from elsewhere.
    #[prop(optional, into)]
    id: Option<String>,
    /// Names and what they mean.
    of: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    let row = |(name, meaning): (&'static str, &'static str)| {
        view! { <div><dt>{name}</dt><dd>{meaning}</dd></div> }
    };
    view! {
        <details class="meanings" id=id>
            <summary>{strings::meanings()}</summary>
            <dl>{of.into_iter().map(row).collect_view()}</dl>
        </details>
    }
}
