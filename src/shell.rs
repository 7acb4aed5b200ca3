//! The frame of the page: head, the view on screen, its details, and beside them the controls or a lesson. On a phone,
//! controls and lessons are in a sheet.

use crate::prelude::*;
use leptos::ev::{self, FocusEvent};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

use lipscope_core::bounds::ALL;
use lipscope_plot::{Palette, css};

use super::charts::role_of;
use super::classroom::{self, Classroom, LessonsButton, is_covered, is_guessed, is_panel_open, use_classroom};
use super::controls::ProblemAt;
use super::explore::{Explore, Pinned, Quick};
use super::frame::{focus_main, focus_soon, media_matches};
use super::language::{self, language};
use super::later::{Arrival, LaterView, Piece, use_later};
use super::page::{self, PLACE_LINK, Page, PlotChoice, use_page};
use super::panels::use_panels;
use super::plane::Plane;
use super::plots::Plots;
use super::stage::is_alone;
use super::state::{Stage, View};
use super::strings;
use super::theme::{Themes, use_themes};

/// The whole page.
#[component]
pub fn Shell(
    /// Whether the later part has arrived already.
    arrival: Arrival,
) -> impl IntoView {
    let page = page::begin(arrival);
    let room = provide(page);
    classroom::begin(room);
    use_later().begin_if_here();
    keep_focus(page);
    if language::asked() != language() {
        page.engine.status.set(Some(strings::no_translation().into()));
    }
    let listener = window_event_listener(ev::keydown, move |event| close_sheet(room, &event));
    on_cleanup(move || listener.remove());
    view! { <Frame/> }
}

/// Provides the contexts of the features on the first screen.
pub fn provide(page: Page) -> Classroom {
    let room = Classroom::new(page);
    provide_context(room);
    provide_context(Plane::new(page));
    provide_context(Pinned::default());
    room
}

/// What is on the page: all that [`Shell`] shows, over the contexts that are there.
#[component]
pub fn Frame() -> impl IntoView {
    let (page, room) = (use_page(), use_classroom());
    let (later, themes, panels) = (use_later(), use_themes(), use_panels());
    let sheet_open = panels.controls;
    let is_panel_open = memo(move |_| is_panel_open(room));
    let is_covered = memo(move |_| is_covered(room));
    let is_guessed = memo(move |_| is_guessed(room));
    let is_teacher = move || page.stage.get() == Stage::Teacher;
    let is_alone = memo(move |_| is_alone(page, panels));
    let view = memo(move |_| page.plot.get().view());
    // The page shows no controls where they do not change the present plot.
    let has_controls = memo(move |_| page.settings.with(|settings| settings.has_tokens(page.plot.get())));
    // The view of models has the whole width, unless a lesson is open.
    let has_sheet = move || view.get() != View::Models && sheet_open.get() && has_controls.get();
    let is_aside = memo(move |_| has_sheet() || is_panel_open.get());
    let has_tokens = Signal::derive(move || view.get().has_tokens());
    // True also if the later part is lost: the view then says so.
    let is_wanted = Signal::derive(move || has_tokens.get() && !matches!(later.arrival(), Arrival::Waiting));
    view! {
        <a class="skip" href="#main" on:click=skip_to_main>{strings::skip()}</a>
        <div class="page" data-stage=move || page.stage.get().id() data-view=move || view.get().id() data-sweep=move || page.answers.sweep.phase().id() data-plot=move || if page.plot.get() == PlotChoice::Explore { "explore" } else { "other" } class:held=page.held class:sheet-open=sheet_open class:beside=is_aside class:taught=is_panel_open class:covered=is_covered class:guessed=is_guessed class:teacher=is_teacher class:alone=is_alone data-hidden=move || page.look.hidden.get().ids(" ") style=move || role_colors(themes)>
            <Head/>
            <aside class="controls" id="controls" aria-label=strings::controls() hidden=move || !is_aside.get()>
                <LaterView wanted=is_panel_open piece=Piece::LessonPanel/>
                <button
                    type="button"
                    class="sheet-handle"
                    aria-expanded=move || sheet_open.get().to_string()
                    aria-controls="control-list"
                    on:click=move |_| if sheet_open.get_untracked() && !is_panel_open.get_untracked() { close_controls(sheet_open) } else { sheet_open.update(|open| *open = !*open) }
                >
                    <span>{move || match (sheet_open.get(), is_panel_open.get()) { (false, _) => strings::controls(), (true, true) => strings::close(), (true, false) => strings::fewer_controls() }}</span>
                    <span class="value" class:stale=move || !page.is_measured()>{move || page.answers.measured.with(|m| m.as_ref().map(|m| strings::sheet_value(&m.measurement, page.norm())))}</span>
                </button>
                <div class="control-list" id="control-list">
                    <ProblemAt place="preset"/>
                    <LaterView wanted=sheet_open piece=Piece::Controls/>
                </div>
            </aside>
            <main id="main" tabindex="-1" on:focusin=move |event| uncover(&event, sheet_open)>
                <div class="link-problem"><ProblemAt place=PLACE_LINK/></div>
                <Explore/>
                <div class="quick-place" hidden=move || !has_controls.get()><Quick/></div>
                <div class="explore-folds" hidden=move || page.plot.get() != PlotChoice::Explore>
                    <LaterView wanted=later.is_here() piece=Piece::ExploreFolds/>
                </div>
                <Plots/>
                <div class="details" hidden=move || !has_tokens.get()>
                    <LaterView wanted=is_wanted piece=Piece::Details/>
                </div>
            </main>
            <LaterView wanted=is_alone piece=Piece::AloneLine/>
            <Status/>
            <NewBuild/>
            <LaterView wanted=later.is_here() piece=Piece::DropZone/>
            <LaterView wanted=panels.blank piece=Piece::BlankScreen/>
        </div>
        <LaterView wanted=later.is_here() piece=Piece::ProjectorLine/>
        <LaterView wanted=panels.printing piece=Piece::PrintSheet/>
        <p class="sr-only" role="status" aria-live="polite">{move || page.answers.announcement.get()}</p>
    }
}

