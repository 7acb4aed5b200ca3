//! The foot of the opening view: its table, its files, and links to its other pictures.

use crate::prelude::*;

use crate::charts::{ExperimentSource, ExportFold, TableFold, exportable};
use crate::over_n::AxisChoice;
use crate::page::{PlotChoice, use_page};
use crate::strings::{self, Paper};

use super::plot::{chart_now, picture_now};

/// Tables, files, and links to other pictures.
#[component]
pub fn ExploreFolds() -> impl IntoView {
    let page = use_page();
    let csv = move || untrack(|| chart_now(page)).to_csv();
    let table = move || untrack(|| chart_now(page)).to_table();
    let way = move |id: &'static str, plot: PlotChoice, words: &'static str| {
        view! { <button type="button" id=id on:click=move |_| page.plot.set(plot)>{words}</button> }
    };
    view! {
        <div class="explore-ways">
            {way("explore-tokens", PlotChoice::Tokens, strings::way_tokens())}
            {way("explore-spectrum", PlotChoice::Spectrum, strings::way_spectrum())}
            {way("explore-growth", PlotChoice::Growth, strings::way_growth())}
            <AxisChoice id="explore-axis"/>
            <TableFold id="explore-rows" name="lipscope-explore.csv" table csv/>
            <ExportFold
                id="export-explore"
                name="lipscope-explore"
                canvas="explore-plot"
                title=strings::lead()
                figure=move |_: (f64, f64)| exportable(Some(untrack(|| picture_now(page))))
                csv
                paper=Paper::Castin
                behind=ExperimentSource::Experiment
            />
        </div>
    }
}
