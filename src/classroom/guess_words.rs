//! How far off a reader's guess is, in words with numbers.

use crate::prelude::*;

use crate::lessons::{Guessed, Prediction, SLOPE_TOLERANCE, Slopes, Step};
use crate::strings;

use super::context::{Classroom, Settled};
use super::course::{differs, handed_in, is_off_question, step_now};
use super::guess::{has_guessed, is_covered, settled};
use super::question::is_waiting;
use super::settle::choice;

/// How far off the reader is, in words with a number; empty while nothing is revealed.
pub fn off_words(room: Classroom) -> String {
    let Some((.., step)) = step_now(room).filter(|_| !is_covered(room)) else { return String::new() };
    match step.prediction {
        Prediction::None => return String::new(),
        Prediction::Curve | Prediction::Mark if !has_guessed(room) => return strings::not_guessed().into(),
        Prediction::Choice(_) if !has_guessed(room) => return String::new(),
        Prediction::Choice(_) | Prediction::Curve | Prediction::Mark => {}
    }
    let is_elsewhere = if is_waiting(room) { differs(room, step) } else { is_off_question(room, step) };
    let words = match settled(room) {
        // A number of other settings says nothing about the guess.
        None if is_elsewhere => return strings::settings_moved().into(),
        None => return strings::measuring_text().into(),
        Some(settled) => settled_words(&settled, step),
    };
    let mut sentences = vec![words];
    if handed_in(room).is_some() {
        sentences.insert(0, strings::handed_in().into());
    }
    let before = room.progress.with(|progress| progress.before.clone());
    if !before.is_empty() {
        sentences.push(strings::answer::before(before));
    }
    if handed_in(room).is_none() && room.progress.with(|progress| progress.has_seen_answer) {
        sentences.push(strings::second_guess().into());
    }
    if is_elsewhere {
        sentences.push(strings::at_question().into());
    }
    sentences.join(strings::between_sentences())
}

/// What the page's numbers say of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// It is right.
    Right,
    /// Another choice is right.
    Wrong,
    /// A drawing is further off than readings of a plot usually are.
    Off,
}

impl Verdict {
    /// The verdict on a guess.
    fn of(guessed: &Guessed) -> Self {
        match guessed {
            guessed if guessed.is_right() => Verdict::Right,
            Guessed::Choice(..) => Verdict::Wrong,
            Guessed::Mark(..) | Guessed::Curve(_) => Verdict::Off,
        }
    }

    /// Its word in the page's attributes.
    pub fn id(self) -> &'static str {
        self.into()
    }
}

/// What the page's numbers say of the reader's answer. `None` before the answer, and while the numbers are on their
/// way.
pub fn verdict(room: Classroom) -> Option<Verdict> {
    settled(room).map(|settled| Verdict::of(&settled.guessed))
}

/// The id of the right choice, once the page has found it.
pub fn right_choice(room: Classroom) -> Option<String> {
    match settled(room)?.guessed {
        Guessed::Choice(_, right) => Some(right),
        Guessed::Mark(..) | Guessed::Curve(_) => None,
    }
}

fn settled_words(settled: &Settled, step: &'static Step) -> String {
    match &settled.guessed {
        Guessed::Choice(yours, right) => {
            let words = |id: &str| choice(step, id).map_or("", |choice| choice.words.now());
            strings::choice_answer(words(yours), words(right))
        }
        Guessed::Mark(yours, found) => strings::mark_off(*yours, *found, settled.kind),
        Guessed::Curve(points) => curve_words(points),
    }
}

/// Both slopes, and where the curves are furthest apart.
fn curve_words(points: &[(f64, f64, f64)]) -> String {
    let size = |(_, yours, found): &(f64, f64, f64)| (yours / found).ln().abs();
    let furthest = points.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b)));
    let off = furthest.map(|(n, yours, found)| strings::curve_off(n, yours, found));
    let slopes = Slopes::of(points).map(|Slopes { yours, found }| strings::slopes_beside(yours, found));
    let judged = Slopes::of(points).map(|slopes| {
        let words = if slopes.are_alike() { strings::answer::slopes_alike } else { strings::answer::slopes_apart };
        words(SLOPE_TOLERANCE)
    });
    slopes.into_iter().chain(judged).chain(off).collect::<Vec<_>>().join(strings::between_sentences())
}