fn skip_to_main(event: MouseEvent) {
    // Following this link would add an entry to the history without a scene.
    event.prevent_default();
    focus_main();
}

/// A button that shows another plot may hide itself. The focus then moves to the main part, not to the start of the
/// page.
fn keep_focus(page: Page) {
    effect(move |before: Option<PlotChoice>| {
        let now = page.plot.get();
        if before.is_some_and(|before| before != now) {
            request_animation_frame(|| {
                // A hidden element keeps the focus until the page is laid out.
                let is_hidden = |holder: Element| holder.get_bounding_client_rect().width() == 0.0;
                let holder = document().active_element();
                if holder.is_none_or(|holder| holder.tag_name().eq_ignore_ascii_case("body") || is_hidden(holder)) {
                    focus_main();
                }
            });
        }
        now
    });
}

/// Closes the sheet on Escape. The focus returns to the button that opens it.
fn close_sheet(room: Classroom, event: &KeyboardEvent) {
    // The list of keys covers the sheet, and closes first.
    let is_meant = room.panels.controls.get_untracked() && !room.keys_open.get_untracked();
    if is_meant && event.key() == "Escape" && !event.default_prevented() && is_sheet() {
        close_controls(room.panels.controls);
    }
}

/// Closes the panel of all controls. The focus returns to the button that opens it.
fn close_controls(sheet_open: RwSignal<bool>) {
    sheet_open.set(false);
    focus_soon(|| document().get_element_by_id("more-controls"));
}

/// Whether the controls cover the page; where there is room they stand beside it.
fn is_sheet() -> bool {
    media_matches("(max-width: 719px)")
}

/// Closes the sheet when the keyboard focus moves to an element under it.
fn uncover(event: &FocusEvent, sheet_open: RwSignal<bool>) {
    let by_keyboard = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| element.matches(":focus-visible").unwrap_or(false));
    if by_keyboard && is_sheet() && sheet_open.get_untracked() {
        sheet_open.set(false);
    }
}

