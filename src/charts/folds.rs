//! The folds under the first pictures, with tables and exports.

use crate::prelude::*;

use crate::page::use_page;
use crate::strings::{self, Paper};
use lipscope_core::picture::AttentionPicture;
use lipscope_plot::{Ladder, Number, Table, ascending};

use super::attention_map::{heat_map, with_picture};
use super::export::{ExperimentSource, ExportFold};
use super::ladder::with_ladder;
use super::picture::exportable;
use super::table_fold::TableFold;

/// Up to this many tokens the table is the whole matrix. Above, it has the tokens that receive most attention.
const WHOLE_UP_TO: usize = 12;
/// How many tokens the table has where the matrix is too large for it.
const SUMMARY: usize = 12;

/// The folds under the attention matrix.
#[component]
pub fn AttentionFolds() -> impl IntoView {
    let page = use_page();
    let csv = move || with_picture(page, |picture| heat_map(picture).to_csv()).unwrap_or_default();
    view! {
        <TableFold
            id="attention-table"
            name="lipscope-attention.csv"
            table=move || with_picture(page, table).unwrap_or_default()
            csv
        />
        <ExportFold
            id="export-attention"
            name="lipscope-attention"
            canvas="attention-map"
            title=strings::attention_heading()
            figure=move |_: (f64, f64)| exportable(with_picture(page, heat_map))
            csv
            paper=Paper::Castin
            source=ExperimentSource::Experiment
        />
    }
}

/// The folds under the bound ladder, and the bounds that are absent.
#[component]
pub fn LadderFolds() -> impl IntoView {
    let page = use_page();
    let csv = move || with_ladder(page, |ladder| ladder.to_csv()).unwrap_or_default();
    let absent = memo(move |_| {
        page.answers.measured.with(|m| m.as_ref().map(|m| strings::bounds_absent(&m.measurement)).unwrap_or_default())
    });
    view! {
        <ul class="absent" data-testid="ladder-absent" hidden=move || absent.with(Vec::is_empty)>
            {move || absent.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}
        </ul>
        <TableFold
            id="ladder-table"
            name="lipscope-bounds.csv"
            table=move || with_ladder(page, |ladder| ladder.table()).unwrap_or_default()
            csv
        />
        <ExportFold
            id="export-ladder"
            name="lipscope-bounds"
            canvas="ladder"
            title=strings::ladder_heading()
            figure=move |_: (f64, f64)| exportable(with_ladder(page, Ladder::clone))
            csv
            paper=Paper::Castin
            source=ExperimentSource::Experiment
        />
    }
}

/// The whole matrix where it is small, else the tokens that receive most attention.
fn table(picture: &AttentionPicture) -> Table {
    let number = |x: f32| Number::of(f64::from(x)).to_string();
    if picture.side == picture.n && picture.n <= WHOLE_UP_TO {
        let header =
            std::iter::once(strings::from_to().to_owned()).chain((1..=picture.n).map(|j| j.to_string())).collect();
        let row = |(i, row): (usize, &[f32])| {
            std::iter::once((i + 1).to_string()).chain(row.iter().map(|x| number(*x))).collect()
        };
        return Table { header, rows: picture.weights.chunks(picture.n).enumerate().map(row).collect() };
    }
    let mut order: Vec<usize> = (0..picture.column_sums.len()).collect();
    ascending(&mut order, |token| -picture.column_sums[*token]);
    let row = |token: &usize| vec![(token + 1).to_string(), Number::of(picture.column_sums[*token]).to_string()];
    Table {
        header: vec![strings::unit(picture.unit).into(), strings::column_sum().into()],
        rows: order.iter().take(SUMMARY).map(row).collect(),
    }
}
