//! A scatter plot on a canvas. The reader selects its dots by pointer, finger or keys.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{LastPainted, Paint, Timing, use_easel};
use crate::frame::When;
use crate::keys::PlotKey;
use lipscope_plot::{Scatter, ScatterLayout};

/// Dots on a canvas.
#[component]
pub fn DotsCanvas(
    /// The id of the canvas.
    id: &'static str,
    /// The chart without the selection.
    chart: Memo<Scatter>,
    /// Which dot is selected.
    #[prop(into)]
    selected: Signal<Option<usize>>,
    /// Called with the dot that the reader selects, or with none.
    #[prop(into)]
    on_select: Callback<Option<usize>>,
    /// Called when the reader wants to open the selected dot.
    #[prop(into)]
    on_open: Callback<()>,
    /// Receives the number of dots that are drawn.
    #[prop(optional)]
    drawn: RwSignal<usize>,
    /// The chart in words.
    #[prop(into)]
    words: Signal<String>,
    /// The id of the line about the selected dot.
    readout: &'static str,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<ScatterLayout> = StoredValue::new_local(None);
    let has_ground = RwSignal::new(false);
    let watch = move || {
        chart.track();
        selected.track();
        has_ground.track();
    };
    use_easel(canvas, Timing::Frame(When::After), watch, move |easel| {
        let scatter = Scatter { selected: selected.get_untracked(), ..chart.get_untracked() };
        // When the plot is first drawn, one task draws the axes and the next one the dots. The first drawing takes
        // several times as long as later ones, since browsers compile code when it first runs.
        let is_first = !has_ground.get_untracked();
        if is_first && easel.area().is_some_and(|area| scatter.draw_under(&area, &easel.style).is_ok()) {
            return has_ground.set(true);
        }
        if let Some(layout) = scatter.paint(easel) {
            drawn.set(layout.n_drawn());
            painted.set_value(Some(Rc::new(layout)));
        }
    });
    let on_pointer = move |event: ev::PointerEvent| {
        let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let found = painted.get_value().and_then(|layout| layout.nearest(at));
        // A pointer that is near no dot leaves the selection as it is.
        if found.is_some() && found != selected.get_untracked() {
            on_select.run(found);
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let Some(key) = PlotKey::pressed(&event) else { return };
        let now = selected.get_untracked();
        let to = chart.with_untracked(|chart| {
            let last = chart.dots.len().checked_sub(1)?;
            let from = now.filter(|at| *at <= last);
            Some(match (key, from) {
                (PlotKey::Up | PlotKey::Down, _) => return None,
                (PlotKey::Leave, _) => Step::Leave,
                (PlotKey::Keep, _) => Step::Open,
                (PlotKey::Last, _) => Step::To(last),
                (PlotKey::First, _) | (_, None) => Step::To(0),
                (PlotKey::Left, Some(at)) => Step::To(at.saturating_sub(1)),
                (PlotKey::Right, Some(at)) => Step::To((at + 1).min(last)),
                (PlotKey::PageUp, Some(at)) => Step::To(chart.next_x(at).unwrap_or(last)),
                (PlotKey::PageDown, Some(at)) => Step::To(chart.previous_x(at).unwrap_or(0)),
            })
        });
        let Some(to) = to else { return };
        event.prevent_default();
        match to {
            Step::To(at) => on_select.run(Some(at)),
            Step::Leave => on_select.run(None),
            Step::Open => on_open.run(()),
        }
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
            on:pointermove=move |event| if event.pointer_type() == "mouse" && event.buttons() == 1 { on_pointer(event) }
            on:pointerdown=on_pointer
            on:keydown=on_key
        ></canvas>
    }
}

/// What a key does.
enum Step {
    To(usize),
    Leave,
    Open,
}
