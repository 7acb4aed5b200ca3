//! The numbers of a question, at the settings of its step. An answer changes the settings, and the question keeps its own
//! numbers.

use super::fill::{Age, Facts, Filled};
use super::lesson::Step;
use super::slot::Slot;
use super::text::slots;

/// The value of each place of a question.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionNumbers(Vec<(Slot, Filled)>);

impl QuestionNumbers {
    /// The numbers of a step's question, from facts at the settings of the step. `None` while one is on its way.
    #[must_use]
    pub fn gather(step: &Step, facts: &Facts<'_>) -> Option<Self> {
        let places = step.question_places().into_iter().chain(step.asked_places());
        let filled = places.map(|place| Some((place, place.fill(facts).filter(|filled| filled.age == Age::Now)?)));
        filled.collect::<Option<_>>().map(QuestionNumbers)
    }

    /// The value of a place.
    #[must_use]
    pub fn of(&self, place: Slot) -> Option<&Filled> {
        self.0.iter().find(|(known, _)| *known == place).map(|(_, filled)| filled)
    }
}

impl Step {
    /// The places in the text of its question: what is shown before anything is done.
    #[must_use]
    pub fn question_places(&self) -> Vec<Slot> {
        let first = self.text.iter().filter(|paragraph| paragraph.when.is_empty());
        first.flat_map(|paragraph| slots(paragraph.text.now())).collect()
    }

    /// The numbers that are quoted as those before the answer: the one that the step names, else those that its choices
    /// are about, each once. Where choices compare numbers with each other there are none.
    #[must_use]
    pub fn asked_places(&self) -> Vec<Slot> {
        if let Some(before) = self.before {
            return vec![before];
        }
        let mut found = Vec::new();
        for place in self.choices.iter().flat_map(|choice| &choice.conditions).filter_map(|condition| condition.slot())
        {
            if !found.contains(&place) {
                found.push(place);
            }
        }
        found
    }

    /// The value that the step itself gives to a place; `None` where the page computes it.
    #[must_use]
    pub fn set_at(&self, place: Slot) -> Option<Filled> {
        place.setting(&self.scene().state, &self.scene().labs)
    }
}
