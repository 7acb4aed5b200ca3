//! Goals: conditions on named numbers of the page, such as `L >= 2 and radius <= 1.5` or `mask is causal`.

use crate::field::AnyField;
use crate::link;
use crate::state::Scene;
use lipscope_core::bounds::BoundId;
use lipscope_protocol::train::Kind as TrainedKind;

use super::Localized;
use super::fill::{Age, Facts};
use super::slot::Slot;

/// A number that misses a limit by this share of the limit still reaches it: rounding may put tokens just outside the
/// sphere.
const NEAR: f64 = 1e-9;

/// A goal of a step.
#[derive(Debug)]
pub struct Goal {
    /// Its id within the step.
    pub id: &'static str,
    /// The conditions, all of which have to hold.
    pub conditions: Vec<Condition>,
    /// The task, in words.
    pub words: Localized,
    /// How it is reached, or why it cannot be.
    pub way: Way,
}

/// How a goal is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By putting these fields over those of the step.
    Fields(&'static str),
    /// By a button of the step itself: revealing, choosing, sharing.
    Press,
    /// By pressing Train, with this many steps of every model, and running the models backwards.
    Train(usize),
    /// Not at all: this bound forbids it.
    Impossible(BoundId),
}

/// A condition of a goal or of a right answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// A quantity is at least another.
    AtLeast(Quantity, Quantity),
    /// A field of the link has this text.
    Is(&'static str, &'static str),
    /// A field of the link has another text.
    IsNot(&'static str, &'static str),
    /// A value in words is this one, by its id.
    Says(Slot, &'static str),
    /// The reader has answered the question, and the page has said whether that is right.
    Revealed,
    /// The reader has changed a setting of the step.
    Changed,
    /// The reader has copied the link.
    Shared,
    /// The reader has run this model backwards at this step, as the last one.
    RanBackwards(TrainedKind),
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// A number that the condition itself names.
    Number(f64),
    /// A number that the page has computed, or a setting that a place can name.
    Slot(Slot),
    /// Another setting, by its key in links.
    Set(AnyField),
}

/// What a reader has done at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acts {
    /// Answered the question, by a choice or a drawing, and been told how far off the answer is.
    pub has_answered: bool,
    /// Changed a setting of the step.
    pub has_changed: bool,
    /// Copied the link.
    pub has_shared: bool,
    /// The model that was run backwards last at this step.
    pub ran_backwards: Option<TrainedKind>,
}

/// The data that conditions read.
pub struct Situation<'a> {
    /// The numbers of the page.
    pub facts: Facts<'a>,
    /// The scene on screen.
    pub scene: &'a Scene,
    /// What the reader has done.
    pub acts: Acts,
}

impl Goal {
    /// Whether it is reached by answering, right or wrong.
    #[must_use]
    pub fn is_an_answer(&self) -> bool {
        self.conditions.contains(&Condition::Revealed)
    }

    /// Whether all its conditions hold; `None` while a number that it depends on is on its way.
    #[must_use]
    pub fn truth(&self, situation: &Situation<'_>) -> Option<bool> {
        all_hold(self.conditions.iter().map(|condition| condition.truth(situation)))
    }

    /// Whether all its conditions are known to hold.
    #[must_use]
    pub fn is_reached(&self, situation: &Situation<'_>) -> bool {
        self.truth(situation) == Some(true)
    }
}

/// Whether all of some things hold. One that does not decides it, also where others are not known.
pub(super) fn all_hold(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for truth in truths {
        match truth {
            Some(true) => {}
            Some(false) => return truth,
            None => all = None,
        }
    }
    all
}

impl Condition {
    /// The conditions of a text, joined by `and`; `None` where one cannot be read.
    #[must_use]
    pub fn parse_all(text: &'static str) -> Option<Vec<Self>> {
        text.split(" and ").map(Condition::parse).collect()
    }

    fn parse(text: &'static str) -> Option<Self> {
        match text {
            "revealed" => return Some(Condition::Revealed),
            "changed" => return Some(Condition::Changed),
            "shared" => return Some(Condition::Shared),
            _ => {}
        }
        if let Some(kind) = text.strip_prefix("ran-backwards ") {
            return TrainedKind::by_id(kind).map(Condition::RanBackwards);
        }
        if let Some((key, word)) = text.split_once(" is not ") {
            return link::text_of(&Scene::default(), key).map(|_| Condition::IsNot(key, word));
        }
        if let Some((key, word)) = text.split_once(" is ") {
            let of_link = link::text_of(&Scene::default(), key).map(|_| Condition::Is(key, word));
            let in_words = || Slot::parse(key).filter(|slot| slot.is_in_words());
            return of_link.or_else(|| in_words().map(|slot| Condition::Says(slot, word)));
        }
        match (text.split_once(" >= "), text.split_once(" <= ")) {
            (Some((more, less)), None) | (None, Some((less, more))) => {
                Some(Condition::AtLeast(Quantity::parse(more)?, Quantity::parse(less)?))
            }
            _ => None,
        }
    }

    /// The place whose value it compares with a number or with words; `None` where it compares two of them.
    #[must_use]
    pub fn slot(self) -> Option<Slot> {
        match self {
            Condition::AtLeast(Quantity::Slot(slot), Quantity::Number(_))
            | Condition::AtLeast(Quantity::Number(_), Quantity::Slot(slot))
            | Condition::Says(slot, _) => Some(slot),
            _ => None,
        }
    }

    /// Whether it is known to hold.
    #[must_use]
    pub fn holds(self, situation: &Situation<'_>) -> bool {
        self.truth(situation) == Some(true)
    }

    /// Whether it holds; `None` while one of its numbers is on its way.
    #[must_use]
    pub fn truth(self, situation: &Situation<'_>) -> Option<bool> {
        Some(match self {
            Condition::AtLeast(more, less) => {
                let (more, less) = more.value(situation).zip(less.value(situation))?;
                more >= less - NEAR * less.abs()
            }
            Condition::Is(key, word) => link::text_of(situation.scene, key).as_deref() == Some(word),
            Condition::IsNot(key, word) => link::text_of(situation.scene, key).as_deref() != Some(word),
            Condition::Says(slot, word) => {
                slot.fill(&situation.facts).filter(|filled| filled.age == Age::Now)?.full == word
            }
            Condition::Revealed => situation.acts.has_answered,
            Condition::Changed => situation.acts.has_changed,
            Condition::Shared => situation.acts.has_shared,
            Condition::RanBackwards(kind) => situation.acts.ran_backwards == Some(kind),
        })
    }
}

impl Quantity {
    fn parse(text: &str) -> Option<Self> {
        let name = if text == "L" { "measured" } else { text };
        let number = || text.parse().ok().map(Quantity::Number);
        number().or_else(|| Slot::parse(name).map(Quantity::Slot)).or_else(|| link::number(name).map(Quantity::Set))
    }

    /// Its value; `None` while it is on its way.
    fn value(self, situation: &Situation<'_>) -> Option<f64> {
        match self {
            Quantity::Number(number) => Some(number),
            Quantity::Slot(slot) => slot.fill(&situation.facts).filter(|filled| filled.age == Age::Now)?.value,
            Quantity::Set(field) => Some(field.get(situation.scene)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_decides_nothing_beside_what_does_not_hold() {
        assert_eq!(all_hold([]), Some(true));
        assert_eq!(all_hold([Some(true), Some(true)]), Some(true));
        assert_eq!(all_hold([Some(true), None]), None);
        assert_eq!(all_hold([None, Some(false), None]), Some(false));
    }
}
