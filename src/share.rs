//! The panel of links: to this state, to this step of a lesson as an assignment, and the code that shows the plot in
//! another page, with a preview, and the way to paper. The parts that page and links show are switched here too.

use crate::prelude::*;
use leptos::ev;

use super::charts::plot_name;
use super::dialog::{DialogBox, DialogButton};
use super::files::copy;
use super::later::{Piece, use_later};
use super::page::{PlotChoice, use_page};
use super::panels::use_panels;
use super::state::{Assigned, LessonAt, Part, Scene, Stage};
use super::strings;
use super::whole_text::WholeText;

/// Widths and heights of a frame that are offered, in CSS pixels.
const SIZES: [(u32, u32); 5] = [(320, 240), (480, 320), (600, 400), (900, 500), (1280, 720)];
/// The size that is offered first.
const DEFAULT_SIZE: (u32, u32) = SIZES[2];
/// The least and the most of a side: below it no plot can be read.
const SIDES: (u32, u32) = (200, 4000);
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
    // What each link opens. Links are mostly for readers and students, so that the teacher's view is never the first
    // choice, whatever this page shows.
    let (state_stage, step_stage) = (RwSignal::new(Stage::Full), RwSignal::new(Stage::Full));
    let target = RwSignal::new(ShareTarget::Step);
    let state_link =
        memo(move |_| page.link_of(&Scene { stage: state_stage.get(), lesson: None, ..page.scene() }.without_class()));
    let later = use_later();
    // The assignment as its own link opens it; `None` outside of lessons, and where the lesson has no such step.
    let task = memo(move |_| {
        let LessonAt { id, step } = page.lesson.get()?;
        let (first, assigned) = match target.get() {
            ShareTarget::Step => (step, Some(step)),
            ShareTarget::Lesson => (0, None),
        };
        let followed = (later.table()?.read_link)(&format!("v3&lesson={id}.{}", first + 1));
        let scene = followed.scene.filter(|scene| scene.lesson.is_some())?;
        // At a recap there is nothing to do: its link asks for nothing.
        let can_be = (later.table()?.find_lesson)(&id)?.can_be_assigned(assigned);
        Some(Scene { assigned: can_be.then_some(Assigned { lesson: id, step: assigned }), ..scene })
    });
    let task_link = memo(move |_| {
        let (hidden, theme) = (page.look.hidden.get(), page.scene().theme);
        page.link_of(&Scene { stage: step_stage.get(), hidden, theme, ..task.get()? })
    });
    let has_step = move || task.with(Option::is_some);
    let step_about = move || {
        let LessonAt { id, step } = page.lesson.get()?;
        let lesson = (later.table()?.find_lesson)(&id)?;
        Some(match target.get() {
            ShareTarget::Step => strings::share_step_about(lesson.clamped(step), lesson.n_tasks(), lesson.title.now()),
            ShareTarget::Lesson => {
                strings::share_lesson_about { lesson: lesson.title.now(), steps: lesson.n_tasks() }.text()
            }
        })
    };
    let on_asks = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let picked = event.target().value();
        target.set(ShareTarget::ALL.into_iter().find(|target| target.id() == picked).unwrap_or(ShareTarget::Step));
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
                <StageChoice id="share-state-as" stage=state_stage/>
                <CopyLine id="share-state" name=strings::share_state() text=state_link/>
            </section>
            <section hidden=move || !has_step()>
                <h3>{strings::share_step()}</h3>
                <p class="note">{step_about}</p>
                <div class="choice">
                    <label for="share-step-asks">{strings::share_asks()}</label>
                    <select id="share-step-asks" on:change:target=on_asks>
                        {ShareTarget::ALL.map(|choice| view! { <option value=choice.id() selected=move || target.get() == choice>{choice.words()}</option> })}
                    </select>
                </div>
                <StageChoice id="share-step-as" stage=step_stage/>
                <CopyLine id="share-step" name=strings::share_step() text=task_link/>
            </section>
            {children()}
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

/// What an assignment asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum ShareTarget {
    /// The step on screen.
    Step,
    /// All steps of its lesson.
    Lesson,
}

impl ShareTarget {
    const ALL: [ShareTarget; 2] = [ShareTarget::Step, ShareTarget::Lesson];

    fn id(self) -> &'static str {
        self.into()
    }

    fn words(self) -> &'static str {
        match self {
            ShareTarget::Step => strings::share_ask::step(),
            ShareTarget::Lesson => strings::share_ask::lesson(),
        }
    }
}

