//! What a reader has done in the lessons, step by step: the goals that were reached, and the first guess. A goal that was
//! reached once counts, whatever the reader has done afterwards. The browser keeps it, and an answer code holds the part
//! about one lesson.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::state::Guessed;
use crate::strings;

use super::catalog::find;
use super::lesson::{Lesson, Prediction, Step};
use super::slopes::Slopes;

/// A drawn curve has at most this many points.
const MOST_POINTS: usize = 64;
/// The most that log10 of a guess or of a measured number can differ from zero.
const POWERS: f64 = 30.0;

/// What was done at a step that was opened: perhaps nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// The goals that were reached, by their ids.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// The first guess: a later one is made with the answer in sight.
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub guess: Option<Guessed>,
}

/// What was done in a lesson, by the number of the step, from zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LessonRecord(pub BTreeMap<usize, StepRecord>);

/// What was done in all lessons, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Records(BTreeMap<String, LessonRecord>);

/// How much of a lesson is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The steps all of whose goals were reached or answered, right or wrong.
    pub steps: usize,
    /// The steps that have goals.
    pub of: usize,
    /// The questions that were answered right at first.
    pub right: usize,
    /// The questions that were answered.
    pub answered: usize,
}

impl Done {
    /// Whether all of it is done. Where nothing can be done, nothing is.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.of > 0 && self.steps == self.of
    }
}

impl Records {
    /// Reads what [`Records::text`] wrote. What does not fit the lessons of this page is left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut records: Records = serde_json::from_str(text).unwrap_or_default();
        records.0.retain(|id, record| find(id).is_some_and(|lesson| record.fits(lesson)));
        records
    }

    /// The text that a browser keeps.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether nothing was done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What was done in a lesson.
    #[must_use]
    pub fn of(&self, lesson: &Lesson) -> LessonRecord {
        self.0.get(lesson.id).cloned().unwrap_or_default()
    }

    /// Notes that a step was opened, and adds goals and a guess to it. A first guess stays.
    pub fn note(&mut self, lesson: &Lesson, step: usize, goals: &[&str], guess: Option<Guessed>) {
        let record = self.0.entry(lesson.id.to_owned()).or_default().0.entry(step).or_default();
        for goal in goals {
            if !record.goals.iter().any(|known| known == goal) {
                record.goals.push((*goal).to_owned());
            }
        }
        if record.guess.is_none() {
            record.guess = guess;
        }
    }
}

impl LessonRecord {
    /// How much is done of an assigned step, or of the lesson where no single step is assigned.
    #[must_use]
    pub fn done(&self, lesson: &Lesson, assigned: Option<usize>) -> Done {
        let is_asked = |at: usize| assigned.is_none_or(|assigned| assigned == at);
        let steps = lesson.steps.iter().enumerate().filter(|(at, _)| is_asked(*at));
        let with_goals = steps.filter(|(_, step)| !step.goals.is_empty());
        let is_done = |at: usize, step: &Step| step.goals.iter().all(|goal| self.has(at, goal.id));
        let steps: Vec<bool> = with_goals.map(|(at, step)| is_done(at, step)).collect();
        let guesses: Vec<&Guessed> =
            self.0.iter().filter(|(at, _)| is_asked(**at)).filter_map(|(_, record)| record.guess.as_ref()).collect();
        Done {
            steps: steps.iter().filter(|done| **done).count(),
            of: steps.len(),
            right: guesses.iter().filter(|guess| guess.is_right()).count(),
            answered: guesses.len(),
        }
    }

    /// Whether a goal of a step was reached.
    #[must_use]
    pub fn has(&self, step: usize, goal: &str) -> bool {
        self.0.get(&step).is_some_and(|record| record.goals.iter().any(|known| known == goal))
    }

    /// Whether the lesson has all these steps, goals and choices, and every number is one that a reader could set.
    #[must_use]
    pub fn fits(&self, lesson: &Lesson) -> bool {
        self.0.iter().all(|(at, record)| {
            lesson.steps.get(*at).is_some_and(|step| {
                let has_goal = |id: &String| step.goals.iter().any(|goal| goal.id == id);
                record.goals.iter().all(has_goal) && record.guess.as_ref().is_none_or(|guess| guess.fits(step))
            })
        })
    }
}

impl Guessed {
    /// Whether the page says the same: the right choice, a mark that is off by no more than one reads off a plot, or a
    /// curve that grows as the measured one does.
    #[must_use]
    pub fn is_right(&self) -> bool {
        match self {
            Guessed::Choice(yours, right) => yours == right,
            Guessed::Mark(yours, found) => strings::is_good(yours / found),
            Guessed::Curve(points) => Slopes::of(points).is_some_and(Slopes::are_alike),
        }
    }

    /// Whether it is an answer to the question of a step.
    pub(crate) fn fits(&self, step: &Step) -> bool {
        let is_number = |x: &f64| *x > 0.0 && x.log10().abs() <= POWERS;
        match (self, step.prediction) {
            (Guessed::Choice(yours, right), Prediction::Choice(_)) => {
                [yours, right].into_iter().all(|id| step.choices.iter().any(|choice| choice.id == id))
            }
            (Guessed::Mark(yours, found), Prediction::Mark) => is_number(yours) && is_number(found),
            (Guessed::Curve(points), Prediction::Curve) => {
                (1..=MOST_POINTS).contains(&points.len())
                    && points.iter().all(|(n, yours, found)| [n, yours, found].into_iter().all(is_number))
            }
            _ => false,
        }
    }
}
