//! What the figures of a run show: the map, the column by colour, the layer, and the columns as lines.

use crate::prelude::*;
use leptos::ev;
use web_sys::HtmlSelectElement;

use crate::strings;
use lipscope_run::{LOSS, column_name};

use super::context::{Choice, Slot, use_runs};

/// The choices, of what the first run has.
#[component]
pub fn RunChoices() -> impl IntoView {
    let runs = use_runs();
    let choice = runs.choice;
    let first = move || runs.opened(Slot::First);
    let maps = memo(move |_| {
        first().map_or_else(Vec::new, |opened| opened.run.maps().into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    let map = memo(move |_| runs.view(Slot::First).map_or_else(String::new, |view| view.map));
    let columns = memo(move |_| {
        let of_map = |opened: &super::context::OpenedRun| {
            opened.run.columns(&map.get()).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        first().map_or_else(Vec::new, |opened| of_map(&opened))
    });
    let layers = memo(move |_| first().map_or_else(Vec::new, |opened| opened.run.places(&map.get())));
    let column = memo(move |_| runs.view(Slot::First).map_or_else(String::new, |view| view.column));
    let layer = memo(move |_| runs.view(Slot::First).and_then(|view| view.layer));
    let layer_names = memo(move |_| layers.with(|layers| layers.iter().map(ToString::to_string).collect::<Vec<_>>()));
    let pick_layer = move |name: String| {
        let found = layers.with_untracked(|layers| layers.iter().find(|layer| layer.to_string() == name).cloned());
        choice.update(|choice| choice.layer = found);
    };
    view! {
        <div class="model-tools">
            <NamedChoice id="run-map" label=strings::run_map() names=maps chosen=map on_pick=move |name| choice.update(|choice| choice.map = Some(name))/>
            <NamedChoice id="run-column" label=strings::run_column() names=columns chosen=column on_pick=move |name| choice.update(|choice| choice.column = Some(name))/>
            <NamedChoice
                id="run-layer"
                label=strings::run_layer()
                names=layer_names
                chosen=memo(move |_| layer.get().map_or_else(String::new, |layer| layer.to_string()))
                on_pick=pick_layer
            />
        </div>
        <LineTicks/>
    }
}

/// A select of names that the log has; hidden where there is one only.
#[component]
pub fn NamedChoice(
    /// The id of the select.
    id: &'static str,
    /// Its label.
    label: &'static str,
    /// The names.
    names: Memo<Vec<String>>,
    /// The chosen one.
    chosen: Memo<String>,
    /// Called with the name that the reader picks.
    #[prop(into)]
    on_pick: Callback<String>,
) -> impl IntoView {
    let on_change = move |event: ev::Targeted<ev::Event, HtmlSelectElement>| on_pick.run(event.target().value());
    let options = move || {
        let now = chosen.get();
        let option = |name: String| {
            let (is_now, words) = (name == now, column_name(&name).to_owned());
            view! { <option value=name selected=is_now>{words}</option> }
        };
        names.get().into_iter().map(option).collect_view()
    };
    view! {
        <div class="choice" hidden=move || names.with(|names| names.len() < 2)>
            <label for=id>{label}</label>
            <select id=id on:change:target=on_change>{options}</select>
        </div>
    }
}

/// A box to tick for each column that may be drawn as lines.
#[component]
fn LineTicks() -> impl IntoView {
    let runs = use_runs();
    let names = memo(move |_| {
        let Some(opened) = runs.opened(Slot::First) else { return Vec::new() };
        let mut names: Vec<String> = Vec::new();
        for column in opened.run.maps().into_iter().flat_map(|map| opened.run.columns(map)) {
            if column != LOSS && !names.iter().any(|known| known == column) {
                names.push(column.to_owned());
            }
        }
        names
    });
    let tick = move |name: String| {
        let (shown, of_click) = (name.clone(), name.clone());
        let is_ticked = move || runs.choice.with(|choice| choice.lines.contains(&shown));
        let id = format!("run-line-{name}");
        view! {
            <label class="switch-line">
                <input type="checkbox" id=id prop:checked=is_ticked on:change=move |_| runs.choice.update(|choice| toggle(choice, &of_click))/>
                <span>{column_name(&name).to_owned()}</span>
            </label>
        }
    };
    view! {
        <div class="model-tools" role="group" aria-labelledby="run-lines">
            <span class="note" id="run-lines">{strings::run_lines()}</span>
            {move || names.get().into_iter().map(tick).collect_view()}
        </div>
    }
}

/// Draws a column, or leaves it out.
fn toggle(choice: &mut Choice, column: &str) {
    match choice.lines.iter().position(|known| known == column) {
        Some(at) => drop(choice.lines.remove(at)),
        None => choice.lines.push(column.to_owned()),
    }
}
