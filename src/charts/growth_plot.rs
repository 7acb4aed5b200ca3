//! The bounds on the ball against n up to 1e18, and what is reached in it.

use std::rc::Rc;

use leptos::ev;
use leptos::html::Canvas;
use leptos::prelude::*;

use crate::controls::NumberField;
use crate::field::Field;
use crate::frame::When;
use crate::keys::PlotKey;
use crate::later::LaterView;
use crate::live::SearchFound;
use crate::page::{Page, PlotChoice, use_page};
use crate::state::{RadiusLaw, TokenChoice};
use crate::strings;
use lipscope_core::experiment::Mask;
use lipscope_plot::{ChartLayout, LineChart};

use super::easel::{Easel, Paint, use_easel};
use super::growth_chart::{GrowthRanges, growth_chart};
use super::growth_readout::{GrowthFacts, GrowthReadout};
use super::search_point::found_in_growth;

/// What was painted last: it answers the pointer.
pub type GrowthPainted = StoredValue<Option<Rc<(LineChart, ChartLayout)>>, LocalStorage>;

/// The rows of a decade, for the Page keys.
const DECADE: usize = 10;

/// The plot over n, with its readout, its switches and its table.
#[component]
pub fn GrowthPlot() -> impl IntoView {
    let page = use_page();
    let canvas = NodeRef::<Canvas>::new();
    let painted: GrowthPainted = StoredValue::new_local(None);
    let ranges = StoredValue::new_local(GrowthRanges::default());
    let hover = RwSignal::new(None::<f64>);
    let said = RwSignal::new(String::new());
    let watch = move || {
        page.live.growth.track();
        page.live.sweep.track();
        page.live.measured.track();
        page.live.searched.track();
        page.state.track();
        page.held.track();
        page.plot.track();
        page.arrival.track();
        hover.track();
    };
    use_easel(canvas, When::Before, watch, move |easel| paint(page, easel, painted, ranges, hover));
    let at = Signal::derive(move || hover.get().unwrap_or_else(|| page.state.with(|state| state.growth.at)));
    let on_pointer = move |event: ev::PointerEvent| hover.set(n_at(page, painted, f64::from(event.offset_x())));
    let on_click = move |event: ev::MouseEvent| keep(page, n_at(page, painted, f64::from(event.offset_x())));
    let on_key = move |event: ev::KeyboardEvent| on_key(page, hover, said, &event);
    let words = Memo::new(move |before: Option<&String>| match before {
        // Not while a slider moves.
        Some(before) if page.held.get() => before.clone(),
        _ => {
            let norm = page.norm();
            page.live.growth.with(|data| strings::growth_finding(data, norm))
        }
    });
    let is_hidden = move || page.plot.get() != PlotChoice::Growth;
    view! {
        <div class="plot-stage" hidden=is_hidden>
            <canvas
                node_ref=canvas
                id="regime-plot"
                role="img"
                tabindex="0"
                aria-label=move || strings::label(strings::growth_heading(), &words.get())
                title=strings::growth_hint()
                on:pointermove=on_pointer
                on:pointerleave=move |_| hover.set(None)
                on:blur=move |_| hover.set(None)
                on:click=on_click
                on:keydown=on_key
            ></canvas>
            <p class="sr-only" aria-live="polite" data-testid="regime-said">{move || said.get()}</p>
        </div>
        <div class="regime-foot" hidden=is_hidden>
            <div class="regime-reading">
                <div class="regime-at">
                    <NumberField field=Field::GrowthAt slider=false/>
                    <span class="regime-pointed" class:shown=move || hover.get().is_some() data-testid="regime-n" data-value=move || at.get().to_string()>
                        {move || strings::n_equals(at.get())}
                    </span>
                </div>
                <GrowthFacts at/>
            </div>
            <GrowthReadout at/>
            <div class="regime-switches">
                <MaskSwitch/>
                <RadiusSwitch/>
                <NumberField field=Field::GrowthMax/>
                <LaterView wanted=page.has_later() view=move |later| (later.growth_folds)(painted)/>
            </div>
        </div>
    }
}

/// What a search has found, where it is about these curves.
pub(super) fn with_found<T>(page: Page, make: impl FnOnce(Option<&SearchFound>) -> T) -> T {
    page.live.searched.with_untracked(|searched| {
        let found = page
            .live
            .growth
            .with_untracked(|data| page.state.with_untracked(|state| found_in_growth(searched.as_ref(), data, state)));
        make(found)
    })
}

