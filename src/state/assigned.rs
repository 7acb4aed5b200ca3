//! What a lecturer has asked a class to do: one step of a lesson, or a whole lesson.

use super::LessonAt;

/// An assignment, which a link holds wherever the student goes on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The id of the lesson.
    pub lesson: String,
    /// Its step, from zero; `None` for the whole lesson.
    pub step: Option<usize>,
}

impl Assigned {
    /// Whether a step belongs to the assignment.
    #[must_use]
    pub fn has(&self, at: &LessonAt) -> bool {
        self.lesson == at.id && self.step.is_none_or(|step| step == at.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_is_assigned_or_all_of_them() {
        let at = |id: &str, step| LessonAt { id: id.into(), step };
        let one = Assigned { lesson: "sink".into(), step: Some(1) };
        assert!(one.has(&at("sink", 1)) && !one.has(&at("sink", 2)) && !one.has(&at("mask", 1)));
        let whole = Assigned { step: None, ..one };
        assert!(whole.has(&at("sink", 2)) && !whole.has(&at("mask", 1)));
    }
}
