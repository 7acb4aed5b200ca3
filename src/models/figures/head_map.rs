//! The norms of single heads at one length as tiles: layers by heads.

use crate::prelude::*;
use leptos::ev;

use crate::charts::{TilesCanvas, exportable};
use crate::models::form_at_hand::use_form;
use crate::strings;
use lipscope_models::charts::{head_map_table, head_map_tiles, key_head};
use lipscope_models::{HeadMap, Heads};
use lipscope_plot::{Number, Tiles};

use super::figure_data::FigureData;
use crate::models::figure_files::{FileIds, Files};

/// Layers by heads at a length that the reader chooses, the longest at first, where two heads or more were measured one
/// by one. Gaps stand between groups of heads that share keys and values, if the form's model is that of the table.
#[component]
pub fn HeadMapFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let config = shown.config(use_form());
    let lengths = memo(move |_| shown.groups.with(|groups| HeadMap::lengths(groups)));
    let chosen = RwSignal::new(None::<usize>);
    let length = memo(move |_| {
        let wanted = chosen.get();
        lengths.with(|lengths| wanted.filter(|n| lengths.contains(n)).or_else(|| lengths.last().copied()))
    });
    let map = memo(move |_| shown.groups.with(|groups| HeadMap::of(groups, length.get()?)));
    let at = RwSignal::new(None::<(usize, usize)>);
    let tiles = memo(move |_| {
        let words = strings::model_words();
        map.with(|map| {
            map.as_ref().map_or_else(Tiles::default, |map| head_map_tiles(map, config.get().as_ref(), &words))
        })
    });
    let heading = strings::model_head_map_heading();
    let groups = move || {
        let config = config.get().filter(|config| config.key_heads < config.heads)?;
        Some(strings::model_head_map_groups { groups: config.key_heads, size: config.heads / config.key_heads }.text())
    };
    let words = memo(move |_| {
        let finding = tiles.with(|tiles| {
            strings::model_tiles_finding { columns: tiles.cols.len(), rows: tiles.rows.len(), what: heading }.text()
        });
        groups().map_or_else(|| finding.clone(), |groups| format!("{finding} {groups}"))
    });
    let read = move || {
        let found = at.get().and_then(|(row, column)| {
            map.with(|map| {
                let map = map.as_ref()?;
                let (mean, windows) = map.at(row, column)?;
                let head = *map.heads.get(column)?;
                let place = strings::model_place(shown.map(), *map.layers.get(row)?, Heads::One(head));
                let place = match key_head(config.get().as_ref(), head) {
                    Some(group) => strings::model_head_map_place { group, place: &place }.text(),
                    None => place,
                };
                Some(strings::model_tile_readout(&place, map.n, mean, windows))
            })
        });
        found.unwrap_or_else(|| strings::model_tile_hint().to_owned())
    };
    let table = move |written: fn(f64) -> String| {
        let words = strings::model_words();
        map.with(|map| map.as_ref().map(|map| head_map_table(map, config.get().as_ref(), &words, written)))
            .unwrap_or_default()
    };
    let options = move || {
        let now = length.get();
        let option = |n: usize| view! { <option value=n.to_string() selected=Some(n) == now>{n}</option> };
        lengths.get().into_iter().map(option).collect_view()
    };
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        chosen.set(event.target().value().parse().ok());
    };
    let is_there = memo(move |_| map.with(Option::is_some));
    let ids = FileIds {
        canvas: "head-map",
        table: "head-map-table",
        export: "export-head-map",
        file: "lipscope-model-head-map",
        csv: "lipscope-model-head-map.csv",
    };
    let figure = move || {
        view! {
            <section class="model-figure" aria-labelledby="head-map-heading">
                <h3 id="head-map-heading">{heading}</h3>
                <div class="model-tools">
                    <div class="choice" hidden=move || lengths.with(|lengths| lengths.len() < 2)>
                        <label for="head-map-length">{strings::model_head_map_length()}</label>
                        <select id="head-map-length" on:change:target=on_change>{options}</select>
                    </div>
                </div>
                <div class="model-tiles">
                    <TilesCanvas id=ids.canvas tiles at words readout="head-map-readout"/>
                </div>
                <p class="readout" id="head-map-readout" data-testid="head-map-readout" aria-live="polite">{read}</p>
                <p class="note" data-testid="head-map-groups" hidden=move || groups().is_none()>{groups}</p>
                <p class="note">{strings::model_tiles_note()}</p>
                <div class="model-foot">
                    <Files
                        ids
                        title=heading
                        figure=move |_: (f64, f64)| exportable(Some(tiles.get_untracked()))
                        table=move || table(|mean| Number::of(mean).to_string())
                        csv=move || table(|mean| mean.to_string()).to_csv()
                    />
                </div>
            </section>
        }
    };
    move || is_there.get().then(figure)
}
