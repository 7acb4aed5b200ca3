//! Lessons: short texts beside the live page, whose steps set the controls.
//!
//! | module | concept |
//! | --- | --- |
//! | `lesson` | what a lesson and a step are, and what a step sets |
//! | `said`, `text`, `slot`, `fill` | texts in every language, the places in them, and what stands there |
//! | `formulas` | formulas in texts, as MathML |
//! | the others | a lesson each |

mod fill;
mod formulas;
mod growth;
mod inverse;
mod jacobian;
mod layer_norm;
mod lesson;
mod lipschitz;
mod mask;
mod said;
mod sink;
mod slack;
mod slot;
mod text;
mod whole_space;

pub use fill::{Age, Facts, Filled};
pub use formulas::LessonFormula;
pub use lesson::{Lesson, Setup, Step, Task};
pub use said::Said;
pub use slot::Slot;
pub use text::{Piece, pieces, slots};

use super::state::{LessonAt, PageState, Scene};

/// All lessons, in the order of a course.
pub const LESSONS: [&Lesson; 9] = [
    &lipschitz::LESSON,
    &jacobian::LESSON,
    &sink::LESSON,
    &growth::LESSON,
    &mask::LESSON,
    &layer_norm::LESSON,
    &whole_space::LESSON,
    &inverse::LESSON,
    &slack::LESSON,
];

/// The lesson of an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Lesson> {
    LESSONS.into_iter().find(|lesson| lesson.id == id)
}

/// What is shown at a step, for who comes to it from elsewhere; `None` where the id names no lesson.
pub fn scene_of(at: &LessonAt) -> Option<Scene> {
    let lesson = find(&at.id)?;
    let Setup { state, plot, settings, .. } = lesson.setup(lesson.clamped(at.step), &PageState::adversarial());
    Some(Scene { state, plot, labs: settings, lesson: Some(at.clone()), ..Scene::default() })
}
