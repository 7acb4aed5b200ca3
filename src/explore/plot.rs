//! The plot of the opening view on its canvas, with the readout of pointer and keys, and the foot of the plot: its
//! table, its files and links to other plots.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{
    Easel, ExperimentSource, ExportFold, LastPainted, Paint, PanelSource, TableFold, Timing, exportable,
    keep_for_paper, use_easel,
};
use crate::field::Field;
use crate::frame::When;
use crate::later::{LaterView, Piece, use_later};
use crate::over_n::{AxisChoice, Ranges, length_at, lift, of_present, on_length_key};
use crate::page::{Page, PlotChoice, use_page};
use crate::panels::{OwnDataKind, use_panels};
use crate::plane::{Size, scene_at_rest, use_plane};
use crate::state::{PageState, XAxis};
use crate::strings::{self, Paper};
use lipscope_plot::{ChartLayout, LineChart};

use super::chart::{HIGH, explore_chart, id, last_n, shaded, wanted_y};
use super::pins::{Pinned, is_pinned, use_pinned};

/// The plot, its readout, and the curves that are missing.
#[component]
pub fn ExplorePlot() -> impl IntoView {
    let page = use_page();
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<(LineChart, ChartLayout)> = StoredValue::new_local(None);
    let ranges = StoredValue::new_local(Ranges::default());
    let hover = RwSignal::new(None::<f64>);
    let (pinned, later) = (use_pinned(), use_later());
    let watch = move || {
        page.answers.sweep.track();
        page.answers.bounds.track();
        page.answers.known.track();
        page.answers.measured.track();
        pinned.0.track();
        page.state.track();
        page.held.track();
        page.plot.track();
        hover.track();
    };
    use_easel(canvas, Timing::Number(When::Before), watch, move |easel| {
        paint((page, pinned), easel, painted, ranges, hover)
    });
    let readout = memo(move |_| {
        // The readout uses the layout of the painted chart, which is no signal: these signals say when it changes.
        page.answers.sweep.track();
        page.answers.bounds.track();
        page.answers.known.track();
        page.answers.measured.track();
        page.state.track();
        hover.get().map(|n| untrack(|| read(page, pinned, painted, n)))
    });
    let is_log = memo(move |_| page.state.with(|state| state.explore_axis() == XAxis::LogLog));
    // The n at which the reader has left the cursor. Tokens that were moved would be lost if a click set n at once.
    let rested = RwSignal::new(None::<f64>);
    let on_click = move |event: ev::MouseEvent| {
        rested.set(n_at(painted, f64::from(event.offset_x())));
        hover.set(rested.get_untracked());
    };
    let offered =
        memo(move |_| rested.get().filter(|n| page.state.with(|state| !state.has_fixed_n() && state.n_tokens() != *n)));
    view! {
        <figure class="explore-plot">
            <div class="explore-stage">
                <canvas
                    node_ref=canvas
                    id="explore-plot"
                    role="img"
                    tabindex="0"
                    aria-label=strings::explore_plot()
                    aria-describedby="explore-readout explore-table"
                    on:pointermove=move |event: ev::PointerEvent| hover.set(n_at(painted, f64::from(event.offset_x())))
                    on:pointerleave=move |_| hover.set(rested.get_untracked())
                    on:blur=move |_| hover.set(rested.get_untracked())
                    on:click=on_click
                    on:keydown=move |event| {
                        rested.set(None);
                        on_length_key(page, hover, &event, |n| keep(page, n));
                    }
                ></canvas>
            </div>
            <figcaption>
                <p class="readout" id="explore-readout" data-testid="explore-readout" aria-live="polite">
                    {move || readout.get().unwrap_or_default()}
                </p>
                <div class="explore-foot">
                    <button type="button" id="explore-log" aria-pressed=move || is_log.get().to_string() on:click=move |_| page.edit("x-axis", switch_log)>
                        {strings::explore_log()}
                    </button>
                    <button
                        type="button"
                        id="set-n"
                        hidden=move || offered.get().is_none()
                        on:click=move |_| {
                            keep(page, offered.get_untracked());
                            rested.set(None);
                        }
                    >
                        {move || offered.get().map(strings::set_n)}
                    </button>
                    <LaterView wanted=later.is_here() piece=Piece::BoundNames/>
                    <LaterView wanted=later.is_here() piece=Piece::Pins/>
                </div>
                <LaterView wanted=later.is_here() piece=Piece::AtN/>
            </figcaption>
        </figure>
    }
}

/// Chooses logarithmic axes, or the plot's own again.
fn switch_log(state: &mut PageState) {
    state.x_axis = (state.explore_axis() != XAxis::LogLog).then_some(XAxis::LogLog);
}

/// The chart as a picture.
fn picture_now(page: Page, pinned: Pinned) -> LineChart {
    let mut chart = shaded(chart_now(page, pinned));
    lift(&mut chart, &HIGH);
    chart
}

