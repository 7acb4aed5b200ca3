//! The details of the selected bound: its formula, the formula with numbers, its slack step by step, and its proof.

use crate::prelude::*;

use crate::formulas::Formula;
use crate::page::use_page;
use crate::state::Trace;
use crate::strings;
use crate::theory::Place;
use lipscope_core::bounds::{BoundId, BoundSlack};

use super::ladder::{MEASURED, bound_of, rungs, shown};
use super::theory_link::TheoryLink;

/// The details of the selected row of the ladder.
#[component]
pub fn SlackDetails() -> impl IntoView {
    let page = use_page();
    let selected = page.look.rung;
    let id = memo(move |_| {
        let norm = page.norm();
        page.answers.measured.with(|measured| shown(&rungs(&measured.as_ref()?.measurement, norm), selected.get()))
    });
    let name = memo(move |_| {
        let id = id.get()?;
        page.answers.measured.with(|measured| Some(strings::measured_bound_label(id, &measured.as_ref()?.state)))
    });
    view! {
        <div class="slack" id="ladder-slack" tabindex="0" role="region" aria-label=strings::slack_details() aria-live="polite" data-testid="slack" data-bound=move || id.get().map_or(MEASURED, |id| id.id())>
            {move || match id.get() {
                Some(id) => view! {
                    <p class="slack-name">{move || name.get()}</p>
                    <Formula id/>
                    <BoundSlackDetails id/>
                }.into_any(),
                None => view! { <p class="slack-name">{strings::trace_label(Trace::Draws)}</p><p>{strings::norm_hint(page.norm())}</p> }.into_any(),
            }}
        </div>
    }
}

/// A bound at the present tokens: its formula with numbers, the ratio of bound and measured norm, the steps of its
/// proof that have slack, what the letters mean, and where it is proved.
#[component]
pub fn BoundSlackDetails(
    /// The bound whose details are shown.
    id: BoundId,
) -> impl IntoView {
    let page = use_page();
    let shown_steps = memo(move |_| {
        let norm = page.norm();
        page.answers.measured.with(|measured| {
            let measured = measured.as_ref()?;
            let m = &measured.measurement;
            let bound = *bound_of(m, norm, id)?;
            let slack = m.slacks.iter().find(|slack| slack.id == id);
            let slack = slack.cloned().unwrap_or(BoundSlack { id, worked: String::new(), factors: Vec::new() });
            Some((
                strings::slack(&slack.factors, &bound, m.norm(norm)),
                slack,
                strings::reach(&bound, m.norm(norm).map(|value| (value, strings::kind_of(m, norm))), &measured.state),
            ))
        })
    });
    move || {
        shown_steps.get().map(|(steps, BoundSlack { worked, .. }, reach)| {
            let has_numbers = !worked.is_empty();
            view! {
                <p class="worked" data-testid="slack-worked" hidden=!has_numbers>"= " {worked}</p>
                <p data-testid="slack-reach">{reach}</p>
                <ul data-testid="slack-factors">{steps.into_iter().map(|step| view! { <li>{step}</li> }).collect_view()}</ul>
                <p>{strings::formula_where(id)}</p>
                <p data-testid="slack-source">{strings::source(id)} {strings::between_sentences()} <TheoryLink to=Place::Bound(id)/></p>
            }
        })
    }
}
