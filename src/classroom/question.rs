//! The question of a step: its numbers, and the moment at which it is put to the page. The numbers are those at the
//! settings of the step, and stay once the reader has answered.

use crate::prelude::*;

use crate::lessons::{Filled, Measured, Prediction, QuestionNumbers, Slot, Step};
use crate::strings;

use super::context::Classroom;
use super::course::{self, step_now};
use super::guess;
use super::situation::with_facts;

/// Starts the effects that gather the numbers of the question, and answer it once they are there.
pub fn begin(room: Classroom) {
    effect(move |_| {
        let Some((.., step)) = step_now(room).filter(|(.., step)| step.prediction != Prediction::None) else { return };
        if is_answered(room) || course::differs(room, step) {
            return;
        }
        if let Some(numbers) = with_facts(room, |facts| QuestionNumbers::gather(step, &facts)) {
            set_if_new(room.question, Some(numbers));
        }
    });
    effect(move |_| {
        let Some((.., step)) = step_now(room) else { return };
        if is_waiting(room) && room.question.with(Option::is_some) {
            untrack(|| answer(room, step));
        }
    });
}

/// Takes the reader's choice. The page answers it once it has the numbers of the question.
pub fn choose(room: Classroom, step: &'static Step, id: &'static str) {
    room.progress.update(|progress| progress.chosen = Some(id));
    if untrack(|| room.question.with(Option::is_none)) {
        // The question is about the step: whatever the reader has changed before answering is put back.
        course::put_fields_over(room, step.scene().clone(), "");
    }
}

/// Covers the numbers for another guess, without the verdict and the conclusion of the first one.
pub fn guess_again(room: Classroom) {
    let Some((.., step)) = untrack(|| step_now(room)) else { return };
    let is_second = untrack(|| guess::settled(room).is_some());
    guess::cover(room);
    room.progress.update(|progress| {
        progress.reached.retain(|id| !step.goals.iter().any(|goal| goal.id == *id && goal.is_an_answer()));
        progress.has_seen_answer |= is_second;
    });
}

/// Whether the reader has answered, and the page has taken the answer.
pub fn is_answered(room: Classroom) -> bool {
    guess::is_revealed(room) && guess::has_guessed(room)
}

/// Whether the reader has chosen, and the page does not have the numbers of the question yet.
pub fn is_waiting(room: Classroom) -> bool {
    room.progress.with(|progress| progress.chosen.is_some()) && !guess::is_revealed(room)
}

/// The value of a place in the text of a question: `live` until the reader has answered, then that of the question.
pub fn number(room: Classroom, step: &'static Step, place: Slot, live: Option<Filled>) -> Option<Filled> {
    if !is_answered(room) {
        return live;
    }
    let kept = room.question.with(|numbers| numbers.as_ref().and_then(|numbers| numbers.of(place).cloned()));
    // What a student has handed in comes without the numbers that the student saw.
    kept.or_else(|| step.set_at(place))
}

/// Sets the page to the configuration at which the question is answered.
fn answer(room: Classroom, step: &'static Step) {
    let before = room.question.with(|numbers| numbers.as_ref().map_or_else(String::new, |known| asked(step, known)));
    room.progress.update(|progress| progress.before = before);
    course::put_fields_over(room, step.question_scene(), "");
    guess::reveal(room);
}

/// The numbers that the choices are about, in words, before the answer changes the settings.
fn asked(step: &Step, numbers: &QuestionNumbers) -> String {
    let words = |place: Slot| numbers.of(place).map(|filled| named(place, filled));
    let all: Vec<String> = step.asked_places().into_iter().filter_map(words).collect();
    all.join(strings::answer::between_numbers())
}

/// A number with its name and its sign.
fn named(place: Slot, filled: &Filled) -> String {
    let number = if filled.sign.is_empty() { filled.text.clone() } else { format!("{} {}", filled.sign, filled.text) };
    match place {
        Slot::Measured(Measured::Spectral) => format!("L {number}"),
        _ => strings::number_named(&place.words(), &number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_before_has_its_name_and_its_sign() {
        let filled = |sign| Filled { sign, text: "170".into(), ..Filled::default() };
        let said = |words, sign| named(Slot::parse(words).expect("a place"), &filled(sign));
        assert_eq!(said("measured", "≥"), "L ≥ 170");
        assert_eq!(said("best-there", "≤"), "for all tokens of the ball L ≤ 170");
        assert_eq!(said("scaled-slope-dot", ""), "exponent 170");
        assert_eq!(said("inverse-l2 steps", ""), "170 iterations");
    }
}
