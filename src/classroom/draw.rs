//! The canvas, in place of the plots, on which a reader draws a curve. Once the reader has revealed the measured curve,
//! the canvas shows it too. A mark is placed in `place`.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{LastPainted, Paint, TableFold, Timing, use_easel};
use crate::frame::When;
use crate::keys::GuessKey;
use crate::lessons::Prediction;
use crate::strings;
use lipscope_plot::{AxisSpec, ChartLayout, Extent, LineChart, Number, Role, Scale, Series, SeriesKind, Table};

use super::context::{Classroom, use_classroom};
use super::guess::{self, HIGHEST, LOWEST, is_guessed, prediction_now};
use super::place::PlaceMark;

/// An arrow key moves a handle up or down by this factor.
const STEP: f64 = 1.122;

/// The picture on which a curve is drawn.
#[component]
pub fn DrawCurve() -> impl IntoView {
    let room = use_classroom();
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<ChartLayout> = StoredValue::new_local(None);
    let handle = RwSignal::new(0usize);
    // The last place of the pointer while the reader draws.
    let last = StoredValue::new_local(None::<(f64, f64)>);
    let chart = memo(move |_| chart(room, handle.get()));
    use_easel(
        canvas,
        Timing::Frame(When::Before),
        move || chart.track(),
        move |easel| {
            if let Some(layout) = chart.with_untracked(|chart| chart.paint(easel)) {
                painted.set_value(Some(Rc::new(layout)));
            }
        },
    );
    let value = memo(move |_| guess::curve(room).get(handle.get()).copied().unwrap_or((2.0, LOWEST)));
    let draw_to = move |event: &ev::PointerEvent| {
        let to = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        draw(room, painted, handle, last.get_value().unwrap_or(to), to);
        last.set_value(Some(to));
    };
    let on_down = move |event: ev::PointerEvent| {
        if guess::task_is_open(room) {
            // The reader may go on drawing outside the canvas. Where the browser refuses the capture, drawing ends at
            // the edge.
            let _ = event_target::<web_sys::Element>(&event).set_pointer_capture(event.pointer_id());
            draw_to(&event);
        }
    };
    let on_move = move |event: ev::PointerEvent| {
        if last.with_value(Option::is_some) {
            draw_to(&event);
        }
    };
    let lift = move |_: ev::PointerEvent| last.set_value(None);
    let on_key = move |event: ev::KeyboardEvent| on_key(room, handle, &event);
    view! {
        <div class="plot-stage">
            <canvas
                node_ref=canvas
                id="guess-curve"
                class="guess-canvas"
                role="slider"
                tabindex="0"
                aria-label=strings::draw_label()
                aria-orientation="vertical"
                aria-valuemin=LOWEST
                aria-valuemax=HIGHEST
                aria-valuenow=move || value.get().1.to_string()
                aria-valuetext=move || strings::handle(value.get().0, value.get().1)
                aria-describedby="guess-hint"
                data-handle=move || handle.get().to_string()
                on:pointerdown=on_down
                on:pointermove=on_move
                on:pointerup=lift
                on:pointercancel=lift
                on:keydown=on_key
            ></canvas>
        </div>
        <div class="plot-foot">
            <p class="readout" id="guess-hint">{strings::draw_hint()}</p>
            <TableFold
                id="guess-table"
                name="lipscope-guess.csv"
                table=move || table(room, |x| Number::of(x).to_string())
                csv=move || untrack(|| table(room, |x| x.to_string())).to_csv()
            />
        </div>
    }
}

/// The picture that the reader draws on, while a step asks for it.
#[component]
pub fn GuessStage() -> impl IntoView {
    let room = use_classroom();
    let prediction = memo(move |_| prediction_now(room));
    view! {
        <div class="guess" hidden=move || !is_guessed(room)>
            {move || match prediction.get() {
                Prediction::None | Prediction::Choice(_) => ().into_any(),
                Prediction::Curve => view! { <DrawCurve/> }.into_any(),
                Prediction::Mark => view! { <PlaceMark/> }.into_any(),
            }}
        </div>
    }
}