/// The head of the page: name, views, undo, lessons; then what `src/head.rs` has.
#[component]
fn Head() -> impl IntoView {
    let page = use_page();
    let later = use_later();
    let is_open = RwSignal::new(false);
    view! {
        <header on:keydown=move |event| if event.key() == "Escape" { is_open.set(false) }>
            <h1>{strings::TITLE}</h1>
            <nav class="views" aria-label=strings::views()>{View::ALL.map(|view| view! { <ViewButton view/> }).collect_view()}</nav>
            <div class="switch" role="group" aria-label=strings::undo()>
                <button type="button" id="undo" aria-label=strings::undo() title=strings::undo_hint() aria-disabled=move || (!page.address.undoable.get().0).to_string() on:click=move |_| page.undo()>"↶"</button>
                <button type="button" id="redo" aria-label=strings::redo() title=strings::redo_hint() aria-disabled=move || (!page.address.undoable.get().1).to_string() on:click=move |_| page.redo()>"↷"</button>
            </div>
            <LaterView wanted=Signal::derive(move || page.stage.get() == Stage::Teacher) piece=Piece::TeacherReading/>
            <LessonsButton/>
            <button type="button" id="head-more" class="head-more" aria-label=strings::head_more() aria-expanded=move || is_open.get().to_string() aria-controls="head-rest" on:click=move |_| is_open.update(|open| *open = !*open)>"⋯"</button>
            // Its menu opens by `#head-more`; on a phone all of it does.
            <div id="head-rest" class="head-rest" class:open=is_open on:focusout=move |event| if leaves(&event) { is_open.set(false) }>
                <LaterView wanted=later.is_here() piece=Piece::HeadRest/>
            </div>
        </header>
    }
}

/// Whether the focus moves out of the element.
fn leaves(event: &FocusEvent) -> bool {
    let holder = event.current_target().and_then(|holder| holder.dyn_into::<Element>().ok());
    let next = event.related_target().and_then(|next| next.dyn_into::<Element>().ok());
    holder.is_some_and(|holder| !holder.contains(next.as_deref()))
}

/// The button of a view. It opens the view's first plot.
#[component]
fn ViewButton(
    /// The view that the button opens.
    view: View,
) -> impl IntoView {
    let page = use_page();
    let is_current = move || page.plot.get().view() == view;
    view! {
        <button
            type="button"
            id=format!("view-{}", view.id())
            title=strings::view_hint(view)
            aria-current=move || is_current().then_some("page")
            on:click=move |_| {
                if let Some(first) = view.plots().first() {
                    page.plot.set(*first);
                }
            }
        >
            {strings::view_name(view)}
        </button>
    }
}

/// A line about the workers, while there is something to say.
#[component]
fn Status() -> impl IntoView {
    let page = use_page();
    let engine = page.engine;
    view! {
        <div class="status" role="status" aria-live="polite" data-testid="status" class:shown=move || engine.status.with(Option::is_some)>
            <span>{move || engine.status.get().unwrap_or_default()}</span>
            <button type="button" hidden=move || !engine.is_down.get() on:click=move |_| page.engine.restart()>
                {strings::try_again()}
            </button>
            <button type="button" hidden=move || engine.is_down.get() || engine.status.with(Option::is_none) on:click=move |_| engine.status.set(None)>
                {strings::close()}
            </button>
        </div>
    }
}

/// The colours of the bounds, from the plots' palette, so that a bound has one colour everywhere.
fn role_colors(themes: Themes) -> String {
    let palette = Palette::of(themes.shown.get());
    let changes = format!("--nudge:{};--response:{}", css(palette.nudge), css(palette.response));
    let bounds = ALL.map(|id| format!("--{}:{}", id.id(), css(palette.role(role_of(id)))));
    format!("{};{changes}", bounds.join(";"))
}

/// A line that offers a newer build of the page.
///
/// assets/boot.js detects a newer build: it marks the root element, and style/smalls.css shows the line. A press of the
/// button lets the newer build in. The line is in the first part of the page, so that it is there even if the later
/// part of an old build cannot be fetched.
#[component]
fn NewBuild() -> impl IntoView {
    let is_closed = RwSignal::new(false);
    view! {
        <div class="status new-build" role="status" hidden=is_closed>
            <span>{strings::new_build()}</span>
            <button type="button" id="new-build">{strings::take_new_build()}</button>
            <span class="others">{strings::close_other_pages()}</span>
            <button type="button" on:click=move |_| is_closed.set(true)>{strings::close()}</button>
        </div>
    }
}
