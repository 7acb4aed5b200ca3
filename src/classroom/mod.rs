//! The lessons on the page: going through them, what a reader draws before the page shows its numbers, the teacher's view.
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | what the lessons hold |
//! | `course` | opening, going on, restoring |
//! | `panel`, `list`, `prose`, `handles` | the text beside the page, and its controls |
//! | `progress`, `goals` | how far the reader is in a step; goals, hint and answer |
//! | `facts` | the page's numbers for places and goals |
//! | `guess`, `guess_words` | what a reader draws, and how far off it is |
//! | `stage`, `draw`, `place` | where the reader draws: a curve, a mark |
//! | `teacher` | the larger view |
//! | `shortcuts` | the keys of the whole page, and the list of all keys |

mod context;
mod course;
mod draw;
mod facts;
mod goals;
mod guess;
mod guess_words;
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

pub use context::{Classroom, use_classroom};
pub use course::is_taught;
pub use guess::{is_covered, is_guessed};
pub use list::LessonsButton;
pub use panel::LessonPanel;
pub use shortcuts::{KeyList, Shortcuts};
pub use stage::GuessStage;
pub use teacher::TeacherButton;

use context::Guess;

/// Starts the effects that follow the reader's place in a lesson and the stage.
pub fn begin(room: Classroom) {
    let page = room.page;
    effect(move |_| {
        page.lesson.track();
        // A drawing from another step is no guess at this step.
        room.guess.set(Guess::default());
        room.is_leaving.set(false);
        room.panels.controls.set(false);
    });
    effect(move |_| {
        let is_covered = is_covered(room);
        if page.look.is_covered.get_untracked() != is_covered {
            page.look.is_covered.set(is_covered);
        }
    });
    teacher::begin(page);
    shortcuts::begin(room);
}

/// Starts the effects that follow the reader through a step.
pub fn begin_steps(room: Classroom) {
    room.go_by.set_value(Some(course::go_by));
    progress::begin(room);
}
