//! What stands beside controls: the sentence about a wrong value, the line in place of a control that does not apply
//! now, and the meaning of all words of a group.

use crate::prelude::*;

use crate::later::use_later;
use crate::page::use_page;
use crate::strings;

/// The sentence about a wrong value of a control, while there is one.
#[component]
pub fn ProblemAt(
    /// The id of the control.
    place: &'static str,
) -> impl IntoView {
    let (page, later) = (use_page(), use_later());
    let text = memo(move |_| {
        let spoken =
            page.answers.problem.with(|problem| problem.as_ref().filter(|p| p.place == place).map(|p| p.text.clone()));
        spoken.map(|text| later.text_of(text))
    });
    view! {
        <p class="problem" role="alert" id=format!("{place}-problem") data-testid=format!("{place}-problem") hidden=move || text.get().is_none()>
            {move || text.get().unwrap_or_default()}
        </p>
    }
}

/// The name of a control, and in a few words why it is not there or what would bring it back.
#[component]
pub fn UnavailableControl(
    /// The id of the control.
    #[prop(into)]
    id: String,
    /// The name of the control.
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

/// A fold with a definition for each name.
#[component]
pub fn Meanings(
    /// The id of the fold, where it is named from elsewhere.
    #[prop(optional, into)]
    id: Option<String>,
    /// Names and what they mean.
    of: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    let row = |(name, meaning): (&'static str, &'static str)| {
        view! { <div><dt>{name}</dt><dd>{meaning}</dd></div> }
    };
    view! {
        <details class="meanings" id=id>
            <summary>{strings::meanings()}</summary>
            <dl>{of.into_iter().map(row).collect_view()}</dl>
        </details>
    }
}