/// The chart on screen, with the axes that `ranges` keeps.
fn ranged(page: Page, pinned: Pinned, ranges: &mut Ranges) -> LineChart {
    let mut chart = picture_now(page, pinned);
    page.state.with_untracked(|state| {
        let last = last_n(&page.answers.sweep.read_untracked(), &page.answers.bounds.read_untracked(), state);
        let (last, is_held) = (last.max(state.n_tokens()), page.held.get_untracked());
        ranges.apply(&mut chart, state.explore_axis(), last, is_held, wanted_y);
    });
    chart
}

/// The chart with the axes that it has when nothing was dragged: for the opening view, and for a file.
pub fn first_picture(page: Page, pinned: Pinned) -> LineChart {
    ranged(page, pinned, &mut Ranges::default())
}

/// The chart of what is known now.
pub fn chart_now(page: Page, pinned: Pinned) -> LineChart {
    let answers = page.answers;
    let (sweep, curves) = (answers.sweep.read_untracked(), answers.bounds.read_untracked());
    let (known, current) = (answers.known.read_untracked(), answers.measured.get_untracked());
    explore_chart(&sweep, &curves, &known, current.as_deref(), &pinned.0.read_untracked(), &page.state.read_untracked())
}

/// Three ways on; and the foot of the plot: its table, its files, and links to other plots.
#[component]
pub fn ExploreFolds() -> impl IntoView {
    let (page, pinned, plane) = (use_page(), use_pinned(), use_plane());
    let disc = move |_: (f64, f64)| exportable(untrack(|| scene_at_rest(plane, Size::Opening)));
    keep_for_paper("explore-plane", strings::lead(), disc);
    let present = move || of_present(chart_now(page, pinned));
    let csv = move || present().to_csv();
    let table = move || present().to_table();
    let way = move |id: &'static str, plot: PlotChoice, words: &'static str| {
        view! { <button type="button" id=id on:click=move |_| page.plot.set(plot)>{words}</button> }
    };
    let (panels, later) = (use_panels(), use_later());
    let card = |title: &'static str, words: &'static str| view! { <strong>{title}</strong> <span>{words}</span> };
    view! {
        <nav class="cards" aria-label=strings::cards()>
            <a class="card" id="card-root" href="#v3&lesson=sink.1">{card(strings::card_root(), strings::card_root_about())}</a>
            <button type="button" class="card" id="card-model" on:click=move |_| page.plot.set(PlotChoice::Model)>
                {card(strings::card_model(), strings::card_model_about())}
            </button>
            <button type="button" class="card" id="card-own" on:click=move |_| panels.open_own_data(OwnDataKind::Tokens, later)>
                {card(strings::card_own(), strings::card_own_about())}
            </button>
        </nav>
        <div class="explore-ways">
            {way("explore-tokens", PlotChoice::Tokens, strings::way_tokens())}
            {way("explore-spectrum", PlotChoice::Spectrum, strings::way_spectrum())}
            {way("explore-growth", PlotChoice::Growth, strings::way_growth())}
            <AxisChoice id="explore-axis" now=PageState::explore_axis/>
            <TableFold id="explore-rows" name="lipscope-explore.csv" table csv is_old=move || !page.is_measured()/>
            <ExportFold
                id="export-explore"
                name="lipscope-explore"
                canvas="explore-plot"
                title=strings::lead()
                figure=move |_: (f64, f64)| exportable(Some(untrack(|| first_picture(page, pinned))))
                csv
                paper=Paper::Castin
                source=ExperimentSource::Experiment
                left=PanelSource { canvas: "explore-plane", figure: Callback::from(disc) }
            />
        </div>
    }
}

fn paint(
    (page, pinned): (Page, Pinned),
    easel: &Easel,
    painted: LastPainted<(LineChart, ChartLayout)>,
    ranges: StoredValue<Ranges, LocalStorage>,
    hover: RwSignal<Option<f64>>,
) {
    if page.plot.get_untracked() != PlotChoice::Explore {
        return;
    }
    let mut chart =
        ranges.try_update_value(|ranges| ranged(page, pinned, ranges)).unwrap_or_else(|| picture_now(page, pinned));
    chart.hover_x = hover.get_untracked();
    if let Some(layout) = chart.paint(easel) {
        painted.set_value(Some(Rc::new((chart, layout))));
    }
}

/// The length under a pixel column.
fn n_at(painted: LastPainted<(LineChart, ChartLayout)>, x: f64) -> Option<f64> {
    length_at(&*painted.get_value()?, x)
}

/// The values at a length, in one line: those of the present state.
fn read(page: Page, pinned: Pinned, painted: LastPainted<(LineChart, ChartLayout)>, n: f64) -> String {
    let values = painted
        .get_value()
        .and_then(|painted| of_present(chart_now(page, pinned)).at(&painted.1, n))
        .unwrap_or_default();
    let of_curves: Vec<_> =
        values.into_iter().filter(|value| value.id != id::CURRENT && !is_pinned(&value.id)).collect();
    strings::readout(n, &of_curves)
}

fn keep(page: Page, n: Option<f64>) {
    let is_fixed = page.state.with_untracked(PageState::has_fixed_n);
    if let Some(n) = n.filter(|_| !is_fixed) {
        page.edit(Field::N.id, |state| Field::N.choose(state, n));
    }
}