/// Chooses the view that a link opens. The choice has no effect on this page.
#[component]
fn StageChoice(
    /// The id of the box.
    id: &'static str,
    /// The view.
    stage: RwSignal<Stage>,
) -> impl IntoView {
    let option = move |choice: Stage| {
        view! { <option value=choice.id() selected=move || stage.get() == choice>{strings::link_stage(choice)}</option> }
    };
    let on_stage = move |event: ev::Targeted<ev::Event, web_sys::HtmlSelectElement>| {
        let picked = event.target().value();
        stage.set(Stage::ALL.into_iter().find(|stage| stage.id() == picked).unwrap_or_default());
    };
    view! {
        <div class="choice">
            <label for=id>{strings::share_as()}</label>
            <select id=id on:change:target=on_stage>{[Stage::Full, Stage::Teacher].map(option).collect_view()}</select>
        </div>
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
    let size = RwSignal::new(DEFAULT_SIZE);
    // What belongs to a class is not for a public page.
    let address = memo(move |_| page.link_of(&Scene { stage: Stage::Embed, ..page.scene() }.without_class()));
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
        let picked = event.target().value();
        if let Some(offered) = SIZES.into_iter().find(|offered| size_id(*offered) == picked) {
            size.set(offered);
        }
    };
    let option = move |offered: (u32, u32)| {
        view! { <option value=size_id(offered) selected=move || size.get() == offered>{format!("{} × {}", offered.0, offered.1)}</option> }
    };
    let is_own = move || !SIZES.contains(&size.get());
    let is_previewed = RwSignal::new(false);
    // The frame runs the whole page: it is there only while it can be seen.
    let has_frame = memo(move |_| is_previewed.get() && panels.share.get());
    let scale = move || PREVIEW_WIDTH / f64::from(size.get().0);
    view! {
        <section>
            <h3>{strings::share_embed()}</h3>
            <p class="note">{strings::share_embed_about()} {strings::between_sentences()} {move || (page.plot.get() == PlotChoice::Explore).then(strings::share_embed_explore)}</p>
            <div class="choice">
                <label for="share-size">{strings::share_size()}</label>
                <select id="share-size" on:change:target=on_size>
                    {SIZES.map(option).collect_view()}
                    <option value="own" selected=is_own hidden=move || !is_own()>{strings::share_size_own()}</option>
                </select>
                <Side id="share-width" label=strings::share_width() value=Signal::derive(move || size.get().0) put=move |width| size.update(|size| size.0 = width)/>
                <Side id="share-height" label=strings::share_height() value=Signal::derive(move || size.get().1) put=move |height| size.update(|size| size.1 = height)/>
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
                            title=move || { let (width, height) = size.get(); strings::share_preview_of { height, width }.text() }
                            style=move || { let (width, height) = size.get(); format!("width:{width}px;height:{height}px;transform:scale({})", scale()) }
                        ></iframe>
                    </For>
                </div>
            </details>
        </section>
    }
}

/// The value of a size in the list of sizes.
fn size_id((width, height): (u32, u32)) -> String {
    format!("{width}x{height}")
}

/// A side of the frame, in CSS pixels. What is no such number changes nothing.
#[component]
fn Side(
    /// The id of its box.
    id: &'static str,
    /// Its name.
    label: &'static str,
    /// Its length.
    value: Signal<u32>,
    /// Takes another length.
    put: impl Fn(u32) + 'static,
) -> impl IntoView {
    let on_input = move |event: ev::Targeted<ev::Event, web_sys::HtmlInputElement>| {
        let typed = event.target().value().parse().ok();
        match typed.filter(|length| (SIDES.0..=SIDES.1).contains(length)) {
            Some(length) => put(length),
            // The box shows the length that the code has.
            None => event.target().set_value(&value.get_untracked().to_string()),
        }
    };
    view! {
        <label for=id>{label}</label>
        <input type="number" class="number" id=id min=SIDES.0 max=SIDES.1 prop:value=move || value.get().to_string() on:change:target=on_input/>
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
            <WholeText id label=strings::share_link_of(name) text=Signal::derive(move || text.get().unwrap_or_default())/>
            <button type="button" id=format!("{id}-copy") aria-label=strings::share_copy_of(name) on:click=move |_| copy(text.get_untracked().unwrap_or_default(), note)>
                {strings::share_copy_button()}
            </button>
            <span class="note" role="status">{move || note.get()}</span>
        </p>
    }
}
