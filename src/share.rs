//! The panel of links: to this state, to this step of a lesson as an assignment, and the code that shows the plot in
//! another page, with a preview, and the way to paper. The parts that page and links show are switched here too.

use crate::prelude::*;
use leptos::ev;

use super::charts::plot_name;
use super::dialog::{DialogBox, DialogButton};
use super::files::copy;
use super::later::{Piece, use_later};
use super::page::use_page;
use super::panels::use_panels;
use super::state::{LessonAt, Part, Scene, Stage};
use super::strings;

/// Widths and heights of a frame, in CSS pixels.
const SIZES: [(u32, u32); 4] = [(320, 240), (600, 400), (900, 500), (1280, 720)];
/// The size that is offered first.
const USUAL_SIZE: usize = 1;
/// The width of the preview, in CSS pixels.
const PREVIEW_WIDTH: f64 = 320.0;

/// The button in the head of the page.
#[component]
pub fn ShareButton() -> impl IntoView {
    let is_open = use_panels().share;
    view! {
        <DialogButton id="share" words=strings::share_panel() heading=strings::share_panel() hint=strings::share_panel_hint() is_open piece=Piece::Share/>
    }
}

/// The panel: a dialog.
#[component]
pub fn Share(
    /// The section about a second window.
    children: Children,
) -> impl IntoView {
    let page = use_page();
    // The view that links open. The choice has no effect on this page.
    let stage = RwSignal::new(page.stage.get_untracked());
    let state_link =
        memo(move |_| page.link_of(&Scene { stage: stage.get(), lesson: None, answer: None, ..page.scene() }));
    let later = use_later();
    // The step as its own link opens it; `None` outside of lessons, and where the lesson has no such step.
    let step = memo(move |_| {
        let LessonAt { id, step } = page.lesson.get()?;
        let followed = (later.table()?.read_link)(&format!("v3&lesson={id}.{}", step + 1));
        followed.scene.filter(|scene| scene.lesson.is_some())
    });
    let step_link = memo(move |_| {
        let (hidden, theme) = (page.look.hidden.get(), page.scene().theme);
        page.link_of(&Scene { stage: stage.get(), hidden, theme, ..step.get()? })
    });
    let has_step = move || step.with(Option::is_some);
    let step_about = move || {
        let LessonAt { id, step } = page.lesson.get()?;
        let lesson = (later.table()?.find_lesson)(&id)?;
        Some(strings::share_step_about(lesson.clamped(step), lesson.n_tasks(), lesson.title.now()))
    };
    let option = move |choice: Stage| {
        view! { <option value=choice.id() selected=move || stage.get() == choice>{strings::link_stage(choice)}</option> }
    };
    let on_stage = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let picked = event.target().value();
        stage.set(Stage::ALL.into_iter().find(|stage| stage.id() == picked).unwrap_or_default());
    };
    view! {
        <DialogBox id="share" heading=strings::share_panel() is_open=use_panels().share>
        <div class="share-body">
            <section>
                <h3>{move || if has_step() { strings::share_picture() } else { strings::share_state() }}</h3>
                <p class="note">{move || match (state_link.with(Option::is_some), has_step()) {
                    (false, _) => strings::share_too_long(),
                    (true, true) => strings::share_picture_about(),
                    (true, false) => strings::share_state_about(),
                }}</p>
                <CopyLine id="share-state" name=strings::share_state() text=state_link/>
            </section>
            <section hidden=move || !has_step()>
                <h3>{strings::share_step()}</h3>
                <p class="note">{step_about}</p>
                <CopyLine id="share-step" name=strings::share_step() text=step_link/>
            </section>
            {children()}
            <div class="choice">
                <label for="share-as">{strings::share_as()}</label>
                <select id="share-as" on:change:target=on_stage>{[Stage::Full, Stage::Teacher].map(option).collect_view()}</select>
            </div>
            <fieldset>
                <legend>{strings::share_shows()}</legend>
                {Part::ALL.map(|part| view! { <PartSwitch part/> }).collect_view()}
                <p class="note">{strings::share_shows_about()}</p>
            </fieldset>
            <Embedding/>
            <section>
                <h3>{strings::share_paper()}</h3>
                <p class="note">{strings::share_paper_about()}</p>
                // A browser without a printer does nothing.
                <p><button type="button" id="share-print" on:click=move |_| drop(window().print())>{strings::share_print()}</button></p>
            </section>
        </div>
        </DialogBox>
    }
}

