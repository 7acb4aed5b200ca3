//! What a lesson and a step are, and what a step sets.

use crate::page::PlotChoice;
use crate::state::{PageState, Settings};
use lipscope_core::bounds::BoundId;

use super::said::Said;

/// A lesson.
#[derive(Debug)]
pub struct Lesson {
    /// Its word in links.
    pub id: &'static str,
    /// What it is about, in a few words.
    pub title: Said,
    /// What it shows, in a line.
    pub summary: Said,
    /// Its steps, at least one.
    pub steps: &'static [Step],
}

/// A step of a lesson.
#[derive(Debug)]
pub struct Step {
    /// What it is about, in a few words.
    pub title: Said,
    /// What the page is set to, from what the step before has set.
    pub set: fn(&mut Setup),
    /// Its paragraphs; see [`pieces`](super::pieces).
    pub text: &'static [Said],
    /// Where it is proved or defined.
    pub source: Said,
    /// What the reader does first.
    pub task: Task,
}

/// What a reader does before the page shows its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// Nothing: it shows them at once.
    Read,
    /// Draws the norm against n.
    DrawCurve,
    /// Says where the norm is.
    PlaceNorm,
}

/// Everything that a step sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The value of every control.
    pub state: PageState,
    /// Which plot is shown.
    pub plot: PlotChoice,
    /// The choices in the views of L2 attention.
    pub settings: Settings,
    /// The row of the bound ladder that is told of; `None` is the measured norm.
    pub rung: Option<BoundId>,
}

impl Setup {
    /// The page of a first visit, with the reader's own data kept at hand.
    #[must_use]
    pub fn first(now: &PageState) -> Self {
        Setup {
            state: PageState {
                own_tokens: now.own_tokens.clone(),
                own_clusters: now.own_clusters.clone(),
                own_weights: now.own_weights.clone(),
                ..PageState::adversarial()
            },
            plot: PlotChoice::Growth,
            settings: Settings::default(),
            rung: Some(BoundId::Unified),
        }
    }
}

impl Lesson {
    /// What the page is set to at a step, whatever was set before; past the last step that of the last.
    #[must_use]
    pub fn setup(&self, step: usize, now: &PageState) -> Setup {
        let mut setup = Setup::first(now);
        self.steps.iter().take(step + 1).for_each(|step| (step.set)(&mut setup));
        setup
    }

    /// The step that an index means: past the last one, the last.
    #[must_use]
    pub fn clamped(&self, step: usize) -> usize {
        step.min(self.steps.len().saturating_sub(1))
    }
}
