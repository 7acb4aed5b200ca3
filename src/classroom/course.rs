//! Opening a lesson, moving through it, and restoring the state before it.

use crate::prelude::*;

use crate::field::AnyField;
use crate::lessons::{Lesson, Setup, Step};
use crate::link;
use crate::state::{Assigned, Guessed, LessonAt, Scene, Stage};

use super::context::{Classroom, Guess};

/// The place name of a lesson's edits: each of them is a step that the reader can undo by itself.
const PLACE: &str = "preset";
/// The place name of edits by a slider in a text. Edits during one movement of the slider are undone together.
const PLACE_SLIDER: &str = "lesson-slider";

/// The lesson and the step that the reader is at; `None` also where the id names no lesson.
pub fn step_now(room: Classroom) -> Option<(&'static Lesson, usize, &'static Step)> {
    room.page.lesson.with(|at| {
        let at = at.as_ref()?;
        let lesson = (room.later.table()?.find_lesson)(&at.id)?;
        let step = lesson.clamped(at.step);
        Some((lesson, step, lesson.steps.get(step)?))
    })
}

/// The answer of a student that the link shows, if it is one to the question of this step. Any other is ignored.
pub fn handed_in(room: Classroom) -> Option<Guessed> {
    let (.., step) = step_now(room)?;
    room.page.look.answer.get().filter(|answer| answer.fits(step))
}

/// The goals of this step that a student had reached, where the link shows what a student has handed in.
pub fn reached_by_student(room: Classroom) -> Option<Vec<&'static str>> {
    let (.., step) = step_now(room)?;
    let reached = room.page.look.reached.get()?;
    Some(step.goals.iter().map(|goal| goal.id).filter(|id| reached.iter().any(|known| known == id)).collect())
}

/// Whether the page shows what a student has handed in.
pub fn is_of_student(room: Classroom) -> bool {
    handed_in(room).is_some() || reached_by_student(room).is_some()
}

/// What of a lesson is asked for; `None` where nothing is, also where the link asks for a step without goals, or for one
/// that the lesson does not have.
pub fn assigned_of(room: Classroom, lesson: &Lesson) -> Option<Assigned> {
    room.page
        .look
        .assigned
        .get()
        .filter(|assigned| assigned.lesson == lesson.id && lesson.can_be_assigned(assigned.step))
}

/// Whether this step is part of what the reader is asked to do.
pub fn is_assigned(room: Classroom) -> bool {
    let has = |at: &LessonAt| {
        let assigned = step_now(room).and_then(|(lesson, ..)| assigned_of(room, lesson));
        assigned.is_some_and(|assigned| assigned.has(&at.id, at.step))
    };
    room.page.lesson.with(|at| at.as_ref().is_some_and(has))
}

/// The step of a lesson that is asked for, where a single one is.
pub fn step_assigned(room: Classroom, lesson: &Lesson) -> Option<usize> {
    assigned_of(room, lesson)?.step
}

/// Whether the lessons' panel is shown.
pub fn is_panel_open(room: Classroom) -> bool {
    room.list_open.get() || step_now(room).is_some()
}

/// Begins a lesson.
pub(super) fn open(room: Classroom, lesson: &'static Lesson) {
    let (room, now) = (room, now(room));
    // The page can later restore these settings. They replace the remembered ones only if the reader has changed
    // something since the last lesson.
    let is_own = room.left.with_untracked(|left| left.as_ref().is_some_and(|left| *left != now));
    if is_own || room.before.with_untracked(Option::is_none) {
        room.before.set(Some(now));
    }
    room.left.set(None);
    go_to(room, lesson, 0);
}

/// Sets the page to a step, and shows its text.
pub(super) fn go_to(room: Classroom, lesson: &'static Lesson, step: usize) {
    let step = lesson.clamped(step);
    let Some(setup) = lesson.steps.get(step).map(|step| room.page.state.with_untracked(|state| step.setup(state)))
    else {
        return;
    };
    // The step begins anew, also where it is the same one: without answer, verdict and conclusion.
    let at = LessonAt { id: lesson.id.into(), step };
    let before = room.page.lesson.get_untracked();
    let is_second = room.guess.with_untracked(|guess| guess.settled.is_some() && guess.is_revealed_at(before.as_ref()));
    room.progress.update(|progress| {
        progress.has_seen_answer |= is_second;
        *progress = progress.anew(progress.at.clone(), Some(&at));
    });
    room.guess.set(Guess::default());
    room.question.set(None);
    room.page.look.leave_student();
    // The text comes first: a step with a guess covers the numbers before they come.
    room.list_open.set(false);
    room.is_leaving.set(false);
    room.page.lesson.set(Some(at));
    put(room, setup);
}