/// The mask, the same as in the controls.
#[component]
fn MaskSwitch() -> impl IntoView {
    let page = use_page();
    let mask = Memo::new(move |_| page.state.with(|state| state.mask));
    let is_clusters = Memo::new(move |_| page.state.with(|state| state.tokens == TokenChoice::Clusters));
    let option = move |choice: Mask| {
        view! {
            <button
                type="button"
                id=format!("regime-mask-{}", choice.id())
                aria-pressed=move || (mask.get() == choice).to_string()
                disabled=move || is_clusters.get() && choice == Mask::Causal
                title=move || if is_clusters.get() { strings::no_causal_clusters() } else { strings::mask_hint() }
                on:click=move |_| page.edit("mask", |state| state.mask = choice)
            >
                {strings::mask_switch(choice)}
            </button>
        }
    };
    view! { <div class="switch" role="group" aria-label=strings::mask()>{[Mask::None, Mask::Causal].map(option).collect_view()}</div> }
}

/// Whether R stays or grows with n.
#[component]
fn RadiusSwitch() -> impl IntoView {
    let page = use_page();
    let law = Memo::new(move |_| page.state.with(|state| state.growth.radius_law));
    let option = move |(id, choice): (&'static str, RadiusLaw)| {
        view! {
            <button
                type="button"
                id=id
                aria-pressed=move || (law.get() == choice).to_string()
                on:click=move |_| page.edit("regime-at", |state| state.growth.radius_law = choice)
            >
                {strings::radius_law(choice)}
            </button>
        }
    };
    let options = [("regime-radius-fixed", RadiusLaw::Fixed), ("regime-radius-grows", RadiusLaw::SqrtLog)];
    view! { <div class="switch" role="group" aria-label=strings::radius_law_text()>{options.map(option).collect_view()}</div> }
}

fn chart_now(page: Page) -> LineChart {
    let current = page.live.measured.get_untracked();
    let mut chart = page.live.growth.with_untracked(|data| {
        page.live.sweep.with_untracked(|sweep| {
            page.live.searched.with_untracked(|searched| {
                page.state
                    .with_untracked(|state| growth_chart(data, sweep, current.as_deref(), searched.as_ref(), state))
            })
        })
    });
    if let Some(problem) = page.live.growth.with_untracked(|data| data.problem.clone()) {
        chart.note = untrack(|| page.told(problem));
    }
    chart
}

fn paint(
    page: Page,
    easel: &Easel,
    painted: GrowthPainted,
    ranges: StoredValue<GrowthRanges, LocalStorage>,
    hover: RwSignal<Option<f64>>,
) {
    if page.plot.get_untracked() != PlotChoice::Growth {
        return;
    }
    let mut chart = chart_now(page);
    page.state.with_untracked(|state| {
        ranges.update_value(|ranges| ranges.apply(&mut chart, state, page.held.get_untracked()));
    });
    chart.hover_x = Some(hover.get_untracked().unwrap_or_else(|| page.state.with_untracked(|state| state.growth.at)));
    if let Some(layout) = chart.paint(easel) {
        painted.set_value(Some(Rc::new((chart, layout))));
    }
}

/// Of the n that were computed, the one nearest a pixel column.
fn n_at(page: Page, painted: GrowthPainted, x: f64) -> Option<f64> {
    let painted = painted.get_value()?;
    let distance = |n: f64| (painted.1.x_to_px(n) - x).abs();
    let lengths = lengths(page);
    lengths.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}

fn lengths(page: Page) -> Vec<f64> {
    page.live.growth.with_untracked(|data| {
        data.growth.as_ref().map_or_else(Vec::new, |growth| growth.rows.iter().map(|row| row.n).collect())
    })
}

/// Keeps an n as the one that is read.
fn keep(page: Page, n: Option<f64>) {
    if let Some(n) = n {
        page.edit(Field::GrowthAt.id(), |state| state.growth.at = n);
    }
}

fn on_key(page: Page, hover: RwSignal<Option<f64>>, said: RwSignal<String>, event: &ev::KeyboardEvent) {
    let lengths = lengths(page);
    let now = hover.get_untracked().unwrap_or_else(|| page.state.with_untracked(|state| state.growth.at));
    let at = lengths.partition_point(|n| *n < now);
    let Some(key) = PlotKey::of(&event.key()).filter(|_| !event.alt_key()) else { return };
    let to = match key {
        PlotKey::Left => at.saturating_sub(1),
        PlotKey::Right => at + 1,
        PlotKey::PageDown => at.saturating_sub(DECADE),
        PlotKey::PageUp => at + DECADE,
        PlotKey::First => 0,
        PlotKey::Last => usize::MAX,
        PlotKey::Leave => return hover.set(None),
        PlotKey::Keep => return keep(page, hover.get_untracked()),
    };
    event.prevent_default();
    if let Some(n) = lengths.get(to.min(lengths.len().saturating_sub(1))) {
        hover.set(Some(*n));
        let norm = page.state.with_untracked(|state| state.norm);
        let words = page
            .live
            .growth
            .with_untracked(|data| data.row(*n).map(|row| strings::growth_said(row, norm, data.exact(*n))));
        said.set(words.unwrap_or_default());
    }
}
