//! The controls of the teacher's view: n, R, mask and normaliser stay at hand while the plot has the screen.

use leptos::ev;
use leptos::prelude::*;

use crate::field::Field;
use crate::lessons::Handle;
use crate::link;
use crate::page::use_page;
use crate::strings;

use super::course;
use super::handles::TextSlider;

const N: Handle = Handle { key: "n", from: 2.0, to: 1024.0 };
const RADIUS: Handle = Handle { key: "R", from: 0.1, to: 10.0 };

/// The controls in a line over the plot.
#[component]
pub fn TeacherBar() -> impl IntoView {
    let page = use_page();
    let field = move |field: Field| move || page.state.with(|state| field.text(field.get(state)));
    view! {
        <div class="teacher-bar" role="group" aria-label=strings::teacher_controls()>
            <span class="teacher-number">"n = " <span data-testid="teacher-n">{field(Field::N)}</span> <TextSlider handle=N place="teacher"/></span>
            <span class="teacher-number">"R = " <span data-testid="teacher-R">{field(Field::Radius)}</span> <TextSlider handle=RADIUS place="teacher"/></span>
            <Words key="mask" label=strings::mask() options=strings::masks().to_vec()/>
            <Words key="normalization" label=strings::normalizer() options=strings::normalizers().to_vec()/>
        </div>
    }
}

/// A field that is one of some words.
#[component]
fn Words(
    /// Its key in the link.
    key: &'static str,
    /// Its name.
    label: &'static str,
    /// What it can be, with words for each.
    options: Vec<(&'static str, &'static str)>,
) -> impl IntoView {
    let page = use_page();
    let now = Memo::new(move |_| link::text_of(&page.scene(), key).unwrap_or_default());
    let on_change = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        course::set_field(page, &format!("{key}={}", event.target().value()));
    };
    let option = move |(id, words): (&'static str, &'static str)| {
        view! { <option value=id selected=move || now.get() == id>{words}</option> }
    };
    view! {
        <label class="teacher-number">
            {label} " "
            <select id=format!("teacher-{key}") prop:value=move || now.get() on:change:target=on_change>
                {options.into_iter().map(option).collect_view()}
            </select>
        </label>
    }
}
