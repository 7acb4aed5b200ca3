//! The controls in a lesson's text: sliders, buttons, the link to share.

use crate::prelude::*;
use leptos::ev;

use crate::files::copy;
use crate::lessons::Handle;
use crate::link;
use crate::strings;
use crate::whole_text::WholeText;

use super::context::use_classroom;
use super::course;

/// A slider for a number.
#[component]
pub fn TextSlider(
    /// Which number, and its range.
    handle: Handle,
    /// The beginning of its id.
    #[prop(default = "lesson-slider")]
    place: &'static str,
) -> impl IntoView {
    let room = use_classroom();
    let stops = StoredValue::new(handle.stops());
    let last = stops.with_value(Vec::len).saturating_sub(1);
    let key = handle.field.key();
    let value = memo(move |_| handle.field.get(&room.page.scene()));
    let at = memo(move |_| {
        let value = value.get();
        let distance = |stop: &f64| (stop - value).abs();
        stops.with_value(|stops| {
            let nearest = (0..stops.len()).min_by(|a, b| distance(&stops[*a]).total_cmp(&distance(&stops[*b])));
            nearest.unwrap_or(0)
        })
    });
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let at: usize = event.target().value().parse().unwrap_or(0);
        if let Some(stop) = stops.with_value(|stops| stops.get(at).copied()) {
            course::set_number(room, handle.field, stop);
        }
    };
    let let_go = move || {
        if room.page.held.get_untracked() {
            room.page.held.set(false);
        }
    };
    view! {
        <input
            type="range"
            class="lesson-slider"
            id=format!("{place}-{key}")
            aria-label=strings::lesson_handle(key)
            aria-valuetext=move || strings::count(value.get())
            min="0"
            max=last
            step="1"
            prop:value=move || at.get().to_string()
            style=move || format!("--at:{}", at.get() as f64 / last.max(1) as f64)
            on:input:target=on_input
            on:pointerdown=move |_| room.page.held.set(true)
            on:pointerup=move |_| let_go()
            on:pointercancel=move |_| let_go()
            on:blur=move |_| let_go()
        />
    }
}

/// A button that sets the page to some fields of a link.
#[component]
pub fn Press(
    /// The words on the button.
    words: &'static str,
    /// The fields that it sets, as in a link: `key=value`, joined by `&`.
    fields: &'static str,
) -> impl IntoView {
    let room = use_classroom();
    let holds = memo(move |_| {
        let scene = room.page.scene();
        let mut pairs = fields.split('&').filter_map(|field| field.split_once('='));
        pairs.all(|(key, text)| link::text_of(&scene, key).as_deref() == Some(text))
    });
    view! {
        <button type="button" class="lesson-press" data-sets=fields aria-pressed=move || holds.get().to_string() on:click=move |_| course::put_fields(room, fields)>
            {words}
        </button>
    }
}

/// The link to the present scene, and a button that copies it.
#[component]
pub fn Share() -> impl IntoView {
    let room = use_classroom();
    let note = RwSignal::new("");
    let link = memo(move |_| course::own_link(room));
    view! {
        <span class="lesson-share">
            <WholeText id="lesson-link" label=strings::share_label().to_owned() text=link/>
            <button
                type="button"
                id="lesson-copy"
                on:click=move |_| {
                    copy(link.get_untracked(), note);
                    // The link to what the step itself has set is nothing found.
                    let is_found = untrack(|| course::is_changed(room));
                    room.progress.update(|progress| progress.has_shared |= is_found);
                }
            >
                {strings::share_copy()}
            </button>
            <span class="note" role="status">{move || note.get()}</span>
        </span>
    }
}
