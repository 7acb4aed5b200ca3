//! Opening a lesson, going on in it, and back to what was before.

use crate::prelude::*;

use crate::lessons::{Lesson, Setup, Step};
use crate::link;
use crate::page::Page;
use crate::state::{LessonAt, Scene, Stage};

use super::guess::Guess;

/// The place of edits that a lesson makes: each is a step to which one can go back.
const PLACE: &str = "preset";
/// The place of edits by a slider in a text: movements within a step.
const PLACE_SLIDER: &str = "lesson-slider";

/// The lesson and the step that the reader is at; `None` also where the id names no lesson.
pub fn step_now(page: Page) -> Option<(&'static Lesson, usize, &'static Step)> {
    page.lesson.with(|at| {
        let at = at.as_ref()?;
        let lesson = (page.later()?.find_lesson)(&at.id)?;
        let step = lesson.clamped(at.step);
        Some((lesson, step, lesson.steps.get(step)?))
    })
}

/// Whether the lessons' panel is shown.
pub fn is_taught(page: Page) -> bool {
    page.classroom.list_open.get() || step_now(page).is_some()
}

/// Begins a lesson.
pub(super) fn open(page: Page, lesson: &'static Lesson) {
    let (room, now) = (page.classroom, now(page));
    // What a reader has set since the last lesson is what is worth going back to.
    let is_own = room.left.with_untracked(|left| left.as_ref().is_some_and(|left| *left != now));
    if is_own || room.before.with_untracked(Option::is_none) {
        room.before.set(Some(now));
    }
    room.left.set(None);
    go_to(page, lesson, 0);
}

/// Sets the page to a step, and shows its text.
pub(super) fn go_to(page: Page, lesson: &'static Lesson, step: usize) {
    let step = lesson.clamped(step);
    let Some(setup) = lesson.steps.get(step).map(|step| page.state.with_untracked(|state| step.setup(state))) else {
        return;
    };
    page.classroom.guess.set(Guess::default());
    // First the text: a step that is to be guessed covers the numbers before they come.
    page.classroom.list_open.set(false);
    page.classroom.is_leaving.set(false);
    page.lesson.set(Some(LessonAt { id: lesson.id.into(), step }));
    put(page, setup);
}

/// Goes some steps on or back; past the last step the lesson ends.
pub fn go_by(page: Page, by: isize) {
    let Some((lesson, step, _)) = untrack(|| step_now(page)) else { return };
    match step.checked_add_signed(by) {
        Some(step) if step < lesson.steps.len() => go_to(page, lesson, step),
        Some(_) => end(page),
        None => {}
    }
}

/// The list in place of the lesson: nothing else changes.
pub(super) fn show_list(page: Page) {
    // It stands where the controls stand.
    page.classroom.controls_open.set(false);
    page.lesson.set(None);
    page.classroom.list_open.set(true);
}

/// Leaves the lessons: asks which configuration to go on with, where there are two.
pub(super) fn leave(page: Page) {
    let is_asked = page.classroom.is_leaving.get_untracked();
    let before = page.classroom.before.get_untracked();
    let has_two = before.is_some_and(|before| before != now(page)) && page.lesson.with_untracked(Option::is_some);
    if has_two && !is_asked { page.classroom.is_leaving.set(true) } else { close(page) }
}

/// Ends the lesson and closes the panel: what is set stays.
pub(super) fn close(page: Page) {
    page.classroom.is_leaving.set(false);
    page.classroom.left.set(Some(now(page)));
    page.lesson.set(None);
    page.classroom.list_open.set(false);
}

/// The last step is done: the list again, for the next lesson.
fn end(page: Page) {
    show_list(page);
}

/// Puts back what was set before the first lesson, and closes the panel.
pub(super) fn restore(page: Page) {
    close(page);
    if let Some(before) = page.classroom.before.get_untracked() {
        page.classroom.before.set(None);
        put(page, before);
    }
}

/// Whether something is set otherwise than the step has set it.
pub(super) fn is_changed(page: Page) -> bool {
    step_now(page).is_some_and(|(.., step)| differs(page, step))
}

/// Whether something is set otherwise than a step sets it.
pub(super) fn differs(page: Page, step: &Step) -> bool {
    let wanted = page.state.with(|state| step.setup(state));
    page.plot.get() != wanted.plot
        || page.state.with(|state| *state != wanted.state)
        || page.labs.settings.with(|settings| *settings != wanted.settings)
}

/// Puts fields of a link over what is set.
pub(super) fn put_fields(page: Page, fields: &str) {
    put_fields_over(page, untrack(|| page.scene()), fields);
}

/// Puts fields of a link over a scene, and shows that.
pub(super) fn put_fields_over(page: Page, scene: Scene, fields: &str) {
    let now = page.state.get_untracked();
    if let Some(Scene { mut state, plot, labs, .. }) = link::over(scene, fields).scene {
        state.own_tokens = state.own_tokens.or(now.own_tokens);
        state.own_clusters = state.own_clusters.or(now.own_clusters);
        state.own_weights = state.own_weights.or(now.own_weights);
        put(page, Setup { state, plot, settings: labs, rung: page.rung.get_untracked() });
    }
}

/// Sets one field, as a slider that is moved does.
pub(super) fn set_field(page: Page, field: &str) {
    if let Some(Scene { state, labs, .. }) = link::over(untrack(|| page.scene()), field).scene {
        page.put(PLACE_SLIDER, Ok(state));
        if page.labs.settings.with_untracked(|settings| *settings != labs) {
            page.labs.settings.set(labs);
        }
    }
}

/// The address of what is shown, without the lesson; empty where it is too long for one.
pub(super) fn own_link(page: Page) -> String {
    let scene = Scene { lesson: None, stage: Stage::Full, ..page.scene() };
    let link = page.later().and_then(|later| (later.write_link)(&scene).ok());
    let here = window().location().href().unwrap_or_default();
    let address = here.split('#').next().unwrap_or_default();
    link.map_or_else(String::new, |link| format!("{address}#{link}"))
}

/// Sets the page to the present step again.
pub(super) fn again(page: Page) {
    if let Some((lesson, step, _)) = untrack(|| step_now(page)) {
        go_to(page, lesson, step);
    }
}

fn now(page: Page) -> Setup {
    Setup {
        state: page.state.get_untracked(),
        plot: page.plot.get_untracked(),
        settings: page.labs.settings.get_untracked(),
        rung: page.rung.get_untracked(),
    }
}

fn put(page: Page, setup: Setup) {
    // The plot first: what is asked of the workers depends on it too.
    page.plot.set(setup.plot);
    page.put(PLACE, Ok(setup.state));
    page.labs.settings.set(setup.settings);
    page.rung.set(setup.rung);
}
