//! The loss, the layers by colour, and lines, over the steps. Pointer and keys choose the step and the layer.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{LastPainted, Paint, Timing, exportable, use_easel};
use crate::frame::When;
use crate::keys::PlotKey;
use crate::models::figure_files::{FileIds, Files};
use crate::strings;
use lipscope_plot::{AxisSpec, Panel, Panels, PanelsLayout, Scale, Table};
use lipscope_run::{RunView, panels_height, run_panels, step_table};

use super::context::{OpenedRun, Runs, Slot, use_runs};
use super::player::{go_to, index};

/// The height of a chart of lines in CSS pixels.
const LINES: f64 = 150.0;
/// The ids of both figures.
const IDS: [FileIds; 2] = [
    FileIds {
        canvas: "run-plot",
        table: "run-table",
        export: "export-run",
        file: "lipscope-run",
        csv: "lipscope-run.csv",
    },
    FileIds {
        canvas: "run-plot-beside",
        table: "run-table-beside",
        export: "export-run-beside",
        file: "lipscope-run-beside",
        csv: "lipscope-run-beside.csv",
    },
];
const READOUTS: [&str; 2] = ["run-readout", "run-readout-beside"];

/// The figure of a run with its readout, table and files.
#[component]
pub fn PanelsOfRun(
    /// Which run.
    which: Slot,
) -> impl IntoView {
    let (runs, slot) = (use_runs(), which);
    let (ids, readout) = (IDS[slot as usize], READOUTS[slot as usize]);
    let panels = memo(move |_| {
        with_run(runs, slot, |opened, view| run_panels(&opened.run, view, &strings::run_words()))
            .unwrap_or_else(no_panels)
    });
    let height =
        memo(move |_| with_run(runs, slot, |opened, view| panels_height(&opened.run, view, LINES)).unwrap_or(LINES));
    let about =
        move || with_run(runs, slot, |opened, view| strings::run_about_line(&opened.name, &opened.run, &view.map));
    let words =
        move || with_run(runs, slot, |opened, view| strings::run_in_words(&opened.run, view)).unwrap_or_default();
    let marked = move || panels.get_untracked().marked(Some(untrack(|| step_of(runs, slot)) as f64), "");
    let table = move || {
        with_run(runs, slot, |opened, view| {
            step_table(&opened.run, &view.map, opened.run.step_up_to(runs.step.get()), &strings::run_words())
        })
        .unwrap_or_else(Table::default)
    };
    view! {
        <div class="model-figure">
            <p class="note" data-testid=format!("{readout}-about")>{about}</p>
            <div class="model-tiles" style=move || format!("--tall:{}px", height.get())>
                <PanelsCanvas which=slot id=ids.canvas readout panels words=Signal::derive(words)/>
            </div>
            <p class="readout" id=readout data-testid=readout aria-live="polite">{move || read(runs, slot)}</p>
            <p class="note">{strings::run_hint()}</p>
            <div class="model-foot">
                <Files
                    ids
                    title=strings::run_heading()
                    figure=move |_: (f64, f64)| exportable(Some(marked()))
                    table
                    csv=move || panels.with_untracked(Panels::to_csv)
                />
            </div>
        </div>
    }
}

/// Something of the run of a slot. Tracks the run and what is shown of it.
fn with_run<T>(runs: Runs, slot: Slot, make: impl FnOnce(&OpenedRun, &RunView) -> T) -> Option<T> {
    let (opened, view) = (runs.opened(slot)?, runs.view(slot)?);
    Some(make(&opened, &view))
}

fn no_panels() -> Panels {
    Panels::new(&AxisSpec::new("", Scale::Linear), Vec::new())
}

/// The last measured step of a run up to the chosen one. Tracks both.
pub fn step_of(runs: Runs, slot: Slot) -> u64 {
    let step = runs.step.get();
    runs.opened(slot).map_or(step, |opened| opened.run.step_up_to(step))
}

/// The row at the chosen step and layer as a line.
fn read(runs: Runs, slot: Slot) -> String {
    let step = step_of(runs, slot);
    let row = with_run(runs, slot, |opened, view| {
        let place = view.layer.as_ref()?;
        opened.run.row(&view.map, place, step).map(strings::run_row)
    });
    row.flatten().unwrap_or_else(|| strings::run_step(step))
}

