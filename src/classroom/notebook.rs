//! What the reader has done in all lessons, kept in this browser, and the name for answer codes.

use crate::prelude::*;

use crate::lessons::{Guessed, HandIn, Lesson, MOST_LINK, Records};
use crate::state::{Scene, Stage};

use super::context::Classroom;
use super::course::{self, step_now};
use super::guess::settled;

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
    /// Without records.
    pub fn new() -> Self {
        Notebook { records: RwSignal::new(Records::default()), name: RwSignal::new(String::new()) }
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

/// Takes up what this browser has kept, and notes what the reader reaches and guesses.
pub fn begin(room: Classroom, notebook: Notebook) {
    notebook.records.set(kept());
    effect(move |_| {
        let Some((lesson, at, step)) = step_now(room) else { return };
        // What a student has handed in was not done by this reader, nor is anything done in the small view.
        if step.goals.is_empty() || course::is_of_student(room) || room.page.stage.get() == Stage::Embed {
            return;
        }
        // Goals of the step before are there for a moment after a move.
        let goals = room.progress.with(|progress| {
            let is_here = progress.at.as_ref().is_some_and(|here| here.id == lesson.id && here.step == at);
            if is_here { progress.reached.clone() } else { Vec::new() }
        });
        let guess = settled(room).map(|settled| shortened(settled.guessed));
        notebook.note(lesson, at, &goals, guess);
    });
}

/// What the reader hands in at this step; `None` outside of lessons.
pub fn hand_in(room: Classroom, notebook: Notebook) -> Option<HandIn> {
    let (lesson, step, _) = step_now(room)?;
    let scene = Scene { stage: Stage::Full, theme: None, ..room.page.scene() }.without_class();
    let scene = room.page.for_another_page(scene);
    let link = room.later.table().and_then(|later| (later.write_link)(&scene).ok());
    Some(HandIn {
        name: notebook.name.get(),
        lesson: lesson.id.into(),
        step,
        link: link.filter(|link| link.len() <= MOST_LINK).unwrap_or_default(),
        record: notebook.records.with(|records| records.of(lesson)),
        assigned: course::step_assigned(room, lesson),
    })
}

/// A guess in the few digits that a code has room for.
fn shortened(guessed: Guessed) -> Guessed {
    match guessed {
        Guessed::Choice(..) => guessed,
        Guessed::Mark(yours, found) => Guessed::Mark(short(yours), short(found)),
        Guessed::Curve(points) => {
            Guessed::Curve(points.into_iter().map(|(n, yours, found)| (n, short(yours), short(found))).collect())
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
