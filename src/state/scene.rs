//! All that a link can say: the controls, the plot that is shown, how the page is staged.

use super::{LessonAt, PageState, Settings, Stage};

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

/// The plots of which one is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotChoice {
    /// The question: tokens in a disc, and their constant over n.
    #[default]
    Explore,
    /// What is measured, and the bounds, over n up to 1e18.
    Growth,
    /// Tokens scaled without bound.
    Scaled,
    /// The search against a bound.
    Tightness,
    /// The inverse of attention with a skip.
    Inverse,
    /// The tokens on a plane, to be touched.
    Tokens,
    /// The singular values.
    Spectrum,
    /// Estimators of the largest one.
    EstimatorComparison,
    /// Attention inside transformers, over windows of text.
    Model,
    /// Small transformers that are trained here.
    Train,
    /// All experiments of the lab, a picture and a sentence each.
    Gallery,
    /// The bounds that hold for all tokens within eps of these.
    Reach,
}

impl PlotChoice {
    /// All, with their words in links.
    pub const ALL: [(&'static str, PlotChoice); 12] = [
        ("explore", PlotChoice::Explore),
        ("growth", PlotChoice::Growth),
        ("scaled", PlotChoice::Scaled),
        ("tightness", PlotChoice::Tightness),
        ("inverse", PlotChoice::Inverse),
        ("tokens", PlotChoice::Tokens),
        ("spectrum", PlotChoice::Spectrum),
        ("court", PlotChoice::EstimatorComparison),
        ("model", PlotChoice::Model),
        ("train", PlotChoice::Train),
        ("lab", PlotChoice::Gallery),
        ("reach", PlotChoice::Reach),
    ];
}

/// The four views of the page. Each has one plot or several, of which one is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Tokens, their constant, and what it is about.
    Explore,
    /// How the constant and its bounds grow with n.
    Growth,
    /// Attention inside transformers.
    Models,
    /// Experiments with a setting of their own.
    Lab,
}

impl View {
    /// All, in the order of the page.
    pub const ALL: [View; 4] = [View::Explore, View::Growth, View::Models, View::Lab];

    /// Its word in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            View::Explore => "explore",
            View::Growth => "growth",
            View::Models => "models",
            View::Lab => "lab",
        }
    }

    /// Its plots, the one that it opens with first.
    #[must_use]
    pub fn plots(self) -> &'static [PlotChoice] {
        match self {
            View::Explore => &[PlotChoice::Explore, PlotChoice::Tokens, PlotChoice::Spectrum],
            View::Growth => &[PlotChoice::Growth],
            View::Models => &[PlotChoice::Model, PlotChoice::Train],
            View::Lab => &[
                PlotChoice::Gallery,
                PlotChoice::Reach,
                PlotChoice::Scaled,
                PlotChoice::Tightness,
                PlotChoice::Inverse,
                PlotChoice::EstimatorComparison,
            ],
        }
    }

    /// Whether what it shows is of the tokens and weights of the controls.
    #[must_use]
    pub fn has_tokens(self) -> bool {
        matches!(self, View::Explore | View::Growth)
    }

    /// Whether its plots are chosen in a row of names; those of the lab are in its gallery.
    #[must_use]
    pub fn has_tabs(self) -> bool {
        self != View::Lab && self.plots().len() > 1
    }
}

impl PlotChoice {
    /// The view that it belongs to.
    #[must_use]
    pub fn view(self) -> View {
        View::ALL.into_iter().find(|view| view.plots().contains(&self)).unwrap_or(View::Explore)
    }
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