/// The panels on a canvas.
#[component]
fn PanelsCanvas(
    /// Which run.
    which: Slot,
    /// The id of the canvas.
    id: &'static str,
    /// The id of the readout.
    readout: &'static str,
    /// The panels without the mark.
    panels: Memo<Panels>,
    /// The panels in words.
    words: Signal<String>,
) -> impl IntoView {
    let (runs, slot) = (use_runs(), which);
    let canvas = NodeRef::<Canvas>::new();
    let watch = move || {
        panels.track();
        runs.step.track();
    };
    let painted: LastPainted<PanelsLayout> = StoredValue::new_local(None);
    use_easel(canvas, Timing::Frame(When::Before), watch, move |easel| {
        let step = untrack(|| step_of(runs, slot)) as f64;
        if let Some(layout) = panels.get_untracked().marked(Some(step), "").paint(easel) {
            painted.set_value(Some(Rc::new(layout)));
        }
    });
    let on_pointer = move |event: ev::PointerEvent| {
        let is_pressed = event.buttons() & 1 == 1;
        if let Some(layout) = painted.get_value().filter(|_| is_pressed) {
            point(runs, slot, panels, &layout, (f64::from(event.offset_x()), f64::from(event.offset_y())));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let Some(key) = PlotKey::pressed(&event) else { return };
        if press(runs, slot, key) {
            event.prevent_default();
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
            on:pointermove=on_pointer
            on:pointerdown=on_pointer
            on:keydown=on_key
        ></canvas>
    }
}

/// Chooses the step, and over the layers the layer, at a pixel.
fn point(runs: Runs, slot: Slot, panels: Memo<Panels>, layout: &PanelsLayout, (x, y): (f64, f64)) {
    let Some(step) = layout.x_at(x) else { return };
    go_to(runs, untrack(|| nearest(runs, step)));
    let row = layout.panel_at(y).and_then(|(at, own, y)| {
        panels.with_untracked(|panels| match panels.panels().nth(at) {
            Some(Panel::Rows(rows)) => rows.row_at(own, y),
            _ => None,
        })
    });
    if let Some(row) = row {
        choose_layer(runs, slot, row);
    }
}

/// The index of the measured step of the first run that is nearest to a place on the axis.
fn nearest(runs: Runs, step: f64) -> usize {
    let below = index(runs, step.max(0.0) as u64);
    let Some(opened) = runs.opened(Slot::First) else { return below };
    let distance = |at: &usize| opened.run.steps().get(*at).map_or(f64::INFINITY, |known| (*known as f64 - step).abs());
    [below, below + 1].into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(below)
}

/// Does what a key asks for; false for a key that does nothing here.
fn press(runs: Runs, slot: Slot, key: PlotKey) -> bool {
    let at = untrack(|| index(runs, runs.step.get()));
    match key {
        PlotKey::Left => go_to(runs, at.saturating_sub(1)),
        PlotKey::Right => go_to(runs, at + 1),
        PlotKey::First => go_to(runs, 0),
        PlotKey::Last => go_to(runs, usize::MAX),
        PlotKey::Up => move_layer(runs, slot, -1),
        PlotKey::Down => move_layer(runs, slot, 1),
        PlotKey::PageUp | PlotKey::PageDown | PlotKey::Leave | PlotKey::Keep => return false,
    }
    true
}

/// Chooses the layer above or below.
fn move_layer(runs: Runs, slot: Slot, by: isize) {
    let now = untrack(|| {
        with_run(runs, slot, |opened, view| {
            let places = opened.run.places(&view.map);
            places.iter().position(|place| Some(place) == view.layer.as_ref())
        })
    });
    choose_layer(runs, slot, now.flatten().map_or(0, |row| row.saturating_add_signed(by)));
}

/// Chooses the layer of a row; the last one where there are fewer.
fn choose_layer(runs: Runs, slot: Slot, row: usize) {
    let places = untrack(|| with_run(runs, slot, |opened, view| opened.run.places(&view.map))).unwrap_or_default();
    let Some(place) = places.get(row.min(places.len().saturating_sub(1))) else { return };
    if runs.choice.with_untracked(|choice| choice.layer.as_ref() != Some(place)) {
        runs.choice.update(|choice| choice.layer = Some(place.clone()));
    }
}
