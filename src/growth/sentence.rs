//! The gap between the bounds at the cursor in words, and the growth of the measured norms.

use crate::prelude::*;

use crate::charts::TheoryLink;
use crate::page::{Page, use_page};
use crate::state::{RadiusGrowth, Trace};
use crate::theory::Place;
use crate::{plans, strings};
use lipscope_core::bounds::{BoundId, Side};
use lipscope_core::experiment::Normalization;
use lipscope_plot::{Kind, Number};

use super::context::use_growth;
use super::reading::{Reading, Widest, bound_in, value_at, widest_now};

/// The largest norm known and the best upper bound at an n.
fn ends(page: Page, n: f64) -> (Option<Reading>, Option<(Trace, Reading)>) {
    let upper = Trace::ALL
        .into_iter()
        .filter(|trace| trace.side() == Some(Side::Upper))
        .filter_map(|trace| Some((trace, value_at(page, trace, n)?)))
        .min_by(|(_, a), (_, b)| a.log10.total_cmp(&b.log10));
    (value_at(page, Trace::Worst, n), upper)
}

/// The bound of a trace at an n.
fn bound_at(page: Page, trace: Trace, n: f64) -> Option<BoundId> {
    let norm = page.norm();
    page.answers.growth.with(|data| bound_in(data.row(n)?, trace, norm).map(|bound| bound.id))
}

/// The largest norm known, the best upper bound and the factor between them, and where the growth like sqrt(n) ends.
#[component]
pub fn GapSentence() -> impl IntoView {
    let growth = use_growth();
    let page = growth.page;
    let at = memo(move |_| growth.read_at());
    let ends = memo(move |_| ends(page, at.get()));
    let gap = memo(move |_| ends.with(|(lower, upper)| Some(upper.as_ref()?.1.log10 - lower.as_ref()?.log10)));
    let is_known = memo(move |_| page.answers.growth.with(|data| data.growth.is_some()));
    let norm = memo(move |_| page.norm());
    let words = move || {
        ends.with(|(lower, upper)| {
            let text = |reading: &Reading| (reading.log10, reading.number.clone());
            // Rounded down, so that "reach" stays true, also where the list writes the present tokens' norm to the nearest.
            let reached = |reading: &Reading| Number::digits_from_log10(reading.log10, Kind::LowerBound);
            let lower = lower.as_ref().map(|reading| (reading.log10, reached(reading)));
            let upper = upper.as_ref().map(|(_, reading)| text(reading));
            match (is_known.get(), lower, upper) {
                (false, ..) => strings::measuring_text().into(),
                (true, None, None) if at.get() < 2.0 => strings::growth_from_two().into(),
                (true, None, None) => strings::growth_note(norm.get()).into(),
                (true, lower, upper) => strings::growth_gap(at.get(), lower, upper),
            }
        })
    };
    let widest = memo(move |_| widest_now(page));
    let upper = memo(move |_| bound_at(page, ends.with(|(_, upper)| Some(upper.as_ref()?.0))?, at.get()));
    let radius = memo(move |_| page.answers.growth.with(|data| data.row(at.get()).map(|row| row.radius)));
    let grows = memo(move |_| page.state.with(|state| state.growth.radius_growth != RadiusGrowth::Fixed));
    let is_normalized = memo(move |_| page.state.with(|state| state.normalization != Normalization::None));
    let crossover = memo(move |_| page.answers.growth.with(|data| data.crossover(norm.get())));
    let log10 = move || crossover.get().map_or_else(String::new, |c| (c.ln_n / std::f64::consts::LN_10).to_string());
    let is_stale = memo(move |_| growth.is_stale());
    // Before the first curves the sentence itself says that they are on their way.
    let is_waiting = move || growth.is_waiting.get() && is_known.get();
    view! {
        <div class="growth-sentence" class:stale=is_stale aria-busy=move || is_stale.get().to_string()>
            <p
                id="growth-gap"
                data-testid="growth-gap"
                data-log10=move || gap.get().map_or_else(String::new, |log10| log10.to_string())
                data-value=move || gap.get().map_or_else(String::new, |log10| 10f64.powf(log10).to_string())
            >
                {words} {strings::between_sentences()}
                {move || upper.get().map(|id| view! { <TheoryLink to=Place::Bound(id) words=strings::theory_link::upper()/> })}
                <span class="stale-note" hidden=move || !is_waiting()>{strings::between_sentences()} {strings::computing()}</span>
            </p>
            <p
                id="growth-widest"
                data-testid="growth-widest"
                hidden=move || widest.get().is_none()
                data-n=move || widest.get().map_or_else(String::new, |widest| widest.n.to_string())
                data-log10=move || widest.get().map_or_else(String::new, |widest| widest.log10.to_string())
            >
                {move || widest.get().map_or_else(String::new, |Widest { log10, n, end, is_proved }| strings::growth_widest(log10, n, end, is_proved))}
            </p>
            <p class="growth-radius" hidden=move || !grows.get() || is_normalized.get()>
                {strings::radius_there()} {strings::between_sentences()}
                <span data-testid="growth-radius" data-value=move || radius.get().map_or_else(String::new, |r| r.to_string())>
                    {move || radius.get().map_or_else(|| strings::NONE_YET.into(), |r| Number::of(r).to_string())}
                </span>
            </p>
            <p class="growth-radius" data-testid="growth-radius-undone" hidden=move || !(grows.get() && is_normalized.get())>
                {strings::radius_undone()}
            </p>
            <details class="growth-crossover" hidden=move || crossover.get().is_none()>
                <summary>
                    <span data-testid="growth-crossover" data-log10=log10>
                        {move || crossover.get().map_or_else(String::new, |c| strings::crossover(&c))}
                    </span>
                </summary>
                <p class="note">{strings::crossover_hint()}</p>
            </details>
        </div>
    }
}

/// The fitted slope of the measured norms, in a fold that explains it.
#[component]
pub fn Slope() -> impl IntoView {
    let page = use_page();
    let slope = memo(move |_| {
        page.answers.sweep.with(|sweep| {
            page.state
                .with(|state| sweep.slope(state.norm).filter(|_| sweep.has_plan(plans::sweep_over_n(state).as_ref())))
        })
    });
    let words = move || {
        page.answers.sweep.with(|sweep| {
            let norm = page.state.with(|state| state.norm);
            strings::slope(slope.get(), sweep.draws(), &sweep.lengths_of(norm))
        })
    };
    let exact = move || slope.get().map_or_else(String::new, |fit| fit.exponent.to_string());
    let half = move || slope.get().map_or_else(String::new, |fit| fit.half_width.to_string());
    view! {
        <details class="slope" hidden=move || slope.get().is_none()>
            <summary><span data-testid="slope" data-value=exact data-half-width=half>{words}</span></summary>
            <p class="note">{strings::slope_hint()}</p>
        </details>
    }
}
