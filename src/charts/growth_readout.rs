//! What is read at an n: a line for each curve, which is also its switch, and the gap between the best bounds.

use leptos::prelude::*;

use crate::page::{Page, use_page};
use crate::state::{RadiusLaw, Trace};
use crate::strings;
use lipscope_core::bounds::{BoundId, Norm};
use lipscope_plot::{Kind, Number};

use super::growth_chart::{bound_in, draws_of, has_values};

/// A value as it stands in its line.
#[derive(Clone, Debug, PartialEq)]
struct Value {
    kind: Kind,
    number: Number,
    log10: f64,
}

/// The lines of all curves at the n that is read.
#[component]
pub fn GrowthReadout(
    /// Which n.
    #[prop(into)]
    at: Signal<f64>,
) -> impl IntoView {
    view! {
        <fieldset class="traces">
            <legend class="sr-only">{strings::curves_on()}</legend>
            {Trace::ALL.map(|trace| view! { <TraceLine trace at/> }).collect_view()}
        </fieldset>
    }
}

/// The sentence of facts about the n that is read: the gap, the crossover, R where it grows.
#[component]
pub fn GrowthFacts(
    /// Which n.
    #[prop(into)]
    at: Signal<f64>,
) -> impl IntoView {
    let page = use_page();
    let norm = Memo::new(move |_| page.norm());
    let gap =
        Memo::new(move |_| page.live.growth.with(|data| data.row(at.get()).and_then(|row| row.gap_log10(norm.get()))));
    let crossover = Memo::new(move |_| page.live.growth.with(|data| data.crossover(norm.get())));
    let radius = Memo::new(move |_| page.live.growth.with(|data| data.row(at.get()).map(|row| row.radius)));
    let is_empty =
        Memo::new(move |_| page.live.growth.with(|data| data.growth.is_some() && !data.has_bounds(norm.get())));
    let grows = Memo::new(move |_| page.state.with(|state| state.growth.radius_law != RadiusLaw::Fixed));
    let log10 = move || crossover.get().map_or_else(String::new, |c| (c.ln_n / std::f64::consts::LN_10).to_string());
    view! {
        <p class="note" hidden=move || !is_empty.get()>{move || strings::growth_note(norm.get())}</p>
        <dl class="regime-facts" hidden=move || is_empty.get()>
            <div title=strings::gap_hint()>
                <dt>{strings::gap_text()}</dt>
                <dd
                    data-testid="regime-gap"
                    data-log10=move || gap.get().map_or_else(String::new, |log10| log10.to_string())
                    data-value=move || gap.get().map_or_else(String::new, |log10| 10f64.powf(log10).to_string())
                >
                    {move || gap.get().map_or_else(|| strings::NONE_YET.into(), strings::gap)}
                </dd>
            </div>
            <div title=strings::crossover_hint() hidden=move || grows.get() || crossover.get().is_none()>
                <dt>{strings::crossover_text()}</dt>
                <dd data-testid="regime-crossover" data-log10=log10>
                    {move || crossover.get().map_or_else(|| strings::NONE_YET.into(), |c| strings::crossover(&c))}
                </dd>
            </div>
            <div hidden=move || !grows.get()>
                <dt>{strings::radius_there()}</dt>
                <dd data-testid="regime-radius" data-value=move || radius.get().map_or_else(String::new, |r| r.to_string())>
                    {move || radius.get().map_or_else(|| strings::NONE_YET.into(), |r| Number::of(r).to_string())}
                </dd>
            </div>
        </dl>
    }
}

