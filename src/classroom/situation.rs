//! The page's numbers, and what the reader has done at a step, as lessons read them.

use crate::prelude::*;

use crate::lessons::{Acts, Age, Ages, Facts, Situation, Step};
use crate::query::Query;

use super::context::Classroom;
use super::{course, guess};

/// Calls `read` with the page's numbers. Their ages say which of them belong to the present settings.
pub fn with_facts<T>(room: Classroom, read: impl FnOnce(Facts<'_>) -> T) -> T {
    let (page, answers) = (room.page, room.page.answers);
    let (state, settings, measured) = (room.page.state.read(), page.settings.read(), answers.measured.read());
    let (sweep, growth) = (answers.sweep.read(), answers.growth.read());
    let (scaling, tightness, inverse) = (answers.scaling.read(), answers.tightness.read(), answers.inverse.read());
    let (training, known) = (answers.training.read(), answers.known.read());
    let age = |is_present| if is_present { Age::Now } else { Age::Before };
    read(Facts {
        state: &state,
        settings: &settings,
        measured: measured.as_deref(),
        sweep: &sweep,
        growth: &growth,
        known: &known,
        scaling: &scaling,
        tightness: &tightness,
        inverse: &inverse,
        training: &training,
        training_shown: answers.training_shown.get(),
        ages: Ages {
            measured: age(page.is_measured()),
            sweep: age(answers.sweep.is_whole()),
            scaling: age_of_parts(answers.scaling),
            tightness: age_of_parts(answers.tightness),
            inverse: age_of_parts(answers.inverse),
        },
    })
}

/// The age of an answer that comes in part by part. Its first part takes the place of the last whole one.
fn age_of_parts<T: Send + Sync + 'static>(ask: Query<T>) -> Age {
    if ask.is_stale() {
        Age::Before
    } else if ask.is_whole() {
        Age::Now
    } else {
        Age::Unfinished
    }
}

/// As [`with_facts`], with the settings and what the reader has done at a step.
pub fn with_situation<T>(room: Classroom, step: &'static Step, read: impl FnOnce(&Situation<'_>) -> T) -> T {
    let scene = room.page.scene();
    let acts = Acts {
        // Without a verdict the reader has answered, and the page has not.
        has_answered: guess::settled(room).is_some(),
        has_changed: course::differs(room, step),
        has_shared: room.progress.with(|progress| progress.has_shared),
        ran_backwards: room.progress.with(|progress| progress.ran_backwards),
    };
    with_facts(room, |facts| read(&Situation { facts, scene: &scene, acts }))
}