/// Shows or hides a part.
#[component]
fn PartSwitch(
    /// Which part.
    part: Part,
) -> impl IntoView {
    let page = use_page();
    view! {
        <label class="share-part">
            <input
                type="checkbox"
                id=format!("share-{}", part.id())
                prop:checked=move || !page.look.hidden.get().has(part)
                on:change=move |_| page.look.hidden.update(|hidden| *hidden = hidden.toggled(part))
            />
            {strings::shown_part(part)}
        </label>
    }
}

/// The code for another page, in a size, and how it looks there.
#[component]
fn Embedding() -> impl IntoView {
    let page = use_page();
    let panels = use_panels();
    let size = RwSignal::new(SIZES[USUAL_SIZE]);
    // The answer of a student is not for a public page.
    let address = memo(move |_| page.link_of(&Scene { stage: Stage::Embed, answer: None, ..page.scene() }));
    let code = memo(move |_| {
        let (width, height) = size.get();
        // An ampersand in an attribute is written out.
        let address = address.get()?.replace('&', "&amp;");
        let name = plot_name(page.plot.get()).1;
        Some(format!(
            r#"<iframe src="{address}" width="{width}" height="{height}" title="Lipscope: {name}" allow="fullscreen"></iframe>"#
        ))
    });
    let on_size = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let at: usize = event.target().value().parse().unwrap_or(USUAL_SIZE);
        size.set(SIZES.get(at).copied().unwrap_or(SIZES[USUAL_SIZE]));
    };
    let option = |(at, (width, height)): (usize, (u32, u32))| {
        view! { <option value=at.to_string() selected=at == USUAL_SIZE>{format!("{width} × {height}")}</option> }
    };
    let is_previewed = RwSignal::new(false);
    // The frame runs the whole page: it is there only while it can be seen.
    let has_frame = memo(move |_| is_previewed.get() && panels.share.get());
    let scale = move || PREVIEW_WIDTH / f64::from(size.get().0);
    view! {
        <section>
            <h3>{strings::share_embed()}</h3>
            <p class="note">{strings::share_embed_about()}</p>
            <div class="choice">
                <label for="share-size">{strings::share_size()}</label>
                <select id="share-size" on:change:target=on_size>{SIZES.into_iter().enumerate().map(option).collect_view()}</select>
            </div>
            <CopyLine id="share-code" name=strings::share_embed_code() text=code/>
            <details on:toggle=move |event: ev::Event| is_previewed.set(event_target::<web_sys::Element>(&event).has_attribute("open"))>
                <summary id="share-preview">{strings::share_preview()}</summary>
                <div class="share-preview" style=move || format!("height:{}px", f64::from(size.get().1) * scale())>
                    // A frame of its own for each address: another address in the same frame would be an entry of the
                    // browser's history, and undo would go back in the preview.
                    <For each=move || address.get().filter(|_| has_frame.get()) key=String::clone let:src>
                        <iframe
                            src=src
                            inert
                            title=move || { let (width, height) = size.get(); strings::share_preview_of(height, width) }
                            style=move || { let (width, height) = size.get(); format!("width:{width}px;height:{height}px;transform:scale({})", scale()) }
                        ></iframe>
                    </For>
                </div>
            </details>
        </section>
    }
}

/// A text that is read or copied.
#[component]
fn CopyLine(
    /// The id of its box.
    id: &'static str,
    /// Names it.
    name: &'static str,
    /// The text, if there is one.
    text: Memo<Option<String>>,
) -> impl IntoView {
    let note = RwSignal::new("");
    view! {
        <p class="share-line" hidden=move || text.with(Option::is_none)>
            <input type="text" id=id readonly aria-label=strings::share_link_of(name) prop:value=move || text.get().unwrap_or_default()/>
            <button type="button" id=format!("{id}-copy") aria-label=strings::share_copy_of(name) on:click=move |_| copy(text.get_untracked().unwrap_or_default(), note)>
                {strings::share_copy_button()}
            </button>
            <span class="note" role="status">{move || note.get()}</span>
        </p>
    }
}
