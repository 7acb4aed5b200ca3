//! The numbers of a picture: as a table to read, and as CSV.

use crate::prelude::*;
use leptos::ev;

use crate::files::{copy, download};
use crate::page::use_page;
use crate::strings;
use lipscope_plot::Table;

/// A folded table. It is made when the reader opens the fold, and again whenever an answer changes while the fold is
/// open. While its rows belong to another state they stay, greyed, so that they do not flicker while a slider moves.
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
    /// Whether the rows that were made last belong to another state, and new ones are on their way.
    #[prop(optional, into)]
    is_old: Signal<bool>,
) -> impl IntoView {
    let page = use_page();
    let is_open = RwSignal::new(false);
    let shown = memo(move |before: Option<&Option<Table>>| match before {
        Some(Some(before)) if is_open.get() && is_old.get() => Some(before.clone()),
        _ => is_open.get().then(|| {
            page.answers.sweep.track();
            page.answers.measured.track();
            page.answers.bounds.track();
            page.answers.growth.track();
            page.answers.searched.track();
            page.answers.known.track();
            table.run(())
        }),
    });
    let on_toggle = move |event: ev::Event| {
        let details = event_target::<web_sys::Element>(&event);
        is_open.set(details.has_attribute("open"));
    };
    let note = RwSignal::new("");
    view! {
        <details class="table-fold" class:stale=is_old id=id on:toggle=on_toggle>
            <summary>{strings::table()}</summary>
            <div class="table-fold-tools">
                <button type="button" on:click=move |_| copy(csv.run(()), note)>{strings::copy_csv()}</button>
                <button type="button" on:click=move |_| download(name, "text/csv", &csv.run(()))>{strings::download_csv()}</button>
                <span role="status">{move || note.get()}</span>
            </div>
            <div class="table-fold-rows" aria-busy=move || is_old.get().to_string() tabindex="0" role="group" aria-label=strings::table()>
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
