//! A select of a few options.

use crate::prelude::*;
use leptos::ev;

use super::problem::ProblemAt;
use super::unavailable::UnavailableControl;

/// A labelled select. The options are (id, words).
#[component]
pub fn Choice(
    /// The id of the select.
    id: &'static str,
    /// Its name.
    label: &'static str,
    /// Explains the choice, on hover.
    #[prop(optional)]
    hint: &'static str,
    /// The options: id and words.
    #[prop(into)]
    options: Signal<Vec<(&'static str, String)>>,
    /// The id of the option that is set.
    #[prop(into)]
    chosen: Signal<&'static str>,
    /// Called with the id that the reader picks.
    #[prop(into)]
    on_pick: Callback<String>,
    /// Why the reader cannot set it now, in a few words. The select is not there then.
    #[prop(optional, into)]
    fixed: Option<Signal<Option<&'static str>>>,
) -> impl IntoView {
    let fixed = fixed.unwrap_or_else(|| Signal::stored(None));
    let select = NodeRef::<leptos::html::Select>::new();
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        on_pick.run(event.target().value());
        // If the page refuses an option, the select shows the present one again.
        if let Some(select) = select.get_untracked() {
            select.set_value(chosen.get_untracked());
        }
    };
    view! {
        <div class="choice" title=hint hidden=move || fixed.get().is_some()>
            <label for=id>{label}</label>
            <select id=id node_ref=select prop:value=move || chosen.get() on:change:target=on_change>
                {move || {
                    let now = chosen.get_untracked();
                    options
                        .get()
                        .into_iter()
                        .map(|(id, words)| view! { <option value=id selected=id == now>{words}</option> })
                        .collect_view()
                }}
            </select>
        </div>
        <UnavailableControl id label reason=fixed/>
        <ProblemAt place=id/>
    }
}
