//! A number of a lab: its name and a box.

use crate::prelude::*;
use leptos::ev;

use crate::field::Field;
use crate::page::use_page;
use crate::state::Settings;

/// A labelled box for a number. Text that it does not accept changes nothing, and a sentence beside it says so.
#[component]
pub fn LabNumber(
    /// Which number.
    field: &'static Field<Settings>,
) -> impl IntoView {
    let settings = use_page().settings;
    let Field { id, is_whole, range: (least, most), .. } = *field;
    let value = memo(move |_| settings.with(|settings| field.used(settings)));
    let problem = RwSignal::new(None::<String>);
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        match settings.with_untracked(|settings| field.accept(&event.target().value(), settings)) {
            Err(sentence) => problem.set(Some(sentence)),
            Ok(new) => {
                problem.set(None);
                // The box may lose the focus because its view is removed.
                if value.try_get_untracked().is_some_and(|now| now != new) {
                    settings.update(|settings| field.set(settings, new));
                }
            }
        }
    };
    view! {
        <div class="lab-number">
            <label for=id>{field.meaning().0}</label>
            <input
                type="number"
                class="number"
                id=id
                min=least.to_string()
                max=most.to_string()
                step=if is_whole { "1" } else { "any" }
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                aria-describedby=format!("{id}-problem")
                prop:value=move || value.get().to_string()
                on:change:target=on_change
            />
            <p class="problem" role="alert" id=format!("{id}-problem") hidden=move || problem.with(Option::is_none)>
                {move || problem.get().unwrap_or_default()}
            </p>
        </div>
    }
}
