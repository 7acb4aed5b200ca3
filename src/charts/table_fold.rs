//! The numbers of a picture: as a table to read, and as CSV.

use crate::prelude::*;
use leptos::ev;

use crate::files::{copy, download};
use crate::page::use_page;
use crate::strings;
use lipscope_plot::Table;

/// A folded table. It is made when the reader opens the fold, and again whenever an answer changes while the fold is
/// open.
#[component]
pub fn TableFold(
    /// The id of the fold.
    id: &'static str,
    /// The name of the file with all digits.
    name: &'static str,
    /// Makes the table.
    #[prop(into)]
    table: Callback<(), Table>,
    /// Makes the file.
    #[prop(into)]
    csv: Callback<(), String>,
) -> impl IntoView {
    let page = use_page();
    let is_open = RwSignal::new(false);
    let shown = memo(move |_| {
        is_open.get().then(|| {
            page.answers.sweep.track();
            page.answers.measured.track();
            page.answers.bounds.track();
            page.answers.growth.track();
            page.answers.searched.track();
            page.answers.known.track();
            table.run(())
        })
    });
    let on_toggle = move |event: ev::Event| {
        let details = event_target::<web_sys::Element>(&event);
        is_open.set(details.has_attribute("open"));
    };
    let note = RwSignal::new("");
    view! {
        <details class="twin" id=id on:toggle=on_toggle>
            <summary>{strings::table()}</summary>
            <div class="twin-tools">
                <button type="button" on:click=move |_| copy(csv.run(()), note)>{strings::copy_csv()}</button>
                <button type="button" on:click=move |_| download(name, "text/csv", &csv.run(()))>{strings::download_csv()}</button>
                <span role="status">{move || note.get()}</span>
            </div>
            <div class="twin-table" tabindex="0" role="group" aria-label=strings::table()>
                {move || shown.get().map(rows)}
            </div>
        </details>
    }
}

fn rows(table: Table) -> impl IntoView {
    let line =
        |row: Vec<String>| view! { <tr>{row.into_iter().map(|cell| view! { <td>{cell}</td> }).collect_view()}</tr> };
    view! {
        <table>
            <thead>
                <tr>{table.header.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr>
            </thead>
            <tbody>{table.rows.into_iter().map(line).collect_view()}</tbody>
        </table>
    }
}
