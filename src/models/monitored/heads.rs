//! Numbers of single heads at the chosen step: layers by heads.

use crate::prelude::*;

use crate::charts::{TilesCanvas, exportable};
use crate::models::figure_files::{FileIds, Files};
use crate::strings;
use lipscope_plot::{Number, Tiles};
use lipscope_run::{column_name, head_tiles};

use super::choices::NamedChoice;
use super::context::{Slot, use_runs};
use super::panels::step_of;

/// The ids of both figures.
const IDS: [FileIds; 2] = [
    FileIds {
        canvas: "run-heads",
        table: "run-heads-table",
        export: "export-run-heads",
        file: "lipscope-run-heads",
        csv: "lipscope-run-heads.csv",
    },
    FileIds {
        canvas: "run-heads-beside",
        table: "run-heads-beside-table",
        export: "export-run-heads-beside",
        file: "lipscope-run-heads-beside",
        csv: "lipscope-run-heads-beside.csv",
    },
];
const HEADINGS: [&str; 2] = ["run-heads-heading", "run-heads-beside-heading"];
const READOUTS: [&str; 2] = ["run-heads-readout", "run-heads-beside-readout"];
const COLUMNS: [&str; 2] = ["run-heads-column", "run-heads-beside-column"];

/// The heads of the first map that has numbers of heads; nothing without one.
#[component]
pub fn HeadsOfRun(
    /// Which run.
    which: Slot,
) -> impl IntoView {
    let (runs, slot) = (use_runs(), which);
    let ids = IDS[slot as usize];
    let chosen = RwSignal::new(None::<String>);
    let map = memo(move |_| {
        let opened = runs.opened(slot)?;
        let maps = opened.run.maps().into_iter();
        maps.map(str::to_owned).find(|map| !opened.run.head_columns(map).is_empty())
    });
    let columns = memo(move |_| {
        let found = runs.opened(slot).zip(map.get());
        let names = |opened: &super::context::OpenedRun, map: &str| {
            opened.run.head_columns(map).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        found.map_or_else(Vec::new, |(opened, map)| names(&opened, &map))
    });
    let column = memo(move |_| {
        let wanted = chosen.get();
        columns
            .with(|columns| wanted.filter(|one| columns.contains(one)).or_else(|| columns.first().cloned()))
            .unwrap_or_default()
    });
    let tiles = memo(move |_| {
        let found = runs.opened(slot).zip(map.get());
        found.map_or_else(Tiles::default, |(opened, map)| {
            head_tiles(&opened.run, &map, &column.get(), step_of(runs, slot), &strings::run_words())
        })
    });
    let at = RwSignal::new(None::<(usize, usize)>);
    let words = memo(move |_| {
        tiles.with(|tiles| {
            let (heads, layers) = (tiles.cols.len(), tiles.rows.len());
            strings::run_heads_finding { column: column_name(&column.get()), heads, layers, step: step_of(runs, slot) }
                .text()
        })
    });
    let read = move || {
        let found = at.get().and_then(|(row, col)| tiles.with(|tiles| readout(tiles, row, col)));
        found.unwrap_or_else(|| strings::model_tile_hint().to_owned())
    };
    let is_there = memo(move |_| map.with(Option::is_some));
    let figure = move || {
        view! {
            <section class="model-figure" aria-labelledby=HEADINGS[slot as usize]>
                <h3 id=HEADINGS[slot as usize]>{strings::run_heads_heading()}</h3>
                <div class="model-tools">
                    <NamedChoice id=COLUMNS[slot as usize] label=strings::run_heads_column() names=columns chosen=column on_pick=move |name| chosen.set(Some(name))/>
                </div>
                <div class="model-tiles"><TilesCanvas id=ids.canvas tiles at words readout=READOUTS[slot as usize]/></div>
                <p class="readout" id=READOUTS[slot as usize] data-testid=READOUTS[slot as usize] aria-live="polite">{read}</p>
                <div class="model-foot">
                    <Files
                        ids
                        title=strings::run_heads_heading()
                        figure=move |_: (f64, f64)| exportable(Some(tiles.get_untracked()))
                        table=move || tiles.with(Tiles::to_table)
                        csv=move || tiles.with_untracked(Tiles::to_csv)
                    />
                </div>
            </section>
        }
    };
    move || is_there.get().then(figure)
}

/// The number of a head as a line.
fn readout(tiles: &Tiles, row: usize, col: usize) -> Option<String> {
    let (layer, head) = (tiles.rows.get(row)?, tiles.cols.get(col)?);
    let value =
        tiles.value(row, col).map_or_else(|| strings::run_words::absent().to_owned(), |x| Number::of(x).to_string());
    Some(strings::run_heads_readout { head, layer, value }.text())
}
