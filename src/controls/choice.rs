//! A choice of a few options: a select, or buttons side by side.

use crate::prelude::*;
use leptos::ev;

use super::beside::{ProblemAt, UnavailableControl};

/// A labelled select. The options are (id, words).
#[component]
pub fn Choice(
    /// The id of the select.
    id: &'static str,
    /// The label of the select.
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
    /// Why the reader cannot set it now, in a few words. While there is a reason, the select is hidden.
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

/// A labelled row of buttons, of which one is pressed.
#[component]
pub fn Switch<T: Copy + PartialEq + Send + Sync + 'static>(
    /// The label of the row.
    label: &'static str,
    /// Id, value and words of each. One without words is not offered.
    options: Vec<(&'static str, T, Signal<String>)>,
    /// The value that is set.
    #[prop(into)]
    chosen: Signal<Option<T>>,
    /// Called with the value that the reader picks.
    #[prop(into)]
    on_pick: Callback<T>,
    /// A note on the choice: which option is missing and what would bring it back, or what the present one is.
    #[prop(optional, into)]
    note: Signal<Option<String>>,
    /// Why the reader cannot set it now, in a few words. While there is a reason, its buttons are disabled, and the reason
    /// takes the place of the note.
    #[prop(optional, into)]
    away: Signal<Option<&'static str>>,
) -> impl IntoView {
    let values: Vec<T> = options.iter().map(|option| option.1).collect();
    let words = options.into_iter().map(|(id, _, words)| (id, words)).collect();
    let all = values.clone();
    let pressed = Signal::derive(move || all.iter().position(|value| chosen.get() == Some(*value)));
    let on_press = Callback::new(move |at: usize| {
        if let Some(value) = values.get(at) {
            on_pick.run(*value);
        }
    });
    view! { <SwitchRow label words pressed on_press note away/> }
}

/// The row of a switch. It does not know the type of the values, so it is compiled only once.
#[component]
fn SwitchRow(
    /// The label of the row.
    label: &'static str,
    /// Id and words of each button.
    words: Vec<(&'static str, Signal<String>)>,
    /// The button that is pressed.
    pressed: Signal<Option<usize>>,
    /// Called with the button that the reader presses.
    on_press: Callback<usize>,
    /// The note.
    note: Signal<Option<String>>,
    /// Why its buttons are disabled.
    away: Signal<Option<&'static str>>,
) -> impl IntoView {
    let said = move || away.get().map(str::to_owned).or_else(|| note.get());
    let button = |(at, (id, words)): (usize, (&'static str, Signal<String>))| {
        view! {
            <button type="button" id=id hidden=move || words.with(String::is_empty) aria-pressed=move || (pressed.get() == Some(at)).to_string() disabled=move || away.get().is_some() on:click=move |_| on_press.run(at)>
                {move || words.get()}
            </button>
        }
    };
    view! {
        <div class="quick-switch">
            <span class="quick-label" aria-hidden="true">{label}</span>
            <span class="quick-away" role="status" hidden=move || said().is_none()>{said}</span>
            <div class="switch" role="group" aria-label=label>{words.into_iter().enumerate().map(button).collect_view()}</div>
        </div>
    }
}
