//! A choice between a few buttons side by side.

use crate::prelude::*;

/// A labelled row of buttons, of which one is pressed.
#[component]
pub fn Switch<T: Copy + PartialEq + Send + Sync + 'static>(
    /// Its name.
    label: &'static str,
    /// Id, value and words of each.
    #[prop(into)]
    options: Signal<Vec<(&'static str, T, String)>>,
    /// The value that is set.
    #[prop(into)]
    chosen: Signal<Option<T>>,
    /// Called with the value that the reader picks.
    #[prop(into)]
    on_pick: Callback<T>,
    /// A note on the choice: which option is missing and what would bring it back, or what the present one is.
    #[prop(optional, into)]
    note: Signal<Option<&'static str>>,
) -> impl IntoView {
    let option = move |(id, value, words): (&'static str, T, String)| {
        view! {
            <button type="button" id=id aria-pressed=move || (chosen.get() == Some(value)).to_string() on:click=move |_| on_pick.run(value)>
                {words}
            </button>
        }
    };
    view! {
        <div class="quick-switch">
            <span class="quick-label" aria-hidden="true">{label}</span>
            <span class="quick-away" role="status" hidden=move || note.get().is_none()>{move || note.get()}</span>
            <div class="switch" role="group" aria-label=label>{move || options.get().into_iter().map(option).collect_view()}</div>
        </div>
    }
}