/// Moves by some steps. Past the last step the lesson ends.
pub fn go_by(room: Classroom, by: isize) {
    let Some((lesson, step, _)) = untrack(|| step_now(room)) else { return };
    match step.checked_add_signed(by) {
        Some(step) if step < lesson.steps.len() => go_to(room, lesson, step),
        Some(_) => end(room),
        None => {}
    }
}

/// Shows the list in place of the lesson; the settings stay.
pub(super) fn show_list(room: Classroom) {
    // The list takes the place of the controls.
    room.panels.controls.set(false);
    room.page.look.leave_student();
    room.page.lesson.set(None);
    room.list_open.set(true);
}

/// Leaves the lessons: asks which configuration to go on with, where there are two.
pub(super) fn leave(room: Classroom) {
    let is_asked = room.is_leaving.get_untracked();
    let before = room.before.get_untracked();
    let has_two = before.is_some_and(|before| before != now(room)) && room.page.lesson.with_untracked(Option::is_some);
    if has_two && !is_asked { room.is_leaving.set(true) } else { close(room) }
}

/// Ends the lesson and closes the panel. The settings stay.
pub(super) fn close(room: Classroom) {
    room.is_leaving.set(false);
    room.left.set(Some(now(room)));
    room.page.look.leave_student();
    room.page.lesson.set(None);
    room.list_open.set(false);
}

/// After the last step: shows the list again, for the next lesson.
fn end(room: Classroom) {
    show_list(room);
}

/// Puts back what was set before the first lesson, and closes the panel.
pub(super) fn restore(room: Classroom) {
    close(room);
    if let Some(before) = room.before.get_untracked() {
        room.before.set(None);
        put(room, before);
    }
}

/// Whether the reader has changed a setting of the step.
pub(super) fn is_changed(room: Classroom) -> bool {
    step_now(room).is_some_and(|(.., step)| differs(room, step))
}

/// Whether a setting differs from what a step sets.
pub(super) fn differs(room: Classroom, step: &Step) -> bool {
    differs_from(room, &room.page.state.with(|state| step.setup(state)))
}

/// Whether a setting differs from those at which the question of a step is answered.
pub(super) fn is_off_question(room: Classroom, step: &Step) -> bool {
    differs_from(room, &room.page.state.with(|state| step.question_setup(state)))
}

fn differs_from(room: Classroom, wanted: &Setup) -> bool {
    room.page.plot.get() != wanted.plot
        || room.page.state.with(|state| *state != wanted.state)
        || room.page.settings.with(|settings| *settings != wanted.settings)
}

/// Puts fields of a link over the present settings.
pub(super) fn put_fields(room: Classroom, fields: &str) {
    put_fields_over(room, untrack(|| room.page.scene()), fields);
}

/// Puts fields of a link over a scene, and shows the result.
pub(super) fn put_fields_over(room: Classroom, scene: Scene, fields: &str) {
    let now = room.page.state.get_untracked();
    if let Some(Scene { state, plot, labs, .. }) = link::over(scene, fields).scene {
        put(
            room,
            Setup {
                state: state.keeping_data_of(&now),
                plot,
                settings: labs,
                rung: room.page.look.rung.get_untracked(),
            },
        );
    }
}

/// Sets a number, as a moving slider in a text does.
pub(super) fn set_number(room: Classroom, number: AnyField, value: f64) {
    let mut scene = untrack(|| room.page.scene());
    number.set(&mut scene, value);
    room.page.put(PLACE_SLIDER, Ok(scene.state));
    if room.page.settings.with_untracked(|settings| *settings != scene.labs) {
        room.page.settings.set(scene.labs);
    }
}

/// The address of the scene on screen, without the lesson. Empty where it would be too long, and until the later part
/// of the page is loaded.
pub(super) fn own_link(room: Classroom) -> String {
    let scene = Scene { lesson: None, stage: Stage::Full, ..room.page.scene() }.without_class();
    room.page.link_of(&scene).unwrap_or_default()
}

/// Sets the page to the present step again.
pub(super) fn again(room: Classroom) {
    if let Some((lesson, step, _)) = untrack(|| step_now(room)) {
        go_to(room, lesson, step);
    }
}

fn now(room: Classroom) -> Setup {
    Setup {
        state: room.page.state.get_untracked(),
        plot: room.page.plot.get_untracked(),
        settings: room.page.settings.get_untracked(),
        rung: room.page.look.rung.get_untracked(),
    }
}

fn put(room: Classroom, setup: Setup) {
    // The plot first: what the page asks the workers for depends on it too.
    room.page.plot.set(setup.plot);
    room.page.put(PLACE, Ok(setup.state));
    room.page.settings.set(setup.settings);
    room.page.look.rung.set(setup.rung);
}
