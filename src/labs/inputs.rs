//! Controls that read and write a lab's settings: a select, a slider, and a box for a number.

use crate::prelude::*;
use leptos::ev;

use crate::controls::Choice;
use crate::field::Field;
use crate::page::use_page;
use crate::state::Settings;
use crate::strings;

/// A select of a few options.
#[component]
pub fn LabChoice<T: Copy + PartialEq + Send + Sync + 'static, const N: usize>(
    /// The id of the select.
    id: &'static str,
    /// The label of the select.
    label: &'static str,
    /// The options by their ids.
    all: [(&'static str, T); N],
    /// The words of an option.
    words: fn(T) -> String,
    /// Reads the choice from the settings.
    get: fn(&Settings) -> T,
    /// Writes the choice into the settings.
    set: fn(&mut Settings, T),
) -> impl IntoView {
    let settings = use_page().settings;
    let options = Signal::stored(all.map(|(id, choice)| (id, words(choice))).to_vec());
    let chosen = Signal::derive(move || {
        let now = settings.with(get);
        all.iter().find(|(_, choice)| *choice == now).map_or("", |(id, _)| *id)
    });
    let on_pick = move |id: String| {
        if let Some((_, choice)) = all.iter().find(|(known, _)| *known == id) {
            settings.update(|settings| set(settings, *choice));
        }
    };
    view! { <Choice id label options chosen on_pick=Callback::new(on_pick)/> }
}

/// The scale of a slider.
#[derive(Clone, Copy)]
pub struct Slide {
    /// The step between two positions.
    pub step: &'static str,
    /// The position of a number on the slider.
    pub place: fn(f64) -> f64,
    /// The number at a position.
    pub value: fn(f64) -> f64,
    /// How a number is written.
    pub written: fn(f64) -> String,
}

/// A number with its name, its value and a slider.
#[component]
pub fn LabSlider(
    /// The id of the slider.
    id: &'static str,
    /// The label of the slider.
    label: &'static str,
    /// The number to edit.
    field: &'static Field<Settings>,
    /// The scale of the slider.
    slide: Slide,
) -> impl IntoView {
    let settings = use_page().settings;
    let Slide { step, place, value, written } = slide;
    let (least, most) = (place(field.range.0), place(field.range.1));
    let now = memo(move |_| settings.with(|settings| field.used(settings)));
    let at = move || place(now.get()).clamp(least, most);
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        if let Ok(at) = event.target().value().parse::<f64>() {
            settings.update(|settings| field.set(settings, value(at.clamp(least, most))));
        }
    };
    view! {
        <div class="lab-slider">
            <label for=id>{label}</label>
            <input
                type="range"
                id=id
                min=least.to_string()
                max=most.to_string()
                step=step
                prop:value=move || at().to_string()
                aria-valuetext=move || written(now.get())
                style=move || format!("--at:{}", (at() - least) / (most - least))
                on:input:target=on_input
            />
            <output for=id data-testid=id data-value=move || now.get().to_string()>{move || written(now.get())}</output>
        </div>
    }
}

/// A labelled box for a number. Text that it does not accept changes nothing, and a sentence beside it says so.
#[component]
pub fn LabNumber(
    /// The number to edit.
    field: &'static Field<Settings>,
) -> impl IntoView {
    let settings = use_page().settings;
    let id = field.id;
    let value = memo(move |_| settings.with(|settings| field.used(settings)));
    let problem = RwSignal::new(None::<String>);
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        match settings.with_untracked(|settings| field.accept(&event.target().value(), settings)) {
            Err(fault) => problem.set(Some(strings::number_fault(&fault))),
            Ok(new) => {
                problem.set(None);
                // The box also loses the focus when its view is removed; its signals are gone then.
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
                type="text"
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                class="number"
                id=id
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
                aria-describedby=format!("{id}-problem")
                prop:value=move || field.text(value.get())
                on:change:target=on_change
            />
            <p class="problem" role="alert" id=format!("{id}-problem") hidden=move || problem.with(Option::is_none)>
                {move || problem.get().unwrap_or_default()}
            </p>
        </div>
    }
}
