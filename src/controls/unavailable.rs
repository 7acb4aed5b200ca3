//! The line in place of a control that does not apply now.

use crate::prelude::*;

/// The name of a control, and in a few words why it is not there or what would bring it back.
#[component]
pub fn UnavailableControl(
    /// The id of the control.
    id: &'static str,
    /// Its name.
    label: &'static str,
    /// The reason; `None` while the control is there.
    #[prop(into)]
    reason: Signal<Option<&'static str>>,
) -> impl IntoView {
    view! {
        <p class="away" id=format!("{id}-away") hidden=move || reason.get().is_none()>
            <span>{label}</span>
            <span class="reason">{move || reason.get().unwrap_or_default()}</span>
        </p>
    }
}
