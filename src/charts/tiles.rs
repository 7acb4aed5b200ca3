//! Tiles on a canvas that the reader reads with pointer or keys.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use super::easel::{LastPainted, Paint, Timing, use_easel};
use crate::frame::When;
use crate::keys::PlotKey;
use lipscope_plot::{Tiles, TilesLayout};

/// The height of a plot without rows, and of each row, in CSS pixels.
const HEIGHT: (usize, usize) = (86, 30);
/// The least and the greatest height in CSS pixels.
const HEIGHTS: (usize, usize) = (150, 460);

/// Tiles on a canvas.
#[component]
pub fn TilesCanvas(
    /// The id of the canvas.
    id: &'static str,
    /// The tiles without the selection.
    tiles: Memo<Tiles>,
    /// The row and column that are read.
    at: RwSignal<Option<(usize, usize)>>,
    /// The tiles in words.
    #[prop(into)]
    words: Signal<String>,
    /// The id of the readout.
    readout: &'static str,
) -> impl IntoView {
    let canvas = NodeRef::<Canvas>::new();
    let watch = move || {
        tiles.track();
        at.track();
    };
    let painted: LastPainted<TilesLayout> = StoredValue::new_local(None);
    use_easel(canvas, Timing::Frame(When::After), watch, move |easel| {
        let tiles = Tiles { selected: at.get_untracked(), ..tiles.get_untracked() };
        if let Some(layout) = tiles.paint(easel) {
            painted.set_value(Some(Rc::new(layout)));
        }
    });
    let on_pointer = move |event: ev::PointerEvent| {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let found = painted.get_value().and_then(|layout| layout.cell_at(x, y));
        if found != at.get_untracked() {
            at.set(found);
        }
    };
    // A finger leaves the canvas when it is lifted; what it has touched stays.
    let on_leave = move |event: ev::PointerEvent| {
        if event.pointer_type() != "touch" {
            at.set(None);
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let Some(key) = PlotKey::pressed(&event) else { return };
        let (rows, cols) = tiles.with_untracked(|tiles| (tiles.rows.len(), tiles.cols.len()));
        let Some(last) = (rows * cols).checked_sub(1) else { return };
        let now = at.get_untracked().map(|(row, col)| row * cols + col);
        let to = match (key, now) {
            (PlotKey::Leave, _) => {
                at.set(None);
                return;
            }
            (PlotKey::Keep, _) => return,
            (PlotKey::Last, _) => last,
            (PlotKey::First, _) | (_, None) => 0,
            (PlotKey::Left, Some(now)) => now.saturating_sub(1),
            (PlotKey::Right, Some(now)) => (now + 1).min(last),
            (PlotKey::Up | PlotKey::PageUp, Some(now)) => now.checked_sub(cols).unwrap_or(now),
            (PlotKey::Down | PlotKey::PageDown, Some(now)) => Some(now + cols).filter(|to| *to <= last).unwrap_or(now),
        };
        event.prevent_default();
        at.set(Some((to / cols, to % cols)));
    };
    let height = move || {
        let rows = tiles.with(|tiles| tiles.rows.len());
        format!("--tall:{}px", (HEIGHT.0 + HEIGHT.1 * rows).clamp(HEIGHTS.0, HEIGHTS.1))
    };
    view! {
        <canvas
            node_ref=canvas
            id=id
            class="lab-canvas"
            style=height
            role="img"
            tabindex="0"
            aria-label=move || words.get()
            aria-describedby=readout
            on:pointermove=on_pointer
            on:pointerdown=on_pointer
            on:pointerleave=on_leave
            on:blur=move |_| at.set(None)
            on:keydown=on_key
        ></canvas>
    }
}
