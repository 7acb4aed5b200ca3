//! The plot on its canvas: its cursor follows the pointer and the keys.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{
    Easel, ExperimentSource, ExportFold, LastPainted, Paint, TableFold, Timing, exportable, use_easel,
};
use crate::frame::When;
use crate::keys::PlotKey;
use crate::over_n::{Fade, Faded, Ranges, lift, of_present, presence};
use crate::page::{Page, PlotChoice};
use crate::phase::Phase;
use crate::state::{Trace, Traces};
use crate::strings::{self, Paper};
use lipscope_plot::{ChartLayout, LineChart, Series, Table};

use super::chart::{Known, gap_series, growth_chart, high, is_gap, series_id, wanted_y};
use super::context::{Growth, use_growth};
use super::list::{headed, spoken as spoken_at};
use super::sentence::{GapSentence, Slope};

/// How many computed n the Page keys move by: on a long axis there are about this many in a decade.
const LEAP: usize = 10;

/// The plot, a sentence about the values at the cursor, its table and its files.
#[component]
pub fn GrowthPlot() -> impl IntoView {
    let growth = use_growth();
    let page = growth.page;
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<(LineChart, ChartLayout)> = StoredValue::new_local(None);
    let ranges = StoredValue::new_local(Ranges::default());
    let fade = StoredValue::new_local(Fade::default());
    let hover = growth.hover;
    let spoken = RwSignal::new(String::new());
    let next_frame = RwSignal::new(());
    let watch = move || {
        page.answers.growth.track();
        page.answers.sweep.track();
        page.answers.measured.track();
        page.answers.searched.track();
        page.answers.known.track();
        growth.search.track();
        page.state.track();
        page.held.track();
        page.plot.track();
        page.look.rung.track();
        growth.is_waiting.track();
        hover.track();
        next_frame.track();
    };
    use_easel(canvas, Timing::Number(When::Before), watch, move |easel| {
        paint(growth, easel, painted, ranges, fade);
        if fade.with_value(Fade::is_going) {
            next_frame.set(());
        }
    });
    let on_pointer = move |event: ev::PointerEvent| hover.set(n_at(page, painted, f64::from(event.offset_x())));
    let on_click = move |event: ev::MouseEvent| keep(page, n_at(page, painted, f64::from(event.offset_x())));
    let words = memo(move |before: Option<&String>| match before {
        // The words stay while a slider moves.
        Some(before) if page.held.get() => before.clone(),
        _ if growth.is_stale() => strings::growth_waiting().into(),
        _ => page.answers.growth.with(|data| strings::growth_finding(data, page.norm())),
    });
    view! {
        <div class="growth-plot">
            <div class="plot-stage">
                <canvas
                    node_ref=canvas
                    id="growth-plot"
                    role="img"
                    tabindex="0"
                    aria-label=move || strings::label(strings::growth_heading(), &words.get())
                    aria-describedby="growth-gap"
                    on:pointermove=on_pointer
                    on:pointerleave=move |_| hover.set(None)
                    on:blur=move |_| hover.set(None)
                    on:click=on_click
                    on:keydown=move |event| on_key(growth, spoken, &event)
                ></canvas>
            </div>
            <p class="sr-only" aria-live="polite" data-testid="growth-said">{move || spoken.get()}</p>
            <GapSentence/>
            <div class="growth-foot">
                <Slope/>
                <TableFold id="growth-table" name="lipscope-growth.csv" table=move || table(growth) csv=move || whole(growth).to_csv() is_old=move || growth.is_stale()/>
                <ExportFold
                    id="export-growth"
                    name="lipscope-growth"
                    canvas="growth-plot"
                    title=strings::growth_heading()
                    figure=move |_: (f64, f64)| exportable(painted.with_value(|painted| painted.as_ref().map(|painted| without_cursor(&painted.0))))
                    csv=move || whole(growth).to_csv()
                    paper=Paper::Castin
                    source=ExperimentSource::Experiment
                />
            </div>
        </div>
    }
}

/// The chart of the present answers and the present state. `traces` says which curves it has; `None` means those that
/// are switched on. `curves` is the opacity of curves. `faded` says which draws are new.
fn chart_now(growth: Growth, traces: Option<Traces>, curves: f64, faded: impl FnOnce(usize) -> Faded) -> LineChart {
    let page = growth.page;
    untrack(|| {
        let (data, sweep) = (page.answers.growth.read(), page.answers.sweep.read());
        let (found, search) = (page.answers.searched.read(), growth.search.read());
        let (state, current) = (page.state.read(), page.answers.measured.get());
        let known = page.answers.known.read();
        let tokens = known.on(&state, state.norm);
        let known = Known {
            data: &data,
            sweep: &sweep,
            current: current.as_deref(),
            tokens: &tokens,
            rung: page.look.rung.get(),
            found: &found,
            search: &search,
            state: &state,
            faded: faded(sweep.points.len()),
            curves,
        };
        let mut chart = growth_chart(&known, traces.unwrap_or(state.growth.traces));
        if let Phase::Failed(problem) = page.answers.growth.phase() {
            chart.note = strings::message(&problem);
        }
        chart
    })
}

