//! The page in other sizes. For a projector: plot and main numbers, large. Inside another page, and full screen: one
//! plot, its main number, and the way to the whole page.

use crate::prelude::*;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use lipscope_plot::Number;

use super::charts::plot_name;
use super::page::{Page, use_page};
use super::panels::{Panels, use_panels};
use super::state::Stage;
use super::strings;

/// The norm at the tokens of the controls: its symbol with its value, and where it is measured.
pub type Reading = Option<(String, String)>;

/// The number of the plot on screen; `None` where the plot has tokens of its own, or before the first measurement.
pub fn reading_now(page: Page) -> Reading {
    let norm = page.norm();
    page.settings.with(|settings| settings.has_tokens(page.plot.get())).then_some(())?;
    page.answers.measured.with(|measured| {
        let measured = measured.as_ref()?;
        let value = measured
            .norm(norm)
            .map_or_else(|| strings::NONE_YET.to_owned(), |(value, kind)| Number::known(value, kind).to_string());
        let m = &measured.measurement;
        Some(strings::teacher_reading(norm, &value, (m.n, m.radius), &measured.state))
    })
}

fn reading(page: Page) -> Memo<Reading> {
    memo(move |_| reading_now(page))
}

/// The number of the plot on screen with all its digits, for programs; empty where there is none.
fn digits(page: Page, reading: Memo<Reading>) -> String {
    let value = page.answers.measured.with(|m| m.as_ref().and_then(|m| m.measurement.norm(page.norm())));
    value.filter(|_| reading.with(Option::is_some)).map_or_else(String::new, |value| value.to_string())
}

/// The line under a plot that is alone: its number, and the way to the whole page.
#[component]
pub fn AloneLine() -> impl IntoView {
    let page = use_page();
    let panels = use_panels();
    let reading = reading(page);
    // In a narrow frame the place is left out (style/embed.css), and the number stays whole.
    let words = move || {
        let (number, place) = reading.get().unwrap_or_else(|| (plot_name(page.plot.get()).1.to_owned(), String::new()));
        view! { <span>{number}</span> " " <span>{place}</span> }
    };
    let address = memo(move |_| {
        // Tracks the whole scene, which the link holds.
        page.scene();
        page.link_to(Stage::Full).unwrap_or_else(|| ".".into())
    });
    let way = move || {
        match page.stage.get() {
        Stage::Embed => {
            view! { <a href=move || address.get() target="_blank" rel="noopener">{strings::open_whole()}</a> }.into_any()
        }
        Stage::Full | Stage::Teacher => {
            view! { <button type="button" id="leave-alone" on:click=move |_| { leave(panels); }>{strings::leave_alone()}</button> }
                .into_any()
        }
    }
    };
    let is_alone = memo(move |_| is_alone(page, panels));
    move || {
        is_alone.get().then(|| {
            view! {
                <footer class="alone-line">
                    <span class="reading" class:stale=move || !page.is_measured() data-testid="embed-norm" data-value=move || digits(page, reading)>{words}</span>
                    {way}
                </footer>
            }
        })
    }
}

/// The number in the head of the teacher's view, in sight whatever the plot and however far the page is scrolled.
#[component]
pub fn TeacherReading() -> impl IntoView {
    let page = use_page();
    let reading = reading(page);
    view! {
        <p class="teacher-reading reading" data-testid="teacher-norm" data-value=move || digits(page, reading) class:stale=move || !page.is_measured()>
            {move || reading.get().map(|(number, place)| view! { <strong>{number}</strong> " " <span>{place}</span> })}
        </p>
    }
}

/// Sets the stage on the document, for its font size, and leaves the plot alone when the browser leaves its full
/// screen.
pub fn begin(page: Page, panels: Panels) {
    effect(move |_| {
        let stage = page.stage.get();
        if let Some(root) = document().document_element() {
            // If the document refuses, its font size stays.
            let _ = root.set_attribute("data-stage", stage.id());
        }
    });
    let listener = window_event_listener_untyped("fullscreenchange", move |_| {
        if document().fullscreen_element().is_none() {
            set_if_new(panels.alone, false);
        }
    });
    on_cleanup(move || listener.remove());
}

/// Switches to the teacher's view, or back.
pub fn toggle(page: Page) {
    page.stage.update(|stage| {
        *stage = match stage {
            Stage::Full => Stage::Teacher,
            Stage::Teacher => Stage::Full,
            Stage::Embed => Stage::Embed,
        };
    });
}

/// Whether one plot is all that is shown.
pub fn is_alone(page: Page, panels: Panels) -> bool {
    page.stage.get() == Stage::Embed || panels.alone.get()
}

/// Whether the page is shown to an audience.
pub fn is_projected(page: Page, panels: Panels) -> bool {
    page.stage.get_untracked() == Stage::Teacher || panels.alone.get_untracked()
}

/// Shows the plot alone, or the page again. The plot fills the window; where the browser allows it, the screen.
pub fn toggle_alone(panels: Panels) {
    if panels.alone.get_untracked() {
        leave(panels);
    } else {
        panels.alone.set(true);
        ask_for_full_screen(panels);
    }
}

/// Leaves the black screen, else the plot alone. False where there is neither.
pub fn leave(panels: Panels) -> bool {
    if panels.blank.get_untracked() {
        panels.blank.set(false);
        return true;
    }
    let was_alone = panels.alone.get_untracked();
    if was_alone {
        panels.alone.set(false);
        if document().fullscreen_element().is_some() {
            document().exit_fullscreen();
        }
    }
    was_alone
}

fn ask_for_full_screen(panels: Panels) {
    let root = document().document_element();
    let promise = root.and_then(|root| {
        let ask = Reflect::get(&root, &"requestFullscreen".into()).ok()?.dyn_into::<Function>().ok()?;
        ask.call0(&root).ok()?.dyn_into::<Promise>().ok()
    });
    if let Some(promise) = promise {
        spawn_local(async move {
            // A frame or a telephone may refuse: the plot then fills the window.
            let is_granted = JsFuture::from(promise).await.is_ok();
            // The reader may have gone back before the browser answered.
            if is_granted && !panels.alone.get_untracked() {
                document().exit_fullscreen();
            }
        });
    }
}

/// A black screen, until a key or a press ends it.
#[component]
pub fn BlankScreen() -> impl IntoView {
    let panels = use_panels();
    view! {
        <div class="blank" hidden=move || !panels.blank.get() on:click=move |_| panels.blank.set(false)></div>
        <p class="sr-only" role="status">{move || panels.blank.get().then(strings::is_blank)}</p>
    }
}

/// The button in the head of the page.
#[component]
pub fn TeacherButton() -> impl IntoView {
    let page = use_page();
    view! {
        <button
            type="button"
            id="teacher-view"
            title=strings::teacher_hint()
            aria-pressed=move || (page.stage.get() == Stage::Teacher).to_string()
            on:click=move |_| toggle(page)
        >
            {strings::teacher()}
        </button>
    }
}
