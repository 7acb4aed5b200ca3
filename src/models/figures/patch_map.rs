//! Which patches of a picture the worst small change moves, as tiles laid out as in the picture.

use crate::prelude::*;

use crate::charts::{TilesCanvas, exportable};
use crate::models::context::use_models;
use crate::models::form_at_hand::use_form;
use crate::strings;
use lipscope_models::PictureSizes;
use lipscope_models::charts::{patch_table, patch_tiles};
use lipscope_plot::Number;

use super::figure_data::FigureData;
use crate::models::figure_files::{FileIds, Files};

/// The worst change at the picture that the reader asks for, if the table is of the form's model of pictures.
#[component]
pub fn PatchMapFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let form = use_form();
    let config = shown.config(form);
    let is_at_hand = move || {
        let text = form.session()?.facts.with(|facts| facts.as_ref().map(|facts| facts.text.clone()))?;
        Some(shown.table.with(|table| table.as_ref().is_some_and(|table| table.subject.text == text)))
    };
    // The same model may have been shown other pictures since.
    let picture = memo(move |_| config.get().and_then(|config| config.picture).filter(|_| is_at_hand() == Some(true)));
    move || picture.get().map(|picture| view! { <Change shown picture/> })
}

/// The button, the tiles and their table.
#[component]
fn Change(
    /// The table and the choices in it.
    shown: FigureData,
    /// The sizes of the model's pictures.
    picture: PictureSizes,
) -> impl IntoView {
    let form = use_form();
    let (found, is_awaited) = (use_models().change, use_models().is_change_awaited);
    let at = RwSignal::new(None::<(usize, usize)>);
    let tiles = memo(move |_| {
        let words = strings::model_words();
        let of = |change: &[f64]| patch_tiles(change, picture, &words);
        found.with(|found| found.as_ref().and_then(|found| of(&found.change.tokens))).unwrap_or_default()
    });
    let heading = strings::model_patches_heading();
    let line = move || {
        found.with(|found| {
            let found = found.as_ref()?;
            let name = form.session()?.facts.with(|facts| facts.as_ref()?.pictures.get(found.cell.window).cloned())?;
            Some(strings::model_patches_line(shown.map(), &name, found, picture.first))
        })
    };
    let words = memo(move |_| {
        let (rows, columns) = tiles.with(|tiles| (tiles.rows.len(), tiles.cols.len()));
        strings::model_patches_finding { columns, rows }.text()
    });
    let read = move || {
        let of = |(row, column)| {
            Some(strings::model_patch_readout(row, column, tiles.with(|tiles| tiles.value(row, column))?))
        };
        at.get().and_then(of).unwrap_or_else(|| strings::model_patches_hint().to_owned())
    };
    let table = move |written: fn(f64) -> String| {
        let words = strings::model_words();
        found
            .with(|found| found.as_ref().map(|found| patch_table(&found.change.tokens, picture, &words, written)))
            .unwrap_or_default()
    };
    let on_ask = move |_| {
        if let Some((session, cell)) = form.session().zip(shown.selected.get_untracked()) {
            session.ask_change(cell);
        }
    };
    let is_there = memo(move |_| found.with(Option::is_some));
    let ids = FileIds {
        canvas: "patch-map",
        table: "patch-map-table",
        export: "export-patch-map",
        file: "lipscope-model-patches",
        csv: "lipscope-model-patches.csv",
    };
    let drawn = move || {
        view! {
            <p class="readout" role="status" data-testid="patch-map-line">{line}</p>
            <div class="model-tiles model-patches">
                <TilesCanvas id=ids.canvas tiles at words readout="patch-map-readout"/>
            </div>
            <p class="readout" id="patch-map-readout" data-testid="patch-map-readout" aria-live="polite">{read}</p>
            <div class="model-foot">
                <Files
                    ids
                    title=heading
                    figure=move |_: (f64, f64)| exportable(Some(tiles.get_untracked()))
                    table=move || table(|share| Number::of(share).to_string())
                    csv=move || table(|share| share.to_string()).to_csv()
                />
            </div>
        }
    };
    view! {
        <section class="model-figure" aria-labelledby="patch-map-heading">
            <h3 id="patch-map-heading">{heading}</h3>
            <p class="note">{strings::model_patches_note()}</p>
            <div class="model-tools">
                <button type="button" id="patch-map-find" disabled=move || shown.reading().is_none() on:click=on_ask>
                    {strings::model_patches_button()}
                </button>
            </div>
            <p class="note" role="status" data-testid="patch-map-status">
                {move || is_awaited.get().then(strings::model_patches_searching)}
            </p>
            {move || is_there.get().then(drawn)}
        </section>
    }
}