/// The chart for tables and files: with all traces, also those that are switched off, but without curves of an earlier
/// state. These are left out as soon as the state changes; in the picture they stay, and fade only after a while.
fn whole(growth: Growth) -> LineChart {
    let curves = presence(!untrack(|| growth.is_stale()));
    let mut chart = of_present(chart_now(growth, Some(Traces::of(Trace::ALL)), curves, |_| Faded::ALL));
    chart.series.extend(gap_series(&chart));
    chart
}

/// Every trace in short digits; the sign of each column is in its heading.
fn table(growth: Growth) -> Table {
    let mut chart = whole(growth);
    for series in &mut chart.series {
        if let Some(trace) = Trace::ALL.into_iter().find(|trace| series_id(*trace) == series.id) {
            series.label = headed(trace);
        }
    }
    // Series that belong to no trace repeat values of others.
    let is_of_trace = |series: &Series| Trace::ALL.into_iter().any(|trace| series_id(trace) == series.id);
    chart.series.retain(|series| is_gap(series) || is_of_trace(series));
    chart.to_table()
}

fn paint(
    growth: Growth,
    easel: &Easel,
    painted: LastPainted<(LineChart, ChartLayout)>,
    ranges: StoredValue<Ranges, LocalStorage>,
    fade: StoredValue<Fade, LocalStorage>,
) {
    let page = growth.page;
    if page.plot.get_untracked() != PlotChoice::Growth {
        return;
    }
    let new = |count| fade.try_update_value(|fade| fade.at(count)).unwrap_or(Faded::ALL);
    let curves = presence(!growth.is_waiting.get_untracked());
    let mut chart = chart_now(growth, None, curves, new);
    lift(&mut chart, &high());
    page.state.with_untracked(|state| {
        let (end, is_held) = (state.growth_end(), page.held.get_untracked());
        ranges.update_value(|ranges| ranges.apply(&mut chart, state.growth_axis(), end, is_held, wanted_y));
    });
    chart.hover_x = Some(untrack(|| growth.read_at()));
    if let Some(layout) = chart.paint(easel) {
        painted.set_value(Some(Rc::new((chart, layout))));
    }
}

/// The painted chart without the cursor.
fn without_cursor(chart: &LineChart) -> LineChart {
    LineChart { hover_x: None, ..chart.clone() }
}

/// The computed n nearest a pixel column; `None` beside the plot.
fn n_at(page: Page, painted: LastPainted<(LineChart, ChartLayout)>, x: f64) -> Option<f64> {
    let painted = painted.get_value()?;
    let layout = &painted.1;
    // The first and the last n can be reached from a little outside the plot.
    if !(layout.plot.left - 8.0..=layout.plot.right + 8.0).contains(&x) {
        return None;
    }
    let distance = |n: f64| (layout.x_to_px(n) - x).abs();
    lengths(page).into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}

fn lengths(page: Page) -> Vec<f64> {
    page.answers.growth.with_untracked(|data| data.rows().iter().map(|row| row.n).collect())
}

/// Keeps an n as the reading position.
fn keep(page: Page, n: Option<f64>) {
    if let Some(n) = n {
        page.edit("growth-at", |state| state.keep_read_at(n));
    }
}

fn on_key(growth: Growth, spoken: RwSignal<String>, event: &ev::KeyboardEvent) {
    let (page, hover) = (growth.page, growth.hover);
    let lengths = lengths(page);
    let now = untrack(|| growth.read_at());
    let at = lengths.partition_point(|n| *n < now);
    let Some(key) = PlotKey::pressed(event) else { return };
    let to = match key {
        PlotKey::Left => at.saturating_sub(1),
        PlotKey::Right => at + 1,
        PlotKey::PageDown => at.saturating_sub(LEAP),
        PlotKey::PageUp => at + LEAP,
        PlotKey::First => 0,
        PlotKey::Last => usize::MAX,
        PlotKey::Leave => return hover.set(None),
        PlotKey::Up | PlotKey::Down => return,
        PlotKey::Keep => return keep(page, hover.get_untracked()),
    };
    event.prevent_default();
    if let Some(n) = lengths.get(to.min(lengths.len().saturating_sub(1))) {
        hover.set(Some(*n));
        spoken.set(untrack(|| if growth.is_stale() { strings::growth_waiting().into() } else { spoken_at(page, *n) }));
    }
}
