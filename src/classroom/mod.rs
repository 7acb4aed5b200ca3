//! The lessons on the page: going through them, what a reader draws before the page shows its numbers, the teacher's view.
//!
//! | module | concept |
//! | --- | --- |
//! | `course` | opening, going on, restoring |
//! | `panel`, `list`, `prose`, `handles` | the text beside the page, and the controls in it |
//! | `progress`, `goals` | how far the reader is in a step; goals, hint and answer |
//! | `facts` | what the page has for places and goals |
//! | `guess` | what a reader draws, and how far off it is |
//! | `stage`, `draw`, `place` | where it is drawn: a curve, a mark |
//! | `teacher` | the larger view |
//! | `shortcuts` | the keys of the whole page, and the list of all keys |

mod course;
mod draw;
mod facts;
mod goals;
mod guess;
mod handles;
mod list;
mod panel;
mod place;
mod progress;
mod prose;
mod shortcuts;
mod stage;
mod teacher;

use crate::prelude::*;

use crate::lessons::Setup;

use super::page::Page;

pub use course::{go_by, is_taught};
pub use guess::{is_covered, is_guessed};
pub use list::LessonsButton;
pub use panel::LessonPanel;
pub use shortcuts::{KeyList, Shortcuts};
pub use stage::GuessStage;
pub use teacher::{TeacherButton, size_of_type};

use guess::Guess;
use progress::Progress;

/// What the lessons hold beside the reader's place in one.
#[derive(Clone, Copy)]
pub struct Classroom {
    /// Whether the list of lessons is open.
    pub list_open: RwSignal<bool>,
    /// Whether the list of keys is open.
    pub keys_open: RwSignal<bool>,
    /// Whether the controls stand where the lesson stood.
    pub controls_open: RwSignal<bool>,
    /// What was set before the first lesson.
    before: RwSignal<Option<Setup>>,
    /// What was set when the panel was closed.
    left: RwSignal<Option<Setup>>,
    /// Whether the reader is asked which configuration to leave a lesson with.
    is_leaving: RwSignal<bool>,
    /// What the reader has drawn at this step.
    guess: RwSignal<Guess>,
    /// How far the reader is in this step.
    progress: RwSignal<Progress>,
}

impl Default for Classroom {
    fn default() -> Self {
        Classroom {
            list_open: RwSignal::new(false),
            keys_open: RwSignal::new(false),
            controls_open: RwSignal::new(false),
            before: RwSignal::new(None),
            left: RwSignal::new(None),
            is_leaving: RwSignal::new(false),
            guess: RwSignal::new(Guess::default()),
            progress: RwSignal::new(Progress::default()),
        }
    }
}

/// Starts what follows from the reader's place in a lesson and from the stage.
pub fn begin(page: Page) {
    effect(move |_| {
        page.lesson.track();
        // What was drawn at another step is no guess at this one.
        page.classroom.guess.set(Guess::default());
        page.classroom.is_leaving.set(false);
        page.classroom.controls_open.set(false);
    });
    teacher::begin(page);
    shortcuts::begin(page);
}

/// Starts what follows the reader through a step.
pub fn begin_steps(page: Page) {
    progress::begin(page);
}
