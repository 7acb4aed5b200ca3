//! The number at these tokens, and the known bounds beside it, in words. Number and sentence belong to a state: those
//! of an earlier state are dimmed.

use crate::prelude::*;

use crate::charts::TheoryLink;
use crate::later::{LaterView, Piece, use_later};
use crate::page::use_page;
use crate::strings;
use crate::theory::Place;
use lipscope_core::bounds::Bound;
use lipscope_plot::{Kind, Number};

use super::facts::{Facts, Standing, facts, worst_value};

/// The latest number, under the disc; dimmed while the next one is on its way. The number does not wait for the bounds
/// that the sentence needs.
#[component]
pub fn Headline() -> impl IntoView {
    let page = use_page();
    let shown = memo(move |_| page.latest_norm());
    let is_stale = move || !shown.get().is_some_and(|(_, is_present)| is_present);
    let text = move || {
        let number = |(value, kind)| Number::digits(value, kind).to_string();
        shown.get().map_or_else(|| strings::NONE_YET.into(), |(norm, _)| number(norm))
    };
    let full = move || shown.get().map_or_else(String::new, |((value, _), _)| value.to_string());
    let doubt = move || match page.is_measured() {
        true => page.answers.measured.with(|measured| strings::doubt(&measured.as_ref()?.measurement)),
        false => None,
    };
    view! {
        <p class="headline" class:stale=is_stale>
            <span class="headline-name">{strings::explore_headline()}</span>
            " L " {move || shown.get().map_or("", |((_, kind), _)| kind.sign())} " "
            <strong data-testid="explore-norm" data-value=full>{text}</strong>
            {move || doubt().map(|doubt| view! { <span class="headline-doubt" data-testid="headline-doubt">" " {doubt}</span> })}
            <span class="stale-note" hidden=move || !is_stale() || !page.is_computing()>" " {strings::computing()}</span>
        </p>
    }
}

/// The norms at these tokens and at the worst tokens known, over the pictures; the bound for all tokens, and a fold that
/// says why this matters, under them.
#[component]
pub fn Sentence() -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let known = memo(move |_| facts(page));
    let shown = memo(move |before: Option<&Option<Facts>>| known.get().or_else(|| before.cloned().flatten()));
    let is_stale = move || known.with(Option::is_none);
    let first = move || {
        shown.with(|facts| {
            let facts = facts.as_ref()?;
            let text = strings::explore_measured(facts.n, facts.measured, facts.place);
            Some(marked(text, &strings::measured_number(facts.measured).to_string(), "of-measured"))
        })
    };
    let worst = move || {
        shown.with(|facts| {
            let facts = facts.as_ref()?;
            // Rounded down, so that it is reached.
            let worst = Number::in_sentence(facts.worst_log10, Kind::LowerBound).to_string();
            let text = match facts.standing {
                Standing::Worst => strings::explore_worst_known(facts.n).into(),
                Standing::Alone => strings::explore_is_alone().into(),
                // Rounded down, the larger norm would not look larger.
                Standing::Below if !looks_worse(facts) => strings::explore_nearly_worst(facts.n).into(),
                Standing::Below => strings::explore_worst(facts.n, &place(facts), &worst),
            };
            Some(marked(text, &worst, "of-worst"))
        })
    };
    let best = move || {
        shown.with(|facts| {
            let facts = facts.as_ref()?;
            Some(match (&facts.best, &facts.limit) {
                (Some(best), Some(limit)) if above(best) == above(limit) => {
                    strings::explore_limit(&place(facts), &above(limit))
                }
                (Some(best), Some(limit)) => {
                    let ends = facts.growth_ends.map(strings::growth_end);
                    strings::explore_best(facts.n, &place(facts), &above(best), &above(limit), ends)
                }
                (Some(best), None) => strings::explore_best_alone(facts.n, &place(facts), &above(best)),
                (None, _) => strings::explore_no_bound().into(),
            })
        })
    };
    let digits = move |read: fn(&Facts) -> Option<&Bound>| {
        shown.with(|facts| {
            facts
                .as_ref()
                .and_then(read)
                .and_then(|bound| bound.value)
                .map_or_else(String::new, |value| value.to_string())
        })
    };
    view! {
        <div class="sentence" data-testid="sentence" class:stale=is_stale aria-busy=move || (is_stale() && !page.is_refused()).to_string()
            data-worst=move || shown.with(|facts| facts.as_ref().and_then(worst_value).map_or_else(String::new, |value| value.to_string()))
            data-best=move || digits(|facts| facts.best.as_ref())
            data-limit=move || digits(|facts| facts.limit.as_ref())
        >
            <p class="said"><span>{first}</span> {strings::between_sentences()} <span>{worst}</span></p>
            <p class="limits"><span>{best}</span></p>
            <details class="why" id="why">
                <summary>{strings::why_it_matters()}</summary>
                <LaterView wanted=later.is_here() piece=Piece::Why/>
            </details>
        </div>
    }
}

/// A sentence whose number has the colour of its curve.
fn marked(text: String, number: &str, class: &'static str) -> impl IntoView + use<> {
    let (before, after) = match text.rsplit_once(number) {
        Some((before, after)) => (before.to_owned(), Some((number.to_owned(), after.to_owned()))),
        None => (text, None),
    };
    view! { {before} {after.map(|(number, after)| view! { <strong class=class>{number}</strong> {after} })} }
}

/// Whether the largest norm known, as it is written, is larger than the norm at these tokens, as that is written.
fn looks_worse(facts: &Facts) -> bool {
    let (value, kind) = facts.measured;
    let worst = Number::in_sentence(facts.worst_log10, Kind::LowerBound);
    [kind, Kind::LowerBound].into_iter().all(|kind| worst != Number::in_sentence(value.log10(), kind))
}

fn place(facts: &Facts) -> String {
    strings::explore_place(facts.place, facts.radius)
}

/// An upper bound, rounded up, so that "none exceed it" stays true.
fn above(bound: &Bound) -> String {
    Number::in_sentence(bound.log10, Kind::UpperBound).to_string()
}

/// The content of the fold under the sentence: what is on screen, why it matters, and what words and lines of the view mean,
/// one paragraph for each.
#[component]
pub fn Why() -> impl IntoView {
    let lines = [
        strings::why_what(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_whose_norm_would_not_look_larger_are_not_said_to_reach_more() {
        let at = |here: f64, worst: f64, kind| {
            let standing = Standing::Below;
            let (n, radius, place, worst_log10) = (12.0, 1.5, strings::Place::Disc, worst.log10());
            let (best, limit, growth_ends, mean_field) = (None, None, None, None);
            Facts {
                n,
                measured: (here, kind),
                radius,
                place,
                standing,
                worst_log10,
                best,
                limit,
                growth_ends,
                mean_field,
            }
        };
        for (here, worst, kind, expected) in [
            // Written as 1.82 and 1.81: the smaller one would look larger.
            (1.8155, 1.8167, Kind::Exact, false),
            (1.812, 1.814, Kind::Exact, false),
            (1.0, 1.000_000_1, Kind::LowerBound, false),
            (1.814, 1.821, Kind::Exact, true),
            (1.818, 1.831, Kind::Exact, true),
            (2.42, 5.03, Kind::Exact, true),
        ] {
            assert_eq!(looks_worse(&at(here, worst, kind)), expected, "{here} {worst}");
        }
    }
}
