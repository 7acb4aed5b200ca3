//! Lessons: texts beside the live page, whose steps set the controls and have goals.
//!
//! | module | concept |
//! | --- | --- |
//! | `file` | how a lesson's file is written, and what is wrong with one; the build reads files with it too |
//! | `catalog` | the lessons, read from `lessons/` |
//! | `lesson` | what a lesson and a step are, and what a step sets |
//! | `goal` | conditions on named numbers of the page |
//! | `localized`, `text`, `handle` | texts in every language, the places in them, and the sliders |
//! | `slot`, `fill` | what the page has for a place, and what stands there |
//! | `formulas` | formulas in texts, as MathML |

mod catalog;
mod file;
mod fill;
mod formulas;
mod goal;
mod handle;
mod lesson;
mod localized;
mod slot;
mod text;

pub use catalog::{find, lessons, next_after, scene_of};
pub use file::{Edition, Fault, LessonFile, agree, parse};
pub use fill::{Age, Facts, Filled};
pub use formulas::LessonFormula;
pub use goal::{Acts, Condition, Goal, Limit, Situation, Way};
pub use handle::Handle;
pub use lesson::{Choice, Lesson, Paragraph, Prediction, Setup, Step, Visible};
pub use localized::Localized;
pub use slot::Slot;
pub use text::{Piece, pieces, slots};
