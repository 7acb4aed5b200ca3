//! The norm of each window against its attention sink.

use crate::prelude::*;

use crate::charts::exportable;
use crate::strings;
use lipscope_models::charts::{by_sink, sinks_chart};

use super::figure_data::FigureData;
use super::files::{FileIds, Files};
use super::window_dots::WindowDots;

/// The figure, for the layer and head on screen.
#[component]
pub fn SinksFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let at = shown.at;
    // Sorted once, for the chart and for finding a dot's window.
    let readings = memo(move |_| shown.with_group(at.get(), by_sink).unwrap_or_default());
    let chart = memo(move |_| readings.with(|readings| sinks_chart(readings, &strings::model_words())));
    let cells = memo(move |_| readings.with(|readings| readings.iter().map(|(cell, _)| *cell).collect()));
    let is_there = move || chart.with(|chart| !chart.dots.is_empty());
    let where_it_is = move || at.get().map(|(layer, heads)| strings::model_place(shown.map(), layer, heads));
    view! {
        <section class="model-figure" aria-labelledby="model-sinks-heading" hidden=move || !is_there()>
            <h3 id="model-sinks-heading">{strings::model_sinks_heading()} <small>{where_it_is}</small></h3>
            <p class="note">{strings::model_sinks_note()}</p>
            <WindowDots
                shown
                id="model-sinks"
                chart
                cells
                words=Signal::derive(|| strings::model_sinks_finding().to_owned())
                readout="model-sinks-readout"
            />
            <div class="model-foot">
                <Files
                    ids=FileIds { canvas: "model-sinks", table: "model-sinks-table", export: "export-model-sinks", file: "lipscope-sinks", csv: "lipscope-sinks.csv" }
                    title=strings::model_sinks_heading()
                    figure=move |_: (f64, f64)| exportable(Some(chart.get_untracked()))
                    table=move || shown.lengths()
                    csv=move || shown.csv()
                />
            </div>
        </section>
    }
}
