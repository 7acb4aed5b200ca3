//! The list of traces: each has a switch, its value at the cursor or the reason why it has none, and details.

use crate::prelude::*;

use crate::charts::{BoundSlackDetails, TheoryLink, bound_of};
use crate::controls::NumberField;
use crate::field::Field;
use crate::formulas::Formula;
use crate::page::{Page, use_page};
use crate::state::{PageState, Trace};
use crate::strings;
use crate::theory::Place;
use lipscope_core::bounds::{KIM_L2, Side};

use super::context::use_growth;
use super::reading::{has_values, value_at};

/// The heading of a trace in the list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Tokens,
    Upper,
    Lower,
}

const GROUPS: [Group; 3] = [Group::Tokens, Group::Upper, Group::Lower];

/// The list, with the n at which it is read.
#[component]
pub fn TraceList() -> impl IntoView {
    let growth = use_growth();
    let page = growth.page;
    let at = Signal::derive(move || growth.read_at());
    let n = memo(move |_| page.state.with(PageState::n_tokens));
    let is_elsewhere = memo(move |_| page.state.with(PageState::read_at) != n.get());
    let is_measurable =
        memo(move |_| page.state.with(|state| !state.has_fixed_n() && state.read_at() <= state.most_tokens() as f64));
    let is_stale = memo(move |_| growth.is_stale());
    let group = move |group: Group| {
        let traces = Trace::ALL.into_iter().filter(|trace| group_of(*trace) == group);
        view! {
            <fieldset class="traces">
                <legend>{heading(group)}</legend>
                {traces.map(|trace| view! { <TraceLine trace at/> }).collect_view()}
            </fieldset>
        }
    };
    view! {
        <section class="growth-list" class:stale=is_stale aria-busy=move || is_stale.get().to_string() aria-label=strings::curves_on() data-testid="growth-n" data-value=move || at.get().to_string()>
            <div class="growth-at">
                <NumberField field=Field::GROWTH_AT slider=false/>
                <span class="growth-back" class:gone=move || !is_elsewhere.get()>
                    <button type="button" id="growth-at-n" on:click=move |_| page.edit("growth-at", |state| state.growth.at = None)>
                        {move || strings::read_at_tokens(n.get())}
                    </button>
                    <button
                        type="button"
                        id="growth-use-n"
                        hidden=move || !is_measurable.get()
                        on:click=move |_| page.edit("n", |state| {
                            let n = state.read_at();
                            Field::N.choose(state, n);
                            state.growth.at = None;
                        })
                    >
                        {move || strings::use_n(page.state.with(PageState::read_at))}
                    </button>
                </span>
            </div>
            {GROUPS.map(group).collect_view()}
            <p class="note">{strings::bound_names()} {strings::between_sentences()} <TheoryLink to=Place::Start/></p>
        </section>
    }
}

/// The values at an n, for a screen reader.
pub fn spoken(page: Page, n: f64) -> String {
    let of = |trace: Trace| {
        let reading = value_at(page, trace, n).filter(|_| page.state.with(|state| state.growth.traces.has(trace)))?;
        Some(format!("{} {}", name_at(page, trace, n), reading.number.kind(reading.kind)))
    };
    let parts = std::iter::once(strings::n_equals(n)).chain(Trace::ALL.into_iter().filter_map(of));
    parts.collect::<Vec<_>>().join(strings::growth_said())
}

/// The name of a trace, with the sign of its numbers.
pub fn headed(trace: Trace) -> String {
    let sign = match group_of(trace) {
        Group::Upper => "≤",
        Group::Lower if matches!(trace, Trace::Exact | Trace::Skew) => "=",
        Group::Lower => "≥",
        Group::Tokens => "",
    };
    let name = if trace == Trace::Draws { strings::trace_label::samples() } else { strings::trace_label(trace) };
    format!("{name} {sign}").trim_end().to_owned()
}

/// The name of a trace's value at an n. Where n is not the present number of tokens, the measured value is the largest
/// sample of the sweep.
fn name_at(page: Page, trace: Trace, n: f64) -> String {
    if trace != Trace::Draws {
        return strings::trace_label(trace).into();
    }
    if page.state.with(PageState::n_tokens) != n {
        return page.answers.sweep.with(|sweep| strings::largest_label(sweep.of.as_ref()));
    }
    page.state.with(strings::present_label).into()
}

fn group_of(trace: Trace) -> Group {
    match trace.side() {
        None => Group::Tokens,
        Some(Side::Upper) => Group::Upper,
        Some(Side::Lower) => Group::Lower,
    }
}

fn heading(group: Group) -> &'static str {
    match group {
        Group::Tokens => strings::trace_group::tokens(),
        Group::Upper => strings::trace_group::upper(),
        Group::Lower => strings::trace_group::lower(),
    }
}

