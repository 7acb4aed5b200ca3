//! The lessons on the page: going through them, and what a reader draws before the page shows its numbers.
//!
//! | module | concept |
//! | --- | --- |
//! | `context` | the state of the lessons |
//! | `course` | opening a lesson, moving through it, restoring the settings before it |
//! | `panel`, `prose`, `handles` | the list of lessons, the text beside the page, and its controls |
//! | `situation`, `progress`, `goals` | the page's numbers, and how far the reader is in a step; goals, hint and answer |
//! | `question` | the numbers of a question, and when it is answered |
//! | `guess`, `settle`, `guess_words` | what a reader draws or chooses, what the page finds for it, and how far off it is |
//! | `draw`, `place` | where the reader draws: a curve, a mark |
//! | `drawing` | what the reader has drawn, as text for another window |
//! | `handout`, `handout_figure`, `handout_words` | a lesson on paper |
//! | `notebook`, `hand_in` | what the reader has done, kept in this browser; the answer code of a student |
//! | `lecturer`, `answers_of_class` | the sheet of a lecturer: the answers of a class, as table and charts |
//! | `in_sight` | scrolling into sight: what has just appeared, the figure of a step |
//! | `shortcuts` | the keys of the whole page, and the list of all keys |

mod answers_of_class;
mod context;
mod course;
mod draw;
mod drawing;
mod goals;
mod guess;
mod guess_words;
mod hand_in;
mod handles;
mod handout;
mod handout_figure;
mod handout_words;
mod in_sight;
mod lecturer;
mod notebook;
mod panel;
mod place;
mod progress;
mod prose;
mod question;
mod settle;
mod shortcuts;
mod situation;

use crate::prelude::*;

use crate::stage;

pub use context::{Classroom, use_classroom};
pub use course::is_panel_open;
pub use draw::GuessStage;
pub use drawing::{drawing_text, show_drawing};
pub use guess::{is_covered, is_guessed};
pub use handout::handout;
pub use panel::{LessonPanel, LessonsButton};
pub use shortcuts::{KeyList, Shortcuts};

use notebook::{Notebook, use_notebook};

/// Starts the effects that follow the reader's place in a lesson and the stage.
pub fn begin(room: Classroom) {
    let page = room.page;
    effect(move |_| {
        page.lesson.track();
        room.is_leaving.set(false);
        room.panels.controls.set(false);
    });
    effect(move |_| {
        let is_covered = is_covered(room);
        if page.look.is_covered.get_untracked() != is_covered {
            page.look.is_covered.set(is_covered);
        }
    });
    stage::begin(page, room.panels);
    shortcuts::begin(room);
}

/// Starts the effects that find which goals are reached and when help is due. Nothing is recorded yet.
pub fn begin_steps(room: Classroom) {
    room.go_by.set_value(Some(course::go_by));
    progress::begin(room);
    question::begin(room);
    settle::begin(room);
    provide_context(Notebook::new());
}

/// Starts to record what the reader does, beside what this browser has kept.
pub fn begin_notebook(room: Classroom) {
    notebook::begin(room, use_notebook());
}
