//! What the page has for the places and the goals of a lesson.

use crate::prelude::*;

use crate::lessons::{Acts, Facts, Situation, Step};
use crate::page::Page;

use super::{course, guess};

/// Reads something off the page's numbers.
pub fn with_facts<T>(page: Page, read: impl FnOnce(Facts<'_>) -> T) -> T {
    let (live, labs) = (page.live, page.labs);
    let (state, settings, measured) = (page.state.read(), labs.settings.read(), live.measured.read());
    let (sweep, growth) = (live.sweep.read(), live.growth.read());
    let (scaling, tightness, inverse) = (labs.scaling.read(), labs.tightness.read(), labs.inverse.read());
    let training = page.training.runs.read();
    read(Facts {
        state: &state,
        settings: &settings,
        measured: measured.as_deref(),
        sweep: &sweep,
        growth: &growth,
        scaling: &scaling,
        tightness: &tightness,
        inverse: &inverse,
        training: &training,
    })
}

/// The same with what is set and what the reader has done at a step.
pub fn with_situation<T>(page: Page, step: &'static Step, read: impl FnOnce(&Situation<'_>) -> T) -> T {
    let scene = page.scene();
    let acts = Acts {
        has_revealed: guess::is_revealed(page) && guess::has_guessed(page),
        has_changed: course::differs(page, step),
        has_shared: page.classroom.progress.with(|progress| progress.has_shared),
    };
    with_facts(page, |facts| read(&Situation { facts, scene: &scene, acts }))
}
