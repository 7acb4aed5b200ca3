//! The foot of a figure: its table, and what can be exported from it.

use crate::prelude::*;

use crate::charts::{ExperimentSource, ExportFold, Picture, TableFold};
use crate::strings::Paper;
use lipscope_plot::Table;

/// The ids of a foot's parts, and the names of its files.
#[derive(Clone, Copy)]
pub struct FileIds {
    /// The id of the canvas.
    pub canvas: &'static str,
    /// The id of the table's fold.
    pub table: &'static str,
    /// The id of the fold of exports.
    pub export: &'static str,
    /// The name of its files, without the extension.
    pub file: &'static str,
    /// The name of the table's file.
    pub csv: &'static str,
}

/// Table, picture and numbers of a figure.
#[component]
pub fn Files(
    /// The ids of its parts, and the names of its files.
    ids: FileIds,
    /// The title of the picture.
    title: &'static str,
    /// Makes the picture as it is now, for a size in CSS pixels.
    #[prop(into)]
    figure: Callback<((f64, f64),), Picture>,
    /// Makes the table.
    #[prop(into)]
    table: Callback<(), Table>,
    /// Makes the CSV file of the figure's numbers.
    #[prop(into)]
    csv: Callback<(), String>,
) -> impl IntoView {
    view! {
        <TableFold id=ids.table name=ids.csv table csv/>
        <ExportFold
            id=ids.export
            name=ids.file
            canvas=ids.canvas
            title
            figure
            csv
            paper=Paper::Castin
            source=ExperimentSource::Others
        />
    }
}
