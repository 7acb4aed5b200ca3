//! All that a link can hold: the controls, the plot on screen, the stage of the page.

use super::{LessonAt, PageState, PlotChoice, Settings, Stage};

/// The scene on screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The value of every control.
    pub state: PageState,
    /// Which plot is shown.
    pub plot: PlotChoice,
    /// The settings of the labs.
    pub labs: Settings,
    /// How much of the page is shown.
    pub stage: Stage,
    /// The place in a lesson.
    pub lesson: Option<LessonAt>,
    /// Light or dark, where the link asks for one.
    pub theme: Option<ThemeChoice>,
}

/// The choice of light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// As the system has it.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl ThemeChoice {
    /// All, in the order of the switch.
    pub const ALL: [ThemeChoice; 3] = [ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark];

    /// Its word in the page's attributes, in storage and in links.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            ThemeChoice::System => "system",
            ThemeChoice::Light => "light",
            ThemeChoice::Dark => "dark",
        }
    }
}

impl Scene {
    /// Whether going from one scene to another is a step of its own, which the reader can undo. Everything else is a
    /// movement within a step. New own tokens and clusters are such a movement too: the code that sets or drags them
    /// marks the step.
    #[must_use]
    pub fn is_step_from(&self, before: &Scene) -> bool {
        let (now, then) = (&self.state, &before.state);
        self.plot != before.plot
            || self.stage != before.stage
            || self.lesson != before.lesson
            || now.tokens != then.tokens
            || now.weights != then.weights
            || now.own_weights != then.own_weights
    }
}
