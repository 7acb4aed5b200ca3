//! The panel of links.

pub use crate::words::share::*;

use crate::state::{Part, Stage};

/// What the link to a step opens; the recap asks nothing.
pub fn share_step_about(step: usize, tasks: usize, lesson: &str) -> String {
    if step < tasks { share_step_about { lesson, step: step + 1 }.text() } else { share_recap_about(lesson) }
}

pub fn shown_part(part: Part) -> &'static str {
    match part {
        Part::Controls => share_part::controls(),
        Part::List => share_part::list(),
        Part::Numbers => share_part::numbers(),
    }
}

/// What a link opens; an embedded page has no name here.
pub fn link_stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Full | Stage::Embed => share_stage::full(),
        Stage::Teacher => share_stage::teacher(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_step_that_asks_something_is_an_assignment() {
        let task = share_step_about(1, 2, "The mask");
        assert!(task.contains("step 2 of “The mask”") && task.contains("assignment"), "{task}");
        let recap = share_step_about(2, 2, "The mask");
        assert!(recap.contains("recap of “The mask”"), "{recap}");
        assert!(!recap.contains("assignment") && !recap.contains("step 3"), "{recap}");
    }
}
