//! All that a link can say: the controls, the plot that is shown, how the page is staged.

use super::{LessonAt, PageState, PlotChoice, Settings, Stage};

/// What the page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The value of every control.
    pub state: PageState,
    /// Which plot is shown.
    pub plot: PlotChoice,
    /// The choices of the views of L2 attention.
    pub labs: Settings,
    /// How much of the page there is.
    pub stage: Stage,
    /// Where a lesson stands.
    pub lesson: Option<LessonAt>,
    /// Light or dark, where the link asks for one.
    pub theme: Option<ThemeChoice>,
}

/// Light or dark, as it is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThemeChoice {
    /// Whatever the system says.
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
    /// Whether going from one scene to another is a step of its own, to which one can go back; everything else is a
    /// movement within a step. Own tokens and clusters move within one too: who gives or takes hold of them marks a step.
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
