//! The norm of each draw over n, its mean, the bounds, and what the pointer or the keys read off it.

use std::rc::Rc;

use leptos::ev;
use leptos::html::Canvas;
use leptos::prelude::*;

use crate::field::Field;
use crate::frame::When;
use crate::live::{SearchFound, SweepData, SweepPhase};
use crate::page::{Page, PlotChoice, use_page};
use crate::strings::{self, Paper};
use lipscope_plot::{ChartLayout, HoverValue, LineChart};

use super::draws_chart::{Ranges, chart};
use super::draws_table::{draws_csv, draws_table};
use super::easel::{Easel, Paint, use_easel};
use super::fade::{Fade, Faded};
use super::lengths::{AxisChoice, length_at, on_length_key};
use super::search_point::found_in_draws;
use super::take::{Behind, Take};
use super::twin::Twin;

/// What was painted last: it answers the pointer.
type Painted = StoredValue<Option<Rc<(LineChart, ChartLayout)>>, LocalStorage>;

/// The plot of draws with its readout and its table.
#[component]
pub fn DrawsPlot() -> impl IntoView {
    let page = use_page();
    let canvas = NodeRef::<Canvas>::new();
    let painted: Painted = StoredValue::new_local(None);
    let ranges = StoredValue::new_local(Ranges::default());
    let hover = RwSignal::new(None::<f64>);
    let fade = StoredValue::new_local(Fade::default());
    let norm = Memo::new(move |_| page.norm());
    let next_frame = RwSignal::new(());
    let look = move || {
        watch(page, hover);
        next_frame.track();
    };
    use_easel(canvas, When::Before, look, move |easel| {
        paint(page, easel, painted, ranges, hover, fade);
        if fade.with_value(Fade::is_going) {
            next_frame.set(());
        }
    });
    let readout = Memo::new(move |_| {
        // The chart is read after it is painted; these say when.
        page.live.sweep.track();
        page.live.measured.track();
        hover.get().map(|n| read(page, n))
    });
    let on_pointer = move |event: ev::PointerEvent| hover.set(n_at(painted, f64::from(event.offset_x())));
    let on_click = move |event: ev::MouseEvent| {
        keep(page, n_at(painted, f64::from(event.offset_x())));
    };
    let on_key = move |event: ev::KeyboardEvent| on_length_key(page, hover, &event, |n| keep(page, n));
    // Said when a sweep is over, not at every point.
    let words = Memo::new(move |before: Option<&String>| match before {
        Some(before) if page.live.sweep.with(|sweep| sweep.phase == SweepPhase::Running) => before.clone(),
        _ => finding(page),
    });
    let is_hidden = move || page.plot.get() != PlotChoice::Draws;
    let csv = move || page.live.sweep.with_untracked(|sweep| draws_csv(sweep, norm.get_untracked()));
    view! {
        <div class="plot-stage" hidden=is_hidden>
            <canvas
                node_ref=canvas
                id="main-plot"
                role="img"
                tabindex="0"
                aria-label=move || words.get()
                aria-describedby="plot-readout"
                on:pointermove=on_pointer
                on:pointerleave=move |_| hover.set(None)
                on:blur=move |_| hover.set(None)
                on:click=on_click
                on:keydown=on_key
            ></canvas>
        </div>
        <div class="plot-foot" hidden=is_hidden>
            <p class="readout" id="plot-readout" data-testid="readout" aria-live="polite">
                {move || readout.get().unwrap_or_else(|| strings::readout_hint().to_owned())}
            </p>
            <Twin
                id="plot-table"
                name="lipscope-sweep.csv"
                table=move || with_found(page, |sweep, found| draws_table(sweep, norm.get_untracked(), found))
                csv
            />
            <Take
                id="take-draws"
                name="lipscope-sweep"
                canvas="main-plot"
                title=strings::plot_heading()
                figure=move |_| painted.with_value(|painted| painted.as_ref().map(|painted| without_pointer(&painted.0)))
                csv
                paper=Paper::Castin
                behind=Behind::Experiment
            />
        </div>
    }
}

