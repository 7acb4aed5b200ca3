//! The sentence about a wrong value, beside its control.

use crate::prelude::*;

use crate::later::use_later;
use crate::page::use_page;

/// The sentence about a control, while there is one.
#[component]
pub fn ProblemAt(
    /// The id of the control.
    place: &'static str,
) -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let text = memo(move |_| {
        let said =
            page.answers.problem.with(|problem| problem.as_ref().filter(|p| p.place == place).map(|p| p.text.clone()));
        said.map(|text| later.told(text))
    });
    view! {
        <p class="problem" role="alert" id=format!("{place}-problem") data-testid=format!("{place}-problem") hidden=move || text.get().is_none()>
            {move || text.get().unwrap_or_default()}
        </p>
    }
}