/// A trace: its switch, its look, its name, its value at the cursor.
#[component]
fn TraceLine(
    /// The trace of this line.
    trace: Trace,
    /// The n at which it is read.
    at: Signal<f64>,
) -> impl IntoView {
    let page = use_page();
    let is_open = RwSignal::new(false);
    let is_on = memo(move |_| page.state.with(|state| state.growth.traces.has(trace)));
    let value = memo(move |_| value_at(page, trace, at.get()));
    let is_absent = memo(move |_| {
        page.answers.growth.with(|data| {
            data.growth.is_some() && !page.state.with(|state| has_values(data, &page.answers, state, trace))
        })
    });
    let reason = memo(move |_| {
        if is_absent.get() {
            let measured = page.answers.measured.get();
            let absent = measured.as_ref().map_or(&[][..], |measured| measured.measurement.absent.as_slice());
            return Some(page.state.with(|state| strings::trace_absent(trace, state, absent)));
        }
        let is_read = page.answers.growth.with(|data| data.row(at.get()).is_some());
        (is_read && value.with(Option::is_none)).then(|| strings::trace_absent_here(trace).to_owned())
    });
    let full = move || value.with(|v| v.as_ref().map_or_else(String::new, |v| 10f64.powf(v.log10).to_string()));
    let log10 = move || value.with(|v| v.as_ref().map_or_else(String::new, |v| v.log10.to_string()));
    let sign = move || value.with(|v| v.as_ref().map_or("", |v| v.kind.sign()));
    let text = move || value.with(|v| v.as_ref().map_or_else(|| strings::NONE_YET.into(), |v| v.number.to_string()));
    let id = id_of(trace);
    let about = format!("trace-about-{id}");
    view! {
        <div
            class="trace"
            class:off=move || !is_on.get()
            class:absent=is_absent
            class:unread=move || reason.get().is_some()
            // While no search result fits the curves, the line of search results is hidden. Other lines without a value
            // stay, and say why there is none.
            hidden=move || trace == Trace::Found && is_absent.get()
        >
            <label class="trace-switch">
                <input
                    type="checkbox"
                    id=format!("trace-{id}")
                    disabled=is_absent
                    prop:checked=move || is_on.get()
                    on:change=move |_| page.edit("growth-traces", |state| state.growth.traces = state.growth.traces.toggled(trace))
                />
                <svg class=format!("swatch {id}") viewBox="0 0 24 8" aria-hidden="true"><line x1="0" y1="4" x2="24" y2="4"></line><circle cx="12" cy="4" r="3"></circle></svg>
                <span class="trace-name">{move || name_at(page, trace, at.get())}</span>
            </label>
            <span class="trace-value">
                <span class="sign">{sign}</span>
                <span class="value" data-testid=format!("growth-{id}") data-value=full data-log10=log10>{text}</span>
            </span>
            <button
                type="button"
                class="trace-more"
                aria-expanded=move || is_open.get().to_string()
                aria-controls=about.clone()
                aria-label=strings::trace_more(trace)
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                "›"
            </button>
            <p class="trace-reason" data-testid=format!("growth-{id}-reason") hidden=move || reason.get().is_none()>{move || reason.get()}</p>
            <div class="trace-about" id=about hidden=move || !is_open.get()>
                <Show when=move || is_open.get()><About trace/></Show>
            </div>
        </div>
    }
}

/// The statement of a trace with its hypotheses, its formula, and its slack at the present tokens.
#[component]
fn About(
    /// The trace that is described.
    trace: Trace,
) -> impl IntoView {
    let page = use_page();
    let at_tokens = memo(move |_| {
        let norm = page.norm();
        page.answers.measured.with(|measured| {
            let measured = measured.as_ref()?;
            let m = &measured.measurement;
            let bounds = trace.bounds().iter().filter_map(|id| bound_of(m, norm, id));
            let id = bounds.min_by(|a, b| a.log10.total_cmp(&b.log10))?.id;
            Some((id, strings::at_your_tokens(m.n, m.radius, &measured.state)))
        })
    });
    let id = memo(move |_| at_tokens.get().map(|(id, ..)| id).or_else(|| trace.bounds().first().copied()));
    view! {
        <p>{strings::trace_hint(trace)}</p>
        {move || id.get().map(|id| view! { <Formula id/> })}
        {move || match at_tokens.get() {
            Some((id, of_which)) => view! {
                <p class="note">{of_which}</p>
                <BoundSlackDetails id/>
            }.into_any(),
            None => id.get().map(|id| view! {
                <p>{strings::formula_where(id)}</p>
                <p>{strings::source(id)} {strings::between_sentences()} <TheoryLink to=Place::Bound(id)/></p>
            }).into_any(),
        }}
    }
}

/// The id of a trace in the page's attributes: mostly that of its first bound.
fn id_of(trace: Trace) -> &'static str {
    match trace {
        Trace::Kim => KIM_L2.id(),
        Trace::Draws => "measured",
        _ => trace.bounds().first().map_or(trace.id(), |id| id.id()),
    }
}
