//! The types of a lesson and of a step, and the settings of a step.

use std::sync::OnceLock;

use crate::link;
use crate::look::Lines;
use crate::page::PlotChoice;
use crate::state::{PageState, Scene, Settings};
use lipscope_core::bounds::BoundId;

use super::Localized;
use super::goal::{Condition, Goal, Situation, all_hold};
use super::slot::Slot;

/// A lesson.
#[derive(Debug)]
pub struct Lesson {
    /// Its word in links.
    pub id: &'static str,
    /// What it is about, in a few words.
    pub title: Localized,
    /// What it shows, in a line.
    pub summary: Localized,
    /// How many minutes it takes.
    pub minutes: &'static str,
    /// Its steps, at least one; the last is the recap.
    pub steps: Vec<Step>,
}

/// A step of a lesson: one thing to do.
#[derive(Debug)]
pub struct Step {
    /// What it is about, in a few words.
    pub title: Localized,
    /// The settings of the page, as fields of a link.
    pub fields: String,
    /// What the token plane and the ladder show.
    pub visible: Visible,
    /// Its goals; none in a recap.
    pub goals: Vec<Goal>,
    /// A hint for a reader who is stuck.
    pub hint: Option<Localized>,
    /// What the reader predicts.
    pub prediction: Prediction,
    /// The number that is quoted beside the answer as the one before it, where the choices are about a number that the
    /// answer does not change; `None` quotes the numbers of the choices.
    pub before: Option<Slot>,
    /// The answers to choose from, if the reader predicts by choosing.
    pub choices: Vec<Choice>,
    /// Its paragraphs, in order.
    pub text: Vec<Paragraph>,
    /// Where the result of the step is proved, or its terms are defined.
    pub source: Option<Localized>,
    /// The scene of `fields`. It is made once, since own tokens are compared by identity.
    pub(super) scene: OnceLock<Scene>,
}

/// What a step shows on the token plane and in the ladder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// The leading singular pair, as arrows.
    pub pair: bool,
    /// The attention lines of the selected token.
    pub lines: Option<Lines>,
    /// Whether tokens stay in the ball of the controls' radius.
    pub wall: bool,
    /// The token that is selected, from zero.
    pub token: Option<usize>,
    /// The selected row of the bound ladder; `None` is the measured norm.
    pub bound: Option<BoundId>,
    /// The id of the element that is scrolled into sight: the figure that the step speaks of.
    pub figure: Option<&'static str>,
}

/// A paragraph of a step.
#[derive(Clone, Debug)]
pub struct Paragraph {
    /// The goals after which it appears; empty where it is there from the start.
    pub when: Vec<&'static str>,
    /// Where it is true.
    pub holds: Holds,
    /// Its text; see [`pieces`](super::pieces).
    pub text: Localized,
}

/// The settings at which a paragraph is true.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// All of them.
    Always,
    /// Those at which all its goals are reached. Elsewhere the paragraph is dimmed.
    AtGoal,
    /// Those at which all these conditions hold. Elsewhere the paragraph is not shown, and another one may be.
    Where(Vec<Condition>),
}

/// What a reader predicts before the page shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prediction {
    /// Nothing.
    None,
    /// The reader draws the norm against n.
    Curve,
    /// The reader marks where the norm is.
    Mark,
    /// The reader chooses an answer; then these fields are set.
    Choice(&'static str),
}

/// An answer to choose.
#[derive(Debug)]
pub struct Choice {
    /// Its id within the step.
    pub id: &'static str,
    /// Conditions that hold on the page if this is the right answer.
    pub conditions: Vec<Condition>,
    /// The words on its button.
    pub words: Localized,
}

/// Everything that a step sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The value of every control.
    pub state: PageState,
    /// Which plot is shown.
    pub plot: PlotChoice,
    /// The settings of the labs.
    pub settings: Settings,
    /// The selected row of the bound ladder; `None` is the measured norm.
    pub rung: Option<BoundId>,
}

impl Paragraph {
    /// Whether it is true at the settings on screen; `None` while a number that it depends on is on its way.
    #[must_use]
    pub fn truth(&self, step: &Step, situation: &Situation<'_>) -> Option<bool> {
        let all = |conditions: &[Condition]| all_hold(conditions.iter().map(|condition| condition.truth(situation)));
        match &self.holds {
            Holds::Always => Some(true),
            Holds::AtGoal => {
                let goals = step.goals.iter().filter(|goal| self.when.contains(&goal.id));
                all_hold(goals.map(|goal| all(&goal.conditions)))
            }
            Holds::Where(conditions) => all(conditions),
        }
    }

    /// Whether it is known to be true at the settings on screen.
    #[must_use]
    pub fn holds(&self, step: &Step, situation: &Situation<'_>) -> bool {
        self.truth(step, situation) == Some(true)
    }
}

impl Step {
    /// The scene of the step for a reader who comes by a link.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        // Tests reject a step whose fields cannot be read.
        self.scene.get_or_init(|| link::over(Scene::link_base(), &self.fields).scene.unwrap_or_default())
    }

    /// The scene in which the question of the step is answered: that of the step, with what is set once the reader has
    /// chosen.
    #[must_use]
    pub fn question_scene(&self) -> Scene {
        let scene = self.scene().clone();
        match self.prediction {
            Prediction::Choice(fields) => link::over(scene.clone(), fields).scene.unwrap_or(scene),
            Prediction::None | Prediction::Curve | Prediction::Mark => scene,
        }
    }

    /// The page's settings at this step, whatever they were before. The reader's own data are kept where the step
    /// brings none.
    #[must_use]
    pub fn setup(&self, now: &PageState) -> Setup {
        self.setup_of(self.scene().clone(), now)
    }

    /// As [`Step::setup`], in which the question of the step is answered.
    #[must_use]
    pub fn question_setup(&self, now: &PageState) -> Setup {
        self.setup_of(self.question_scene(), now)
    }

    fn setup_of(&self, scene: Scene, now: &PageState) -> Setup {
        let Scene { state, plot, labs, .. } = scene;
        Setup { state: state.keeping_data_of(now), plot, settings: labs, rung: self.visible.bound }
    }
}

impl Lesson {
    /// The steps that are counted: those with goals. The recap has none.
    #[must_use]
    pub fn n_tasks(&self) -> usize {
        self.steps.iter().filter(|step| !step.goals.is_empty()).count()
    }

    /// Whether a step, or the whole lesson, can be asked of a class: there is something to do.
    #[must_use]
    pub fn can_be_assigned(&self, step: Option<usize>) -> bool {
        step.is_none_or(|step| self.steps.get(step).is_some_and(|step| !step.goals.is_empty()))
    }

    /// The index of a step: `step`, or that of the last step where `step` is past it.
    #[must_use]
    pub fn clamped(&self, step: usize) -> usize {
        step.min(self.steps.len().saturating_sub(1))
    }
}
