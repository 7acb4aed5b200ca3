//! What the page finds for a reader's guess, at the settings of the question. It is found once and then kept, so that
//! nothing that the reader sets afterwards changes what the page has said.

use crate::prelude::*;

use crate::lessons::{Choice, Guessed, Prediction, Step};
use crate::page::{Page, PlotChoice};
use crate::state::LessonAt;
use lipscope_core::bounds::Norm;
use lipscope_plot::{Kind, ascending};

use super::context::{Classroom, Guess, Settled};
use super::course::{self, step_now};
use super::guess;
use super::situation::with_situation;

/// Starts the effect that keeps what the page finds.
pub fn begin(room: Classroom) {
    effect(move |_| {
        let Some((.., step)) = step_now(room) else { return };
        let is_open = guess::is_revealed(room) && room.guess.with(|guess| guess.settled.is_none());
        if !is_open || !guess::has_guessed(room) {
            return;
        }
        if let Some(settled) = found(room, step) {
            room.guess.update(|guess| guess.settled = Some(settled));
        }
    });
}

/// The answer of a student that the link shows, if it is one to the question of this step: as a guess, and the id of
/// the choice.
pub fn handed_in(room: Classroom) -> Option<(Guess, Option<&'static str>)> {
    let (.., step) = step_now(room)?;
    Some(as_handed_in(step, course::handed_in(room)?, room.page.lesson.get()))
}

fn as_handed_in(step: &'static Step, guessed: Guessed, at: Option<LessonAt>) -> (Guess, Option<&'static str>) {
    let mut guess = Guess { revealed_at: at, ..Guess::default() };
    let mut chosen = None;
    match &guessed {
        Guessed::Choice(yours, _) => chosen = choice(step, yours).map(|choice| choice.id),
        Guessed::Mark(yours, _) => guess.mark = Some(yours.log10()),
        Guessed::Curve(points) => guess.curve = points.iter().map(|(_, yours, _)| *yours).collect(),
    }
    // A code does not say how well the norm was known.
    guess.settled = Some(Settled { guessed, kind: Kind::Plain });
    (guess, chosen)
}

/// The choice of a step with an id.
pub fn choice(step: &'static Step, id: &str) -> Option<&'static Choice> {
    step.choices.iter().find(|choice| choice.id == id)
}

/// What the page's numbers say now; `None` while they are on their way, or belong to other settings than the question.
fn found(room: Classroom, step: &'static Step) -> Option<Settled> {
    let answers = room.page.answers;
    if course::is_off_question(room, step) {
        return None;
    }
    // Half of a search or of a curve is no answer, also where the reader has stopped it there.
    let is_whole = match room.page.plot.get() {
        PlotChoice::Scaled => answers.scaling.is_whole(),
        PlotChoice::Tightness => answers.tightness.is_whole(),
        PlotChoice::Inverse => answers.inverse.is_whole(),
        _ => true,
    };
    if !is_whole {
        return None;
    }
    let exact = |guessed| Settled { guessed, kind: Kind::Exact };
    match step.prediction {
        Prediction::None => None,
        Prediction::Choice(_) => {
            let chosen = room.progress.with(|progress| progress.chosen)?;
            Some(exact(Guessed::Choice(chosen.into(), right_choice(room, step)?.id.into())))
        }
        Prediction::Mark => {
            let (norm, kind) = norm_now(room.page)?;
            Some(Settled { kind, ..exact(Guessed::Mark(10f64.powf(guess::mark(room)), norm)) })
        }
        Prediction::Curve => {
            let mut beside = guess::curve_beside(room);
            let is_whole = !beside.is_empty() && beside.len() == guess::curve(room).len();
            let is_done = is_whole && !answers.sweep.is_running();
            ascending(&mut beside, |point| point.0);
            is_done.then(|| exact(Guessed::Curve(beside)))
        }
    }
}

/// The answer that the page's numbers give. `None` while they are on their way.
fn right_choice(room: Classroom, step: &'static Step) -> Option<&'static Choice> {
    with_situation(room, step, |situation| {
        step.choices.iter().find(|choice| choice.conditions.iter().all(|condition| condition.holds(situation)))
    })
}

/// The measured norm, and how well it is known; `None` while it is on its way.
fn norm_now(page: Page) -> Option<(f64, Kind)> {
    if !page.is_measured() {
        return None;
    }
    page.answers.measured.with(|measured| measured.as_ref()?.norm(Norm::Spectral))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::find;

    #[test]
    fn what_a_student_has_handed_in_claims_no_more_than_its_code() {
        let step = |lesson: &str, at: usize| &find(lesson).expect("a lesson").steps[at];
        let points = vec![(2.0, 1.0, 1.0), (16.0, 2.0, 4.0), (256.0, 4.0, 16.0)];
        for (step, guessed) in [
            (step("sink", 0), Guessed::Curve(points)),
            (step("slack", 0), Guessed::Mark(10.0, 1.47)),
            (step("mask", 1), Guessed::Choice("lower".into(), "higher".into())),
        ] {
            assert!(guessed.fits(step));
            let (guess, chosen) = as_handed_in(step, guessed.clone(), None);
            assert_eq!(guess.settled, Some(Settled { guessed, kind: Kind::Plain }));
            assert!(guess.is_drawn() || chosen == Some("lower"));
        }
    }
}
