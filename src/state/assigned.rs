//! What a lecturer has asked a class to do: one step of a lesson, or a whole lesson.

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
    pub fn has(&self, lesson: &str, at: usize) -> bool {
        self.lesson == lesson && self.step.is_none_or(|step| step == at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_is_assigned_or_all_of_them() {
        let one = Assigned { lesson: "sink".into(), step: Some(1) };
        assert!(one.has("sink", 1) && !one.has("sink", 2) && !one.has("mask", 1));
        let whole = Assigned { step: None, ..one };
        assert!(whole.has("sink", 2) && !whole.has("mask", 1));
    }
}
