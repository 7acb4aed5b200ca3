//! Means of the norm as tiles: layers by lengths, heads by lengths.

use crate::prelude::*;

use crate::charts::{TilesCanvas, exportable};
use crate::strings;
use lipscope_models::charts::{ModelWords, head_tiles, layer_tiles};
use lipscope_models::{Heads, NormGrid, head_grid, layer_grid, layers_by_head};
use lipscope_plot::Tiles;

use super::figure_data::FigureData;
use crate::models::figure_files::{FileIds, Files};

/// Layers by lengths, where two layers or more were measured.
#[component]
pub fn LayersFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let grid = memo(move |_| shown.groups.with(|groups| layer_grid(groups)));
    let name = move |row: usize| strings::model_place(shown.map(), row, Heads::All);
    view! {
        <TilesFigure
            heading=strings::model_layers_heading()
            ids=Ids {
                heading: "layer-tiles-heading",
                readout: "layer-tiles-readout",
                files: FileIds { canvas: "layer-tiles", table: "layer-tiles-table", export: "export-layer-tiles", file: "lipscope-model-layers", csv: "lipscope-model-layers.csv" },
            }
            grid
            drawn_as=layer_tiles
            name
        />
    }
}

/// Heads by lengths, for the layer on screen if its heads were measured one by one, else for the first such layer.
#[component]
pub fn HeadsFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let at = shown.at;
    let layer = memo(move |_| {
        let now = at.get().map(|(layer, _)| layer);
        let layers = shown.groups.with(|groups| layers_by_head(groups));
        now.filter(|layer| layers.contains(layer)).or_else(|| layers.first().copied())
    });
    let grid = memo(move |_| {
        let layer = layer.get()?;
        shown.groups.with(|groups| head_grid(groups, layer))
    });
    let name = move |row: usize| strings::model_place(shown.map(), layer.get().unwrap_or(0), Heads::One(row));
    view! {
        <TilesFigure
            heading=strings::model_heads_heading()
            ids=Ids {
                heading: "head-tiles-heading",
                readout: "head-tiles-readout",
                files: FileIds { canvas: "head-tiles", table: "head-tiles-table", export: "export-head-tiles", file: "lipscope-model-heads", csv: "lipscope-model-heads.csv" },
            }
            grid
            drawn_as=head_tiles
            name
        />
    }
}

/// The ids of a figure's parts, and the names of its files.
#[derive(Clone, Copy)]
struct Ids {
    heading: &'static str,
    readout: &'static str,
    files: FileIds,
}

/// A grid with its readout, table and files; nothing without a grid.
#[component]
fn TilesFigure(
    /// The heading of the figure.
    heading: &'static str,
    /// The ids of its parts, and the names of its files.
    ids: Ids,
    /// The means of the norm.
    grid: Memo<Option<NormGrid>>,
    /// Makes the picture of the means.
    drawn_as: fn(&NormGrid, &ModelWords) -> Tiles,
    /// The name of a row, by its layer or head.
    name: impl Fn(usize) -> String + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let at = RwSignal::new(None::<(usize, usize)>);
    let tiles = memo(move |_| {
        grid.with(|grid| grid.as_ref().map_or_else(Tiles::default, |grid| drawn_as(grid, &strings::model_words())))
    });
    let words = memo(move |_| {
        tiles.with(|tiles| {
            strings::model_tiles_finding { columns: tiles.cols.len(), rows: tiles.rows.len(), what: heading }.text()
        })
    });
    let read = move || {
        let found = at.get().and_then(|(row, column)| {
            grid.with(|grid| {
                let grid = grid.as_ref()?;
                let (mean, windows) = grid.at(row, column)?;
                let row = name(*grid.rows.get(row)?);
                Some(strings::model_tile_readout(&row, *grid.lengths.get(column)?, mean, windows))
            })
        });
        found.unwrap_or_else(|| strings::model_tile_hint().to_owned())
    };
    let is_there = memo(move |_| grid.with(Option::is_some));
    let figure = move || {
        view! {
            <section class="model-figure" aria-labelledby=ids.heading>
                <h3 id=ids.heading>{heading}</h3>
                <div class="model-tiles">
                    <TilesCanvas id=ids.files.canvas tiles at words readout=ids.readout/>
                </div>
                <p class="readout" id=ids.readout data-testid=ids.readout aria-live="polite">{read}</p>
                <p class="note">{strings::model_tiles_note()}</p>
                <div class="model-foot">
                    <Files
                        ids=ids.files
                        title=heading
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
