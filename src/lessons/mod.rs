//! Lessons: texts beside the live page, whose steps set the controls and have goals.
//!
//! | module | concept |
//! | --- | --- |
//! | `file` | the format of a lesson's file, and its faults; the build reads files with it too |
//! | `catalog` | the lessons, read from `lessons/` |
//! | `lesson` | the types of a lesson and of a step, and the settings of a step |
//! | `goal` | conditions on named numbers of the page |
//! | `localized`, `text`, `handle` | texts in every language, the places in them, and the sliders |
//! | `slot`, `fill` | the places of a text, and the values in them |
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
pub use fill::{Age, Ages, Facts, Filled};
pub use formulas::LessonFormula;
pub use goal::{Acts, Condition, Goal, Quantity, Situation, Way};
pub use handle::Handle;
pub use lesson::{Choice, Lesson, Paragraph, Prediction, Setup, Step, Visible};
pub use localized::Localized;
pub use slot::Slot;
pub use text::{Piece, pieces, slots};
