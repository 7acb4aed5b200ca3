//! Goals: conditions on named numbers of the page, such as `L >= 2 and radius <= 1.5` or `mask is causal`.

use crate::link;
use crate::state::Scene;
use lipscope_core::bounds::BoundId;

use super::fill::{Age, Facts};
use super::localized::Localized;
use super::slot::Slot;

/// Numbers this near a limit count as having reached it: a rounding error may put tokens outside the sphere.
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

/// A condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// A number of the page is at least this.
    AtLeast(Slot, Limit),
    /// A number of the page is at most this.
    AtMost(Slot, Limit),
    /// A setting is at least this.
    SetAtLeast(&'static str, f64),
    /// A setting is at most this.
    SetAtMost(&'static str, f64),
    /// A field of the link has this text.
    Is(&'static str, &'static str),
    /// The reader has revealed the numbers, or chosen an answer.
    Revealed,
    /// The reader has changed a setting of the step.
    Changed,
    /// The reader has copied the link.
    Shared,
}

/// The other side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A number.
    Number(f64),
    /// Another number of the page.
    Slot(Slot),
}

/// What a reader has done at a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acts {
    /// Revealed the numbers, or chosen an answer.
    pub has_revealed: bool,
    /// Changed a setting of the step.
    pub has_changed: bool,
    /// Copied the link.
    pub has_shared: bool,
}

/// The data that conditions read.
pub struct Situation<'a> {
    /// The numbers of the page.
    pub facts: Facts<'a>,
    /// The settings.
    pub scene: &'a Scene,
    /// What the reader has done.
    pub acts: Acts,
}

impl Goal {
    /// Whether all its conditions hold.
    #[must_use]
    pub fn is_reached(&self, situation: &Situation<'_>) -> bool {
        self.conditions.iter().all(|condition| condition.holds(situation))
    }
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
        let has_field = |key: &str| link::text_of(&Scene::default(), key).is_some();
        if let Some((key, word)) = text.split_once(" is ") {
            return has_field(key).then_some(Condition::Is(key, word));
        }
        let (name, limit, is_least) = match (text.split_once(" >= "), text.split_once(" <= ")) {
            (Some((name, limit)), None) => (name, limit, true),
            (None, Some((name, limit))) => (name, limit, false),
            _ => return None,
        };
        let slot = |name: &str| if name == "L" { Slot::parse("measured") } else { Slot::parse(name) };
        let number = limit.parse::<f64>().ok();
        match (slot(name), number.map(Limit::Number).or_else(|| slot(limit).map(Limit::Slot))) {
            (Some(slot), Some(limit)) if is_least => Some(Condition::AtLeast(slot, limit)),
            (Some(slot), Some(limit)) => Some(Condition::AtMost(slot, limit)),
            _ if has_field(name) && is_least => Some(Condition::SetAtLeast(name, number?)),
            _ if has_field(name) => Some(Condition::SetAtMost(name, number?)),
            _ => None,
        }
    }

    /// Whether it holds. It does not while one of its numbers is on its way.
    #[must_use]
    pub fn holds(self, situation: &Situation<'_>) -> bool {
        let of_slot = |slot: Slot| number(slot, &situation.facts);
        let of_limit = |limit: Limit| match limit {
            Limit::Number(number) => Some(number),
            Limit::Slot(slot) => of_slot(slot),
        };
        let of_field = |key: &str| link::text_of(situation.scene, key)?.parse::<f64>().ok();
        let at_least = |value: Option<f64>, limit: Option<f64>| {
            value.zip(limit).is_some_and(|(value, limit)| value >= limit - NEAR * limit.abs())
        };
        match self {
            Condition::AtLeast(slot, limit) => at_least(of_slot(slot), of_limit(limit)),
            Condition::AtMost(slot, limit) => at_least(of_limit(limit), of_slot(slot)),
            Condition::SetAtLeast(key, limit) => at_least(of_field(key), Some(limit)),
            Condition::SetAtMost(key, limit) => at_least(Some(limit), of_field(key)),
            Condition::Is(key, word) => link::text_of(situation.scene, key).as_deref() == Some(word),
            Condition::Revealed => situation.acts.has_revealed,
            Condition::Changed => situation.acts.has_changed,
            Condition::Shared => situation.acts.has_shared,
        }
    }
}

/// The number in a place, if it belongs to the present settings; past f64 it is infinite.
fn number(slot: Slot, facts: &Facts<'_>) -> Option<f64> {
    let filled = slot.fill(facts).filter(|filled| filled.age == Age::Now)?;
    match filled.full.strip_prefix("10^") {
        Some(power) => power.parse::<f64>().ok().map(|log10| 10f64.powf(log10)),
        None => filled.full.parse().ok(),
    }
}
