//! A line chart that the reader reads with pointer or keys.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use super::easel::{LastPainted, Paint, Timing, use_easel};
use crate::frame::When;
use crate::keys::PlotKey;
use lipscope_plot::{ChartLayout, LineChart};

/// A chart on a canvas; `at` is the x that is read, `None` where nobody points.
#[component]
pub fn ReadableChart(
    /// The id of the canvas.
    id: &'static str,
    /// The chart to draw.
    chart: Memo<LineChart>,
    /// The x under the pointer or the keys.
    at: RwSignal<Option<f64>>,
    /// The chart in words.
    #[prop(into)]
    words: Signal<String>,
    /// The id of the line of text that names the values at this x.
    readout: &'static str,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let watch = move || {
        chart.track();
        at.track();
    };
    let painted: LastPainted<ChartLayout> = StoredValue::new_local(None);
    use_easel(canvas, Timing::Frame(When::Before), watch, move |easel| {
        let chart = LineChart { hover_x: at.get_untracked(), ..chart.get_untracked() };
        if let Some(layout) = chart.paint(easel) {
            painted.set_value(Some(Rc::new(layout)));
        }
    });
    let on_pointer = move |event: ev::PointerEvent| at.set(x_at(chart, painted, f64::from(event.offset_x())));
    let on_key = move |event: ev::KeyboardEvent| {
        let places = chart.with_untracked(LineChart::x_values);
        let Some(last) = places.len().checked_sub(1) else { return };
        let now = at.get_untracked().map_or(last, |x| places.partition_point(|place| *place < x));
        let Some(key) = PlotKey::pressed(&event) else { return };
        let to = match key {
            PlotKey::Left => now.saturating_sub(1),
            PlotKey::Right => now + 1,
            PlotKey::First => 0,
            PlotKey::Last => last,
            PlotKey::Leave => return at.set(None),
            PlotKey::Up | PlotKey::Down | PlotKey::PageDown | PlotKey::PageUp | PlotKey::Keep => return,
        };
        event.prevent_default();
        at.set(places.get(to.min(last)).copied());
    };
    view! {
        <canvas
            node_ref=canvas
            id=id
            class="lab-canvas"
            role="img"
            tabindex="0"
            aria-label=move || words.get()
            aria-describedby=readout
            on:pointermove=on_pointer
            on:pointerdown=on_pointer
            on:pointerleave=move |_| at.set(None)
            on:blur=move |_| at.set(None)
            on:keydown=on_key
        ></canvas>
    }
}

/// Of all x in the chart's data, the one nearest to a pixel column.
fn x_at(chart: Memo<LineChart>, painted: LastPainted<ChartLayout>, px: f64) -> Option<f64> {
    let layout = painted.get_value()?;
    let distance = |x: f64| (layout.x_to_px(x) - px).abs();
    chart.with_untracked(LineChart::x_values).into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}
