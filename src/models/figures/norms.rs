//! The norm of each window over n, with a fit, and with curves that the reader adds; and the norm against the window's
//! attention sink.

use crate::prelude::*;

use crate::strings;
use lipscope_models::charts::{Released, by_sink, norms_chart, sinks_chart};
use lipscope_models::{Cell, Group, Quantity};
use lipscope_plot::{AxisSpec, Scale, Scatter};

use super::curves::{Curves, CurvesMenu, Offered};
use super::earlier::drawn_beside;
use super::figure_data::FigureData;
use super::group_choice::GroupChoice;
use super::window_dots::WindowDots;
use crate::charts::exportable;
use crate::controls::Tick;
use crate::frame::NextTask;
use crate::models::context::use_models;
use crate::models::figure_files::{FileIds, Files};

/// The norm of each window over n, for the layer and head on screen.
#[component]
pub fn NormsFigure(
    /// The table and the choices in it.
    shown: FigureData,
) -> impl IntoView {
    let (at, models) = (shown.at, use_models());
    let released = RwSignal::new(Released::Hidden);
    let is_released = Signal::derive(move || released.get() == Released::Shown);
    let curves = Curves::new(shown, at, is_released);
    let chart = memo(move |_| {
        let (released, published) = (released.get(), curves.drawn());
        let words = strings::model_words();
        let mut chart = shown
            .with_group(at.get(), |group| norms_chart(&[group], released, &published, &words))
            .unwrap_or_else(nothing);
        chart.series.extend(drawn_beside(models.table_beside(), at.get()));
        chart
    });
    let cells = memo(move |_| shown.with_group(at.get(), cells).unwrap_or_default());
    let drawn = RwSignal::new(0);
    let words = memo(move |_| {
        shown
            .with_group(at.get(), |group| strings::model_norms_finding(Some(group)))
            .unwrap_or_else(|| strings::model_norms_finding(None))
    });
    let thinned = move || strings::model_thinned(drawn.get(), chart.with(|chart| chart.dots.len()));
    view! {
        <section class="model-figure" aria-labelledby="model-norms-heading">
            <h3 id="model-norms-heading">{strings::model_norms_heading()}</h3>
            <div class="model-tools">
                <GroupChoice shown id="model-group"/>
                <Tick id="model-released" label=strings::model_released_too() states=[Released::Hidden, Released::Shown] now=released on_change=move |now| released.set(now)/>
            </div>
            <p class="model-fit" data-testid="model-fit-spectral">{move || fit(shown, Quantity::Spectral)}</p>
            <p class="model-fit" data-testid="model-fit-released" hidden=move || !is_released.get()>
                {move || fit(shown, Quantity::Released)}
            </p>
            <p class="note" data-testid="model-released-why" hidden=move || !is_released.get()>
                {strings::model_released_why()} {strings::between_sentences()} {strings::model_released_theorems()}
            </p>
            <WindowDots shown id="model-norms" chart cells drawn words readout="model-norms-readout"/>
            <p class="note" data-testid="model-thinned" hidden=move || thinned().is_empty()>{thinned}</p>
            <div class="model-foot">
                <NextTask>
                    <CurvesMenu curves offered=Offered::Text id="model-curves"/>
                    <Files
                        ids=FileIds { canvas: "model-norms", table: "model-norms-table", export: "export-model-norms", file: "lipscope-model", csv: "lipscope-model.csv" }
                        title=strings::model_norms_heading()
                        figure=move |_: (f64, f64)| exportable(Some(chart.get_untracked()))
                        table=move || shown.lengths()
                        csv=move || shown.csv()
                    />
                </NextTask>
            </div>
        </section>
    }
}

/// An empty chart.
pub fn nothing() -> Scatter {
    Scatter::new(AxisSpec::new("n", Scale::Log), AxisSpec::new("", Scale::Log))
}

/// The norm of each window against its attention sink, for the layer and head on screen.
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

/// The window of each dot.
fn cells(group: &Group) -> Vec<Cell> {
    let with_norm = group.readings.iter().filter(|(_, estimate)| estimate.spectral.is_some());
    with_norm.map(|(cell, _)| *cell).collect()
}

fn fit(shown: FigureData, quantity: Quantity) -> String {
    let fit = shown.with_group(shown.at.get(), |group| group.fit(quantity)).flatten();
    fit.map_or_else(|| strings::model_no_fit(quantity), |fit| strings::model_fit(quantity, &fit))
}
