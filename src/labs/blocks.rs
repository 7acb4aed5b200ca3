//! The picture of the Jacobian's blocks: a cell for each pair of tokens. The reader selects a cell with pointer or
//! keys.

use std::rc::Rc;

use crate::prelude::*;
use leptos::ev;
use leptos::html::Canvas;

use crate::charts::{ExperimentSource, ExportFold, LastPainted, Paint, TableFold, Timing, exportable, use_easel};
use crate::frame::When;
use crate::keys::PlotKey;
use crate::page::use_page;
use crate::query::Query;
use crate::strings::{self, Paper};
use lipscope_core::picture::BlockPicture;
use lipscope_core::spectrum::{Spectrum, TopBlock};
use lipscope_plot::{HeatMapLayout, Number};

use super::blocks_map::{blocks_map, blocks_table, selected};

/// What the lab of the singular values shows of one Jacobian.
#[derive(Clone, Debug, Default)]
pub struct SpectrumData {
    /// The singular values.
    pub values: Option<Spectrum>,
    /// The norms of its blocks.
    pub blocks: Option<BlockPicture>,
}

/// The heat map with its readout, its table and its files.
#[component]
pub fn BlocksFigure(
    /// The singular values, and the norms of blocks.
    run: Query<SpectrumData>,
) -> impl IntoView {
    let settings = use_page().settings;
    let canvas = NodeRef::<Canvas>::new();
    let painted: LastPainted<HeatMapLayout> = StoredValue::new_local(None);
    let place = memo(move |_| {
        let chosen = settings.with(|settings| settings.block);
        run.with(|data| selected(data.blocks.as_ref()?, chosen, top_of(data)))
    });
    let map = move || run.with(|data| data.blocks.as_ref().map(|picture| blocks_map(picture, place.get())));
    let watch = move || {
        run.track();
        place.track();
    };
    use_easel(canvas, Timing::Frame(When::After), watch, move |easel| {
        if let Some(layout) = untrack(map).and_then(|map| map.paint(easel)) {
            painted.set_value(Some(Rc::new(layout)));
        }
    });
    let read = memo(move |_| {
        run.with(|data| match (data.blocks.as_ref(), place.get()) {
            (Some(picture), Some(place)) => strings::blocks_readout(picture, place, top_of(data)),
            _ => strings::blocks_hint().to_owned(),
        })
    });
    let words = move || run.with(|data| strings::blocks_finding(data.blocks.as_ref(), &read.get()));
    let note = move || {
        run.with(|data| {
            let Some(picture) = &data.blocks else { return String::new() };
            let about = strings::blocks_note(picture.places);
            let is_whole = picture.side == picture.n;
            if is_whole {
                about.to_owned()
            } else {
                format!("{about} {}", strings::drawn_of { drawn: picture.side, n: picture.n }.text())
            }
        })
    };
    let select = move |place: Option<(usize, usize)>| settings.update(|settings| settings.block = place);
    let on_press = move |event: ev::PointerEvent| {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        if let Some((Some(output), input)) = painted.get_value().and_then(|layout| layout.cell_at(x, y)) {
            select(Some((output, input)));
        }
    };
    let on_key = move |event: ev::KeyboardEvent| {
        let Some(key) = PlotKey::pressed(&event) else { return };
        let side = run.with_untracked(|data| data.blocks.as_ref().map_or(0, |picture| picture.side));
        let Some(((output, input), last)) = place.get_untracked().zip(side.checked_sub(1)) else { return };
        let to = match key {
            PlotKey::Left => (output, input.saturating_sub(1)),
            PlotKey::Right => (output, (input + 1).min(last)),
            PlotKey::Up => (output.saturating_sub(1), input),
            PlotKey::Down => ((output + 1).min(last), input),
            PlotKey::First => (0, 0),
            PlotKey::Last => (last, last),
            PlotKey::Leave => return select(None),
            PlotKey::PageUp | PlotKey::PageDown | PlotKey::Keep => return,
        };
        event.prevent_default();
        select(Some(to));
    };
    let csv = move || run.with_untracked(|data| blocks_table(data.blocks.as_ref(), &|x| x.to_string()).to_csv());
    view! {
        <figure class="blocks" aria-labelledby="blocks-heading">
            <h3 id="blocks-heading">{strings::blocks_heading()}</h3>
            <div class="plot-stage">
                <canvas
                    node_ref=canvas
                    id="blocks-map"
                    class="lab-canvas"
                    role="img"
                    tabindex="0"
                    aria-label=words
                    aria-describedby="blocks-readout"
                    on:pointerdown=on_press
                    on:keydown=on_key
                ></canvas>
            </div>
            <figcaption>
                <p class="readout" id="blocks-readout" aria-live="polite">{read}</p>
                <p class="note" data-testid="blocks-note">{note}</p>
                <div class="lab-export">
                    <TableFold
                        id="blocks-table"
                        name="lipscope-blocks.csv"
                        table=move || run.with(|data| blocks_table(data.blocks.as_ref(), &|x| Number::of(x).to_string()))
                        csv
                    />
                    <ExportFold
                        id="export-blocks"
                        name="lipscope-blocks"
                        canvas="blocks-map"
                        title=strings::blocks_heading()
                        figure=move |_: (f64, f64)| exportable(untrack(map))
                        csv
                        paper=Paper::Castin
                        source=ExperimentSource::Experiment
                    />
                </div>
            </figcaption>
        </figure>
    }
}

fn top_of(data: &SpectrumData) -> Option<&TopBlock> {
    data.values.as_ref().and_then(|spectrum| spectrum.top.as_ref()).and_then(|top| top.block.as_ref())
}
