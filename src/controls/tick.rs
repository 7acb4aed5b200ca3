//! A box to tick that chooses between two values.

use crate::prelude::*;

/// A box with its label.
#[component]
pub fn Tick<T: Copy + PartialEq + Send + Sync + 'static>(
    /// The id of the box.
    id: &'static str,
    /// The label of the box.
    label: &'static str,
    /// The value without a tick, and the one with it.
    states: [T; 2],
    /// The value that is set.
    #[prop(into)]
    now: Signal<T>,
    /// Called with the other value.
    #[prop(into)]
    on_change: Callback<T>,
    /// Whether the box is left out.
    #[prop(optional, into)]
    hidden: Signal<bool>,
) -> impl IntoView {
    let [without, with] = states;
    let is_ticked = move || now.get() == with;
    view! {
        <label class="switch-line" hidden=move || hidden.get()>
            <input
                type="checkbox"
                id=id
                prop:checked=is_ticked
                on:change=move |_| on_change.run(if now.get_untracked() == with { without } else { with })
            />
            <span>{label}</span>
        </label>
    }
}
