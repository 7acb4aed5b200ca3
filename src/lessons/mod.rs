//! Lessons: texts beside the live page, whose steps set the controls and have goals.
//!
//! | module | concept |
//! | --- | --- |
//! | `file` | the format of a lesson's file, and its faults; the build reads files with it too |
//! | `catalog` | the lessons, read from `lessons/` |
//! | `lesson` | the types of a lesson and of a step, and the settings of a step |
//! | `goal` | conditions on named numbers of the page |
//! | `text`, `handle` | reads a text as words, places and controls; the sliders among these |
//! | `slot`, `fill` | the places of a text, and the values in them |
//! | `formulas`, `symbols` | formulas in texts, as MathML, and what their symbols stand for |
//! | `record`, `answer_code` | what a reader has done; the code that a student hands in |
//! | `question` | the numbers of a question, at its settings |
//! | `slopes` | how a drawn curve is judged |

mod answer_code;
mod catalog;
mod file;
mod fill;
mod formulas;
mod goal;
mod handle;
mod lesson;
mod question;
mod record;
mod slopes;
mod slot;
mod symbols;
mod text;

use crate::language::{Language, language};
pub use crate::look::Lines;
pub use crate::state::Guessed;

pub use answer_code::{CodeFault, Gathered, HandIn, MOST_LINK, MOST_NAME, gather};
pub use catalog::{find, lessons, next_after, scene_of};
pub use file::{Edition, Fault, LessonFile, agree, parse};
pub use fill::{Age, Ages, Facts, Filled};
pub use formulas::LessonFormula;
pub use goal::{Acts, Condition, Goal, Quantity, Situation, Way};
pub use handle::Handle;
pub use lesson::{Choice, Holds, Lesson, Paragraph, Prediction, Setup, Step, Visible};
pub use question::QuestionNumbers;
pub use record::{Done, LessonRecord, Records, StepRecord};
pub use slopes::{SLOPE_TOLERANCE, Slopes};
pub use slot::{GrowthReading, Measured, Slot};
pub use symbols::{Explained, unexplained};
pub use text::{Piece, pieces, slots};

/// A text in every language, with the same places in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Localized {
    english: &'static str,
    chinese: &'static str,
}

impl Localized {
    /// A text in English and in Simplified Chinese.
    const fn new(english: &'static str, chinese: &'static str) -> Self {
        Localized { english, chinese }
    }

    /// The text in the page's language.
    #[must_use]
    pub fn now(self) -> &'static str {
        match language() {
            Language::English | Language::Mirrored => self.english,
            Language::Chinese => self.chinese,
        }
    }

    /// The text in every language.
    #[must_use]
    pub fn all(self) -> [&'static str; 2] {
        [self.english, self.chinese]
    }
}
