//! What the reader has done in all lessons, kept in this browser, and the name for answer codes.

use crate::prelude::*;

use crate::lessons::{Guessed, HandIn, Lesson, MOST_LINK, Prediction, Records, Step};
use crate::state::{Scene, Stage};
use lipscope_plot::ascending;

use super::context::Classroom;
use super::course::{self, step_now};
use super::{guess, guess_words};

/// The key under which the browser keeps the records.
const KEY: &str = "lipscope-lessons";

/// What the reader has done, and the reader's name.
#[derive(Clone, Copy)]
pub struct Notebook {
    /// What was done in all lessons.
    pub records: RwSignal<Records>,
    /// The name that the student has typed. It is not kept.
    pub name: RwSignal<String>,
}

/// The notebook, from the context.
pub fn use_notebook() -> Notebook {
    expect_context()
}

impl Notebook {
    /// What this browser has kept.
    pub fn new() -> Self {
        Notebook { records: RwSignal::new(kept()), name: RwSignal::new(String::new()) }
    }

    /// Forgets all that was done.
    pub fn clear(self) {
        if let Ok(Some(storage)) = window().local_storage() {
            // Where the browser keeps nothing there is nothing to remove.
            let _ = storage.remove_item(KEY);
        }
        self.records.set(Records::default());
    }

    fn note(self, lesson: &'static Lesson, step: usize, goals: &[&str], guess: Option<Guessed>) {
        // Another tab may have written since: its steps are kept.
        let mut records = kept();
        if records.is_empty() {
            records = self.records.get_untracked();
        }
        records.note(lesson, step, goals, guess);
        if self.records.with_untracked(|known| *known == records) {
            return;
        }
        if let Ok(Some(storage)) = window().local_storage() {
            // Where the browser keeps nothing, the page keeps it until it is closed.
            let _ = storage.set_item(KEY, &records.text());
        }
        self.records.set(records);
    }
}

/// Notes what the reader reaches and guesses.
pub fn begin(room: Classroom, notebook: Notebook) {
    effect(move |_| {
        let Some((lesson, at, step)) = step_now(room) else { return };
        // Goals of the step before are there for a moment after a move.
        let goals = room.progress.with(|progress| {
            let is_here = progress.at.as_ref().is_some_and(|here| here.id == lesson.id && here.step == at);
            if is_here { progress.reached.clone() } else { Vec::new() }
        });
        let is_asked = step.prediction != Prediction::None;
        let guess = if is_asked { guessed(room, step) } else { None };
        notebook.note(lesson, at, &goals, guess);
    });
}

/// What the reader hands in at this step; `None` outside of lessons.
pub fn hand_in(room: Classroom, notebook: Notebook) -> Option<HandIn> {
    let (lesson, step, _) = step_now(room)?;
    let scene = Scene { stage: Stage::Full, theme: None, ..room.page.scene() };
    let link = room.later.table().and_then(|later| (later.write_link)(&scene).ok());
    Some(HandIn {
        name: notebook.name.get(),
        lesson: lesson.id.into(),
        step,
        link: link.filter(|link| link.len() <= MOST_LINK).unwrap_or_default(),
        record: notebook.records.with(|records| records.of(lesson)),
    })
}

/// The guess of this step beside what the page has found; `None` before the answer, and while the numbers are on their
/// way.
fn guessed(room: Classroom, step: &'static Step) -> Option<Guessed> {
    if !guess::is_revealed(room) || !guess::has_guessed(room) {
        return None;
    }
    match step.prediction {
        Prediction::None => None,
        Prediction::Choice(_) => {
            let chosen = room.progress.with(|progress| progress.chosen)?;
            Some(Guessed::Choice(chosen.into(), guess_words::right_choice(room, step)?.id.into()))
        }
        Prediction::Mark if !room.page.is_measured() || course::differs(room, step) => None,
        Prediction::Mark => {
            let found = room.page.answers.measured.with(|m| m.as_ref().map(|m| m.measurement.spectral))?;
            Some(Guessed::Mark(short(10f64.powf(guess::mark(room))), short(found)))
        }
        Prediction::Curve => {
            let mut beside = guess::curve_beside(room);
            let is_whole = !beside.is_empty() && beside.len() == guess::curve(room).len();
            let is_done = !room.page.answers.sweep.is_running() && !course::differs(room, step);
            ascending(&mut beside, |point| point.0);
            let shortened = beside.into_iter().map(|(n, yours, found)| (n, short(yours), short(found)));
            (is_whole && is_done).then(|| Guessed::Curve(shortened.collect()))
        }
    }
}

/// A number in the few digits that a code has room for.
fn short(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

fn kept() -> Records {
    let storage = window().local_storage().ok().flatten();
    let text = storage.and_then(|storage| storage.get_item(KEY).ok().flatten());
    text.map_or_else(Records::default, |text| Records::read(&text))
}
