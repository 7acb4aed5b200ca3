//! The button that moves the tokens to the worst known in their ball, and back.

use crate::prelude::*;

use crate::page::use_page;
use crate::plane::use_plane;
use crate::strings;

use super::facts::{Standing, facts};
use super::quick::has_worst_tokens;

/// The button. It is there, and says why it does nothing, also where nothing worse is known.
#[component]
pub fn FindWorst() -> impl IntoView {
    let (page, plane) = (use_page(), use_plane());
    // The tokens are still those to which the last press has moved them.
    let is_back = memo(move |_| {
        plane.way_back.with(|way| way.as_ref().is_some_and(|way| page.state.with(|state| *state == way.to)))
    });
    let why_not = memo(move |_| {
        let standing = facts(page).map(|facts| facts.standing);
        match (is_back.get(), has_worst_tokens(page), standing) {
            (true, ..) => None,
            (_, false, _) => Some(strings::find_worst_none()),
            (_, _, Some(Standing::Worst)) => Some(strings::find_worst_there()),
            _ => None,
        }
    });
    let on_click = move |_| {
        if why_not.get_untracked().is_some() {
            return;
        }
        match plane.way_back.get_untracked().filter(|_| is_back.get_untracked()) {
            Some(way) => {
                page.put("distribution", Ok(way.from));
            }
            None => plane.worst_asked.update(|asked| *asked += 1),
        }
    };
    view! {
        <button
            type="button"
            id="find-worst"
            class="primary"
            aria-disabled=move || why_not.get().is_some().to_string()
            title=move || why_not.get().unwrap_or_else(strings::find_worst_hint)
            on:click=on_click
        >
            {move || if is_back.get() { strings::find_worst_back() } else { strings::find_worst() }}
        </button>
    }
}
