//! How far off a reader's guess is, in words with numbers.

use crate::prelude::*;

use crate::lessons::{Choice, Prediction, Step};
use crate::strings;
use lipscope_core::bounds::Norm;
use lipscope_core::fit::fit_power_law;
use lipscope_plot::Kind;

use super::context::Classroom;
use super::course::{self, step_now};
use super::guess::{curve_beside, has_guessed, is_covered, mark, measured_curve, prediction_now};
use super::progress::with_situation;

/// How far off the reader is, in words with a number; empty while nothing is revealed.
pub fn off_words(room: Classroom) -> String {
    if is_covered(room) {
        return String::new();
    }
    match prediction_now(room) {
        Prediction::Curve | Prediction::Mark if !has_guessed(room) => strings::not_guessed().into(),
        Prediction::None => String::new(),
        Prediction::Choice(_) => choice_words(room).unwrap_or_default(),
        Prediction::Curve => curve_words(room),
        // A number of other settings says nothing about the guess.
        Prediction::Mark if course::is_changed(room) => String::new(),
        Prediction::Mark => norm_now(room).map_or_else(
            || strings::measuring_text().into(),
            |(norm, kind)| strings::mark_off(10f64.powf(mark(room)), norm, kind),
        ),
    }
}

/// What the page's numbers say of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is right.
    Right,
    /// Another choice is right.
    Wrong,
    /// A drawing is further off than readings of a plot usually are.
    Off,
}

impl Verdict {
    /// Its word in the page's attributes.
    pub fn id(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Off => "off",
        }
    }
}

/// What the page's numbers say of the reader's answer. `None` before the answer, while the numbers are on their way,
/// and for a mark where the reader has changed the settings since.
pub fn verdict(room: Classroom) -> Option<Verdict> {
    if is_covered(room) || !has_guessed(room) {
        return None;
    }
    let of_ratio = |ratio| if strings::is_good(ratio) { Verdict::Right } else { Verdict::Off };
    match prediction_now(room) {
        Prediction::None => None,
        Prediction::Choice(_) => {
            let (.., step) = step_now(room)?;
            let chosen = room.progress.with(|progress| progress.chosen)?;
            Some(if right_choice(room, step)?.id == chosen { Verdict::Right } else { Verdict::Wrong })
        }
        Prediction::Curve => furthest(&curve_beside(room)).map(|(_, yours, measured)| of_ratio(yours / measured)),
        Prediction::Mark if course::is_changed(room) => None,
        Prediction::Mark => norm_now(room).map(|(norm, _)| of_ratio(10f64.powf(mark(room)) / norm)),
    }
}

/// The measured norm, and how well it is known; `None` while it is on its way.
fn norm_now(room: Classroom) -> Option<(f64, Kind)> {
    if !room.page.is_measured() {
        return None;
    }
    room.page.answers.measured.with(|measured| {
        let measurement = &measured.as_ref()?.measurement;
        Some((measurement.spectral, strings::kind_of(measurement, Norm::Spectral)))
    })
}

/// Where the reader's curve is furthest from the measured one.
fn furthest(beside: &[(f64, f64, f64)]) -> Option<(f64, f64, f64)> {
    let size = |(_, yours, measured): &(f64, f64, f64)| (yours / measured).ln().abs();
    beside.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b)))
}

/// Both slopes, and where the curves are furthest apart.
fn curve_words(room: Classroom) -> String {
    let beside = curve_beside(room);
    let Some((n, yours, measured)) = furthest(&beside) else {
        return strings::measuring_text().into();
    };
    let slope = |points: Vec<(f64, f64)>| fit_power_law(&points).map(|fit| fit.exponent);
    let slopes = slope(beside.iter().map(|at| (at.0, at.1)).collect()).zip(slope(measured_curve(room)));
    let off = strings::curve_off(n, yours, measured);
    match slopes {
        Some((yours, measured)) => [strings::slopes_beside(yours, measured), off].join(strings::between_sentences()),
        None => off,
    }
}

/// The reader's choice beside the page's answer. `None` before the choice, or while the number is on its way.
fn choice_words(room: Classroom) -> Option<String> {
    let (.., step) = step_now(room)?;
    let chosen = room.progress.with(|progress| progress.chosen)?;
    let words = |choice: &Choice| choice.words.now();
    let yours = step.choices.iter().find(|choice| choice.id == chosen)?;
    Some(strings::choice_answer(words(yours), words(right_choice(room, step)?)))
}

/// The answer that the page's numbers give. `None` while they are on their way.
pub fn right_choice(room: Classroom, step: &'static Step) -> Option<&'static Choice> {
    with_situation(room, step, |situation| {
        step.choices.iter().find(|choice| choice.conditions.iter().all(|condition| condition.holds(situation)))
    })
}
