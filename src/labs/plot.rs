//! A plot of a lab: a chart that the reader reads with pointer or keys, its readout, its table and its files.

use crate::prelude::*;

use crate::charts::{ExperimentSource, ExportFold, ReadableChart, TableFold, exportable};
use crate::strings::{self, Paper};
use lipscope_plot::{Kind, LineChart, Number, Table};

use crate::query::Query;

/// The ids and the file name of a plot; `plot_ids!("scaled")` makes those that begin or end with "scaled".
#[derive(Clone, Copy)]
pub struct PlotIds {
    pub canvas: &'static str,
    pub readout: &'static str,
    pub table: &'static str,
    pub export: &'static str,
    pub file: &'static str,
    pub csv: &'static str,
}

/// See [`PlotIds`].
macro_rules! plot_ids {
    ($id:literal) => {
        $crate::labs::plot::PlotIds {
            canvas: concat!($id, "-plot"),
            readout: concat!($id, "-readout"),
            table: concat!($id, "-table"),
            export: concat!("export-", $id),
            file: concat!("lipscope-", $id),
            csv: concat!("lipscope-", $id, ".csv"),
        }
    };
}
pub(super) use plot_ids;

/// Makes the table of a run. The function that it receives writes the numbers.
type MakeTable<T> = fn(&T, Written<'_>) -> Table;
/// Writes a number of a table: all of it in a file; on the page with four digits, rounded to the side of its sign.
pub type Written<'a> = &'a dyn Fn(f64, Kind) -> String;

/// A number of a table on the page.
pub fn shown(x: f64, kind: Kind) -> String {
    match kind {
        Kind::LowerBound | Kind::UpperBound => Number::digits(x, kind).to_string(),
        _ => Number::of(x).to_string(),
    }
}

/// A number of a table in a file.
pub fn all_digits(x: f64, _: Kind) -> String {
    x.to_string()
}

/// A plot of a lab: the run that it shows, and the chart, sentence, readout and table made from it.
pub struct LabPlot<T: 'static> {
    ids: PlotIds,
    run: Query<T>,
    at: RwSignal<Option<f64>>,
    chart: Memo<LineChart>,
    words: Memo<String>,
    read: Memo<String>,
    table: MakeTable<T>,
}

impl<T: Send + Sync + 'static> LabPlot<T> {
    /// `chart` draws the run, `words` describes the drawing in a sentence, and `read` gives the values at an x.
    pub fn new(
        ids: PlotIds,
        run: Query<T>,
        chart: impl Fn(&T) -> LineChart + Send + Sync + 'static,
        words: impl Fn(&T) -> String + Send + Sync + 'static,
        read: impl Fn(&T, Option<f64>) -> String + Send + Sync + 'static,
        table: MakeTable<T>,
    ) -> Self {
        let at = RwSignal::new(None::<f64>);
        let chart = memo(move |_| run.with(|data| LineChart { note: strings::lab_note(&run.phase()), ..chart(data) }));
        let words = memo(move |_| run.with(|data| words(data)));
        let read = memo(move |_| run.with(|data| read(data, at.get())));
        LabPlot { ids, run, at, chart, words, read, table }
    }

    /// The x under the pointer or the keys.
    pub fn at(&self) -> RwSignal<Option<f64>> {
        self.at
    }

    /// The plot with its readout, table and files.
    pub fn view(self, title: &'static str, paper: Paper, source: ExperimentSource) -> AnyView {
        let LabPlot { ids, run, at, chart, words, read, table } = self;
        let csv = move || run.with_untracked(|data| table(data, &all_digits).to_csv());
        let table = move || run.with(|data| table(data, &shown));
        let made = Made { chart, words, read, table: table.into(), csv: csv.into() };
        plot_view(ids, at, made, title, paper, source)
    }
}

/// The parts of a plot that do not depend on its type of data.
struct Made {
    chart: Memo<LineChart>,
    words: Memo<String>,
    read: Memo<String>,
    table: Callback<(), Table>,
    csv: Callback<(), String>,
}

fn plot_view(
    ids: PlotIds,
    at: RwSignal<Option<f64>>,
    Made { chart, words, read, table, csv }: Made,
    title: &'static str,
    paper: Paper,
    source: ExperimentSource,
) -> AnyView {
    // A screen reader hears what the reader reads with keys or pointer, not what changes by itself.
    let live = move || if at.get().is_some() { "polite" } else { "off" };
    view! {
        <div class="lab-figure">
            <div class="plot-stage"><ReadableChart id=ids.canvas chart at words readout=ids.readout/></div>
            <p class="readout" id=ids.readout aria-live=live>{read}</p>
            <div class="lab-export">
                <TableFold id=ids.table name=ids.csv table csv/>
                <ExportFold id=ids.export name=ids.file canvas=ids.canvas title figure=move |_: (f64, f64)| exportable(Some(chart.get_untracked())) csv paper source/>
            </div>
        </div>
    }
    .into_any()
}
