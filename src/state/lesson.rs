//! Where a reader is in a lesson.

/// A lesson and a step of it. An id that names no lesson shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonAt {
    /// The id of the lesson.
    pub id: String,
    /// The step, from zero; past the last step it means the last.
    pub step: usize,
}
