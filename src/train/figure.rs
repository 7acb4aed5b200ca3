//! A chart of training with its readout, its table and its files.

use crate::prelude::*;

use crate::charts::{ExperimentSource, ExportFold, ReadableChart, TableFold, exportable};
use crate::strings::{self, Paper};
use lipscope_plot::{LineChart, LineStyle};

/// The ids and the file name of a figure.
#[derive(Clone, Copy)]
pub struct FigureIds {
    /// The id of the canvas.
    pub canvas: &'static str,
    /// The id of the line under the canvas.
    pub readout: &'static str,
    /// The id of the table's fold.
    pub table: &'static str,
    /// The id of the fold of exports.
    pub export: &'static str,
    /// The name of its files, without the extension.
    pub file: &'static str,
    /// The name of the table's file.
    pub csv: &'static str,
}

/// Dash patterns that tell lines of one role apart.
pub const LINES: [LineStyle; 4] = [LineStyle::Solid, LineStyle::Dashed, LineStyle::Dotted, LineStyle::DashDot];

/// Chart, table and files.
#[component]
pub fn TrainFigure(
    /// The ids of its parts, and the names of its files.
    ids: FigureIds,
    /// The title of the picture.
    title: &'static str,
    /// The name of the quantity along x, as it stands before a value: "step".
    x_name: &'static str,
    /// The chart to draw.
    chart: Memo<LineChart>,
    /// The chart in words.
    #[prop(into)]
    words: Signal<String>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let read = move || at.get().map_or_else(|| words.get(), |x| chart.with(|chart| reading(chart, x_name, x)));
    // A screen reader hears what the reader reads with keys or pointer, not what changes by itself.
    let live = move || if at.get().is_some() { "polite" } else { "off" };
    let csv = move || chart.with_untracked(LineChart::to_csv);
    view! {
        <div class="train-chart"><ReadableChart id=ids.canvas chart at words readout=ids.readout/></div>
        <p class="readout" id=ids.readout aria-live=live>{read}</p>
        <div class="model-foot">
            <TableFold id=ids.table name=ids.csv table=move || chart.with(LineChart::to_table) csv/>
            <ExportFold
                id=ids.export
                name=ids.file
                canvas=ids.canvas
                title
                figure=move |_: (f64, f64)| exportable(Some(chart.get_untracked()))
                csv
                paper=Paper::Kim
                source=ExperimentSource::Others
            />
        </div>
    }
}

/// The values of all curves at an x, in words.
fn reading(chart: &LineChart, x_name: &str, x: f64) -> String {
    let named = chart.series.iter().filter(|series| !series.label.is_empty());
    let values = named.filter_map(|series| {
        let nearest = series.data.iter().min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs()))?;
        // A run that ended before this step has no value here.
        ((nearest.0 - x).abs() < 0.5).then(|| strings::train_value(&series.label, nearest.1))
    });
    strings::train_reading(x_name, x, &values.collect::<Vec<_>>())
}
