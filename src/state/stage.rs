//! How much of the page is shown and how large, and the place in a lesson.

/// The use of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// Everything, for one reader.
    #[default]
    Full,
    /// Plot and main numbers, large, for a projector.
    Teacher,
    /// One picture inside another page.
    Embed,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 3] = [Stage::Full, Stage::Teacher, Stage::Embed];

    /// Its word in links and in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Stage::Full => "full",
            Stage::Teacher => "teacher",
            Stage::Embed => "embed",
        }
    }

    /// The size of type and marks in the pictures, as a multiple of the usual one.
    #[must_use]
    pub fn size_of_type(self) -> f64 {
        /// For a projector.
        const ENLARGED: f64 = 1.35;
        match self {
            Stage::Full | Stage::Embed => 1.0,
            Stage::Teacher => ENLARGED,
        }
    }
}

/// A lesson and a step of it. An id that names no lesson shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonAt {
    /// The id of the lesson.
    pub id: String,
    /// The step, from zero; past the last step it means the last.
    pub step: usize,
}
