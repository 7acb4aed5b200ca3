//! What stands behind the selected number of the ladder: formula, numbers put in, where it loses how much, where it is proved.

use leptos::prelude::*;

use crate::formulas::Formula;
use crate::page::use_page;
use crate::strings;
use lipscope_core::bounds::{BoundId, BoundSlack};

use super::ladder::{MEASURED, bound_of, rungs, shown};

/// What stands behind the selected number.
#[component]
pub fn Story() -> impl IntoView {
    let page = use_page();
    let selected = page.rung;
    let told = Memo::new(move |_| {
        let norm = page.norm();
        page.live.measured.with(|measured| {
            let measured = measured.as_ref()?;
            let m = &measured.measurement;
            let id = shown(&rungs(m, norm), selected.get())?;
            let story = m.slacks.iter().find(|story| story.id == id).cloned();
            let bound = *bound_of(m, norm, id)?;
            Some((bound, story, strings::reach(&bound, m.norm(norm), &measured.state)))
        })
    });
    let id = Memo::new(move |_| told.get().map(|(bound, ..)| bound.id));
    let about = move || {
        told.get().map(|(bound, story, reach)| {
            let BoundSlack { worked, factors: losses, .. } =
                story.unwrap_or(BoundSlack { id: bound.id, worked: String::new(), factors: Vec::new() });
            view! {
                <p class="worked" data-testid="story-worked">"= " {worked}</p>
                <p data-testid="story-reach">{reach}</p>
                <ul data-testid="story-losses">{strings::losses(&losses).into_iter().map(|loss| view! { <li>{loss}</li> }).collect_view()}</ul>
                <p>{strings::formula_where(bound.id)}</p>
                <p data-testid="story-source">{strings::source(bound.id)}</p>
            }
        })
    };
    view! {
        <div class="story" id="ladder-story" tabindex="0" role="region" aria-label=strings::story() aria-live="polite" data-testid="story" data-bound=move || id.get().map_or(MEASURED, BoundId::id)>
            {move || match id.get() {
                Some(id) => view! {
                    <p class="story-name">{strings::bound_label(id)}</p>
                    <Formula id/>
                }.into_any(),
                None => view! { <p class="story-name">{strings::measured()}</p><p>{strings::norm_hint(page.norm())}</p> }.into_any(),
            }}
            {about}
        </div>
    }
}