/// A curve: its switch, its look, its name, its value at the n that is read.
#[component]
fn TraceLine(
    /// Which curve.
    trace: Trace,
    /// Which n.
    at: Signal<f64>,
) -> impl IntoView {
    let page = use_page();
    let is_on = Memo::new(move |_| page.state.with(|state| state.growth.traces.has(trace)));
    // What does not apply is absent.
    let is_absent = Memo::new(move |_| {
        let norm = page.norm();
        page.live.growth.with(|data| match &data.growth {
            // Among the bounds on dot-product attention the lines hold their places.
            Some(_) if norm == Norm::Spectral && trace != Trace::Kim && has_values(data, Trace::General, norm) => false,
            Some(_) => !has_values(data, trace, norm),
            None => trace == Trace::Kim,
        })
    });
    let value = Memo::new(move |_| if is_on.get() { value_at(page, trace, at.get()) } else { None });
    let full = move || value.with(|v| v.as_ref().map_or_else(String::new, |v| 10f64.powf(v.log10).to_string()));
    let log10 = move || value.with(|v| v.as_ref().map_or_else(String::new, |v| v.log10.to_string()));
    let sign = move || value.with(|v| v.as_ref().map_or("", |v| v.kind.sign()));
    let text = move || value.with(|v| v.as_ref().map_or_else(|| strings::NONE_YET.into(), |v| v.number.to_string()));
    let id = id_of(trace);
    view! {
        <label class="trace" hidden=move || is_absent.get() class:off=move || !is_on.get() title=strings::trace_hint(trace)>
            <input
                type="checkbox"
                id=format!("trace-{id}")
                prop:checked=move || is_on.get()
                on:change=move |_| page.edit("regime-at", |state| state.growth.traces = state.growth.traces.toggled(trace))
            />
            <svg class=format!("swatch {id}") viewBox="0 0 24 8" aria-hidden="true"><line x1="0" y1="4" x2="24" y2="4"></line><circle cx="12" cy="4" r="3"></circle></svg>
            <span class="trace-name">{strings::trace_line(trace)}</span>
            <span class="sign">{sign}</span>
            <span class="value" data-testid=format!("regime-{id}") data-value=full data-log10=log10>{text}</span>
        </label>
    }
}

/// The word of a trace in the page's attributes: that of its bound.
fn id_of(trace: Trace) -> &'static str {
    match trace {
        Trace::Sharp => BoundId::Sharp.id(),
        Trace::Unified => BoundId::Unified.id(),
        Trace::General => BoundId::CastinGeneral.id(),
        Trace::MeanField => BoundId::CastinMeanField.id(),
        Trace::Sink => BoundId::Sink.id(),
        Trace::Fork => BoundId::Fork.id(),
        Trace::TwoClusters => BoundId::TwoClusters.id(),
        Trace::Adversarial => BoundId::Adversarial.id(),
        Trace::Envelope => BoundId::AdversarialEnvelope.id(),
        Trace::Skew => BoundId::Skew.id(),
        Trace::Kim => BoundId::KimL2.id(),
        Trace::Exact => "exact",
        Trace::Draws => "measured",
    }
}

/// The value of a trace at exactly this n; `None` where it has none.
fn value_at(page: Page, trace: Trace, n: f64) -> Option<Value> {
    let of_norm = page.norm();
    let exactly = |norm: f64, kind: Kind| Value { kind, number: Number::of(norm), log10: norm.log10() };
    match trace {
        Trace::Exact if of_norm != Norm::Spectral => None,
        Trace::Exact => page.live.growth.with(|data| data.exact(n)).map(|norm| exactly(norm, Kind::Exact)),
        Trace::Draws => {
            let of_current = page.live.measured.with(|measured| {
                let m = &measured.as_ref()?.measurement;
                m.norm(of_norm).filter(|_| m.n == n).map(|norm| (norm, strings::kind_of(m, of_norm)))
            });
            let (norm, kind) = of_current.or_else(|| {
                let draws = page.live.sweep.with(|sweep| page.state.with(|state| draws_of(sweep, state)));
                let largest = draws.iter().filter(|draw| draw.0 == n).map(|draw| draw.1).reduce(f64::max);
                largest.map(|norm| (norm, Kind::LowerBound))
            })?;
            Some(exactly(norm, kind))
        }
        _ => page.live.growth.with(|data| {
            let bound = bound_in(data.row(n)?, trace, of_norm)?;
            let kind = if bound.id == BoundId::Skew { Kind::Exact } else { strings::side_kind(bound.side) };
            Some(Value { kind, number: Number::from_log10(bound.log10), log10: bound.log10 })
        }),
    }
}
