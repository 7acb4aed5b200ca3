//! A number of a lab: its name and a box.

use std::ops::RangeInclusive;

use crate::prelude::*;
use leptos::ev;

use crate::page::use_page;
use crate::strings;

use crate::state::Settings;

/// Which numbers a box accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Taken {
    /// Whole ones in a range.
    Whole(u64, u64),
    /// Any in a range.
    Any(f64, f64),
}

impl Taken {
    /// Whole numbers in a range of sizes.
    #[must_use]
    pub fn sizes(range: &RangeInclusive<usize>) -> Self {
        Taken::Whole(*range.start() as u64, *range.end() as u64)
    }
}

/// A labelled box for a number. Text that it does not accept changes nothing, and a sentence beside it says so.
#[component]
pub fn LabNumber(
    /// The id of the box.
    id: &'static str,
    /// Its name.
    label: &'static str,
    /// Which numbers it accepts.
    taken: Taken,
    /// Reads it.
    get: fn(&Settings) -> f64,
    /// Writes it.
    set: fn(&mut Settings, f64),
) -> impl IntoView {
    let settings = use_page().settings;
    let value = memo(move |_| settings.with(get));
    let problem = RwSignal::new(None::<String>);
    let (least, most) = match taken {
        Taken::Whole(least, most) => (least as f64, most as f64),
        Taken::Any(least, most) => (least, most),
    };
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let text = event.target().value();
        let text = text.trim();
        match text.parse::<f64>().ok().filter(|x| x.is_finite()) {
            None => problem.set(Some(strings::not_a_number(label, text))),
            Some(x) if !(least..=most).contains(&x) => {
                problem.set(Some(strings::out_of_range(label, text, least, most)));
            }
            Some(x) if matches!(taken, Taken::Whole(..)) && x.fract() != 0.0 => {
                problem.set(Some(strings::not_whole(label, text)));
            }
            Some(x) => {
                problem.set(None);
                // The box may lose the focus because its view is removed.
                if value.try_get_untracked().is_some_and(|now| now != x) {
                    settings.update(|settings| set(settings, x));
                }
            }
        }
    };
    view! {
        <div class="lab-number">
            <label for=id>{label}</label>
            <input
                type="number"
                class="number"
                id=id
                min=least.to_string()
                max=most.to_string()
                step=if matches!(taken, Taken::Whole(..)) { "1" } else { "any" }
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
