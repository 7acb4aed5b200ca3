//! The choice of layer and head.

use crate::prelude::*;
use leptos::ev;

use crate::strings;
use lipscope_models::Heads;

use super::figure_data::{At, FigureData};

/// A select of all layers and heads of the table; hidden where there is only one.
#[component]
pub fn GroupChoice(
    /// The table and the choices in it.
    shown: FigureData,
    /// The id of the select.
    id: &'static str,
) -> impl IntoView {
    let at = shown.at;
    let all = memo(move |_| {
        shown.groups.with(|groups| groups.iter().map(|group| (group.layer, group.heads)).collect::<Vec<At>>())
    });
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let found = parse(&event.target().value());
        if found.is_some() {
            shown.chosen.set(found);
            shown.selected.set(None);
        }
    };
    let options = move || {
        let (now, map) = (at.get(), shown.map());
        let option = |cell: At| {
            let words = strings::model_place(map, cell.0, cell.1);
            view! { <option value=id_of(cell) selected=Some(cell) == now>{words}</option> }
        };
        all.get().into_iter().map(option).collect_view()
    };
    view! {
        <div class="choice" hidden=move || all.with(|all| all.len() < 2)>
            <label for=id>{strings::model_group()}</label>
            <select id=id on:change:target=on_change>{options}</select>
        </div>
    }
}

/// The id of an option, such as `6:all` or `6:3`.
fn id_of((layer, heads): At) -> String {
    format!("{layer}:{}", heads.id())
}

fn parse(id: &str) -> Option<At> {
    let (layer, heads) = id.split_once(':')?;
    Some((layer.parse().ok()?, Heads::parse(heads)?))
}
