//! The second window, for the projector.

pub use crate::words::projector::*;

/// A step of a lesson; the recap has no number, since it is not counted.
pub fn projector_step(step: usize, tasks: usize, lesson: &str) -> String {
    if step < tasks { projector_step { lesson, step: step + 1 }.text() } else { projector_recap(lesson) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_its_number_and_the_recap_has_none() {
        assert_eq!(projector_step(0, 6, "The mask"), "The mask, step 1");
        assert_eq!(projector_step(5, 6, "The mask"), "The mask, step 6");
        assert_eq!(projector_step(6, 6, "The mask"), "The mask, recap");
    }
}