fn chart(room: Classroom, handle: usize) -> LineChart {
    let yours = guess::curve(room);
    let is_open = guess::is_covered(room);
    let mut series = Vec::with_capacity(4);
    if !is_open {
        let measured = guess::measured_curve(room);
        let name = room.page.answers.sweep.with(|sweep| strings::mean_label(sweep.of.as_ref()));
        series.push(Series::new("measured", name, Role::Measured, SeriesKind::Line, measured.clone()));
        series.push(Series::new("measured-points", "", Role::Measured, SeriesKind::Points, measured));
    }
    if is_open || guess::has_guessed(room) {
        series.push(Series::new("yours", strings::your_curve(), Role::Selected, SeriesKind::Line, yours.clone()));
        series.push(Series::new("handles", "", Role::Selected, SeriesKind::Points, yours.clone()));
    }
    // The measured curve may reach further than that of a student.
    let lengths = series.iter().flat_map(|series| &series.data).chain(&yours).map(|point| point.0);
    let range = Extent::of(lengths);
    let mut chart = axes(range, series);
    chart.hover_x = yours.get(handle).filter(|_| is_open).map(|point| point.0);
    chart
}

/// The axes of a curve that a reader draws, up to this range of n, with some curves.
pub fn axes(lengths: Option<Extent>, series: Vec<Series>) -> LineChart {
    LineChart::new(
        AxisSpec::new(strings::guess_x(), Scale::Log).range(lengths).whole(),
        AxisSpec::new(strings::guess_y(), Scale::Log).range(Extent::new(LOWEST, HIGHEST)),
        series,
    )
}

/// Moves the handles between two places of the pointer onto the line through both places. Moves the handle nearest to
/// the second place to the height of that place.
fn draw(room: Classroom, painted: LastPainted<ChartLayout>, handle: RwSignal<usize>, from: (f64, f64), to: (f64, f64)) {
    let Some(layout) = painted.get_value() else { return };
    let columns: Vec<f64> = untrack(|| guess::curve(room)).iter().map(|point| layout.x_to_px(point.0)).collect();
    let (low, high) = (from.0.min(to.0), from.0.max(to.0));
    for (at, column) in columns.iter().enumerate().filter(|(_, column)| (low..=high).contains(*column)) {
        let share = if to.0 == from.0 { 1.0 } else { (column - from.0) / (to.0 - from.0) };
        guess::set_handle(room, at, layout.px_to_y(from.1 + share * (to.1 - from.1)));
    }
    let distance = |at: &usize| (columns[*at] - to.0).abs();
    if let Some(nearest) = (0..columns.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        guess::set_handle(room, nearest, layout.px_to_y(to.1));
        handle.set(nearest);
    }
}

fn on_key(room: Classroom, handle: RwSignal<usize>, event: &ev::KeyboardEvent) {
    if event.alt_key() || event.ctrl_key() || event.meta_key() {
        return;
    }
    let Some(key) = GuessKey::of(&event.key()) else { return };
    event.prevent_default();
    let curve = untrack(|| guess::curve(room));
    let (now, last) = (handle.get_untracked(), curve.len().saturating_sub(1));
    let times = |factor: f64| {
        if let Some((_, value)) = curve.get(now).filter(|_| guess::task_is_open(room)) {
            guess::set_handle(room, now, value * factor);
        }
    };
    match key {
        GuessKey::Left => handle.set(now.saturating_sub(1)),
        GuessKey::Right => handle.set((now + 1).min(last)),
        GuessKey::First => handle.set(0),
        GuessKey::Last => handle.set(last),
        GuessKey::Up => times(STEP),
        GuessKey::Down => times(STEP.recip()),
        GuessKey::PageUp => times(2.0),
        GuessKey::PageDown => times(0.5),
        GuessKey::Reveal => guess::reveal_guess(room),
    }
}

/// A row for each handle. Measured values are in it only once the reader has revealed them.
fn table(room: Classroom, written: impl Fn(f64) -> String) -> Table {
    let is_open = guess::is_covered(room);
    let beside = guess::curve_beside(room);
    let row = |(n, yours): (f64, f64)| {
        let measured = beside.iter().find(|row| row.0 == n && !is_open).map(|row| row.2);
        let cells = [measured, measured.map(|measured| yours / measured)];
        [n.to_string(), written(yours)]
            .into_iter()
            .chain(cells.map(|cell| cell.map_or_else(String::new, &written)))
            .collect()
    };
    let rows = guess::curve(room).into_iter().map(row).collect();
    Table { header: strings::guess_columns().map(String::from).to_vec(), rows }
}