/// What stands above the plot.
#[component]
pub fn DrawsTools() -> impl IntoView {
    view! {
        <Slope/>
        <AxisChoice id="x-axis"/>
    }
}

/// The fitted slope.
#[component]
fn Slope() -> impl IntoView {
    let page = use_page();
    let slope = Memo::new(move |_| page.live.sweep.with(|sweep| sweep.slope(page.norm())));
    let words = move || page.live.sweep.with(|sweep| strings::slope(slope.get(), sweep.draws, &sweep.lengths));
    let exact = move || slope.get().map_or_else(String::new, |fit| fit.exponent.to_string());
    let half = move || slope.get().map_or_else(String::new, |fit| fit.half_width.to_string());
    view! {
        <p class="slope" data-testid="slope" data-value=exact data-half-width=half title=strings::slope_hint()>
            {words}
        </p>
    }
}

fn watch(page: Page, hover: RwSignal<Option<f64>>) {
    page.live.sweep.track();
    page.live.measured.track();
    page.live.searched.track();
    page.state.track();
    page.held.track();
    page.plot.track();
    hover.track();
}

/// The sweep, and what a search has found where it is about its draws.
fn with_found<T>(page: Page, make: impl FnOnce(&SweepData, Option<&SearchFound>) -> T) -> T {
    page.live.sweep.with_untracked(|sweep| {
        page.live.searched.with_untracked(|searched| {
            let found = page.state.with_untracked(|state| found_in_draws(searched.as_ref(), sweep, state));
            make(sweep, found)
        })
    })
}

/// The chart of what is known now; `faded` says which draws are new.
fn chart_now(page: Page, faded: impl FnOnce(usize) -> Faded) -> LineChart {
    page.live.sweep.with_untracked(|sweep| {
        let current = page.live.measured.get_untracked();
        page.live.searched.with_untracked(|searched| {
            page.state.with_untracked(|state| {
                chart(sweep, current.as_deref(), searched.as_ref(), state, faded(sweep.points.len()))
            })
        })
    })
}

fn paint(
    page: Page,
    easel: &Easel,
    painted: Painted,
    ranges: StoredValue<Ranges, LocalStorage>,
    hover: RwSignal<Option<f64>>,
    fade: StoredValue<Fade, LocalStorage>,
) {
    if page.plot.get_untracked() != PlotChoice::Draws {
        return;
    }
    let mut chart = chart_now(page, |count| fade.try_update_value(|fade| fade.at(count)).unwrap_or(Faded::ALL));
    page.live.sweep.with_untracked(|sweep| {
        page.state.with_untracked(|state| {
            ranges.update_value(|ranges| ranges.apply(&mut chart, sweep, state, page.held.get_untracked()));
        });
    });
    chart.hover_x = hover.get_untracked();
    if let Some(layout) = chart.paint(easel) {
        painted.set_value(Some(Rc::new((chart, layout))));
    }
}

/// The chart as it was painted, but for what the pointer read.
fn without_pointer(chart: &LineChart) -> LineChart {
    LineChart { hover_x: None, ..chart.clone() }
}

/// The length under a pixel column.
fn n_at(painted: Painted, x: f64) -> Option<f64> {
    length_at(&*painted.get_value()?, x)
}

/// What is known at a length, in one line.
fn read(page: Page, n: f64) -> String {
    let chart = chart_now(page, |_| Faded::ALL);
    let style = lipscope_plot::Style::canvas(lipscope_plot::Theme::Light, 1.0);
    let layout = chart.layout((800.0, 500.0), &style);
    let values: Vec<HoverValue> = chart.at(&layout, n).unwrap_or_default();
    strings::readout(n, &values)
}

fn keep(page: Page, n: Option<f64>) {
    if let Some(n) = n {
        page.edit(Field::N.id(), |state| Field::N.set(state, n));
    }
}

/// The plot in words.
fn finding(page: Page) -> String {
    let norm = page.norm();
    page.live.sweep.with(|sweep| {
        let values = sweep.values(norm);
        let ends = values.first().copied().zip(values.last().copied());
        strings::plot_finding(norm, ends, sweep.slope(norm))
    })
}
