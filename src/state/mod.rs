//! The values of the controls. Everything else on the page is derived from one [`PageState`]. A [`Scene`] is all that a
//! link can hold: besides the controls, for instance the plot on screen, the stage of the page, and the place in a
//! lesson.
//!
//! A control keeps its value while it does not apply, so that switching a choice back loses nothing.

mod answer;
mod assigned;
mod check;
mod choices;
mod compare;
mod convert;
mod growth;
mod models;
mod movable;
mod page_state;
mod parts;
mod plots;
mod settings;

pub use answer::Guessed;
pub use assigned::Assigned;
pub use check::of_page;
pub use choices::{OwnClusters, OwnWeights, TokenChoice, WeightChoice, XAxis};
pub use compare::{BarControl, CompareSettings, ComparedAlong, ComparedKind, ComparedTokens};
pub use growth::{GrowthView, RadiusGrowth, Range, SearchFold, Trace, Traces};
pub use models::{DrawnSize, ModelSettings, SourceKind};
pub use movable::NotMovable;
pub use page_state::{MAX_D, MAX_N, MAX_TOKEN_ENTRIES, MAX_WEIGHTS, MAX_WITNESS_N, MOST_SEED, PageState, largest_norm};
pub use parts::{HiddenParts, Part};
pub use plots::{PlotChoice, View};
pub use settings::{
    CertifySettings, DotWeights, EstimatorQuantity, EstimatorSettings, InverseSettings, LabTokens, SCALED_TOKENS,
    SearchSettings, Settings,
};

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
    /// The parts that are hidden.
    pub hidden: HiddenParts,
    /// The place in a lesson.
    pub lesson: Option<LessonAt>,
    /// The answer that a student has handed in at this place, where the link shows one.
    pub answer: Option<Guessed>,
    /// The goals of this place that a student had reached, by their ids; `None` where nobody has handed the scene in.
    pub reached: Option<Vec<String>>,
    /// What the reader is asked to do, where the link is an assignment.
    pub assigned: Option<Assigned>,
    /// Light or dark, where the link asks for one.
    pub theme: Option<ThemeChoice>,
}

impl Scene {
    /// The scene that the fields of a link change.
    #[must_use]
    pub fn link_base() -> Self {
        Scene { state: PageState::link_base(), ..Scene::default() }
    }
}

/// The choice of light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }
}

impl Scene {
    /// The scene without what belongs to a class: the assignment, and what a student has handed in.
    #[must_use]
    pub fn without_class(self) -> Self {
        Scene { answer: None, reached: None, assigned: None, ..self }
    }

    /// Whether going from one scene to another is a step of its own, which the reader can undo. Any other change is a
    /// movement, which continues the present step. New own tokens and clusters count as movements here: the code that
    /// sets or drags them marks the step.
    #[must_use]
    pub fn is_step_from(&self, before: &Scene) -> bool {
        let (now, then) = (&self.state, &before.state);
        self.plot != before.plot
            || self.stage != before.stage
            || self.hidden != before.hidden
            || self.lesson != before.lesson
            || now.tokens != then.tokens
            || now.weights != then.weights
            || now.own_weights != then.own_weights
    }
}

/// How much of the page is shown, and for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    /// Everything, for one reader.
    #[default]
    Full,
    /// Plot and main numbers, large, for a projector.
    Teacher,
    /// One picture inside another page.
    Embed,
}

impl Stage {
    /// All of them.
    pub const ALL: [Stage; 3] = [Stage::Full, Stage::Teacher, Stage::Embed];

    /// Its word in links and in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// The size of type and marks in the pictures, as a multiple of the usual one, in a window of this width and
    /// height.
    ///
    /// A projector shows the same part of the room's wall whatever its pixels: type keeps its share of the window.
    #[must_use]
    pub fn size_of_type(self, (width, height): (f64, f64)) -> f64 {
        /// In a window of 1280 x 720: the least type, 11 px elsewhere, has 22 px.
        const ENLARGED: f64 = 2.0;
        match self {
            Stage::Full | Stage::Embed => 1.0,
            Stage::Teacher => (ENLARGED * (width / 1280.0).min(height / 720.0)).max(1.0),
        }
    }
}

/// A lesson and a step of it. An id that names no lesson shows nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonAt {
    /// The id of the lesson.
    pub id: String,
    /// The step, from zero; past the last step it means the last.
    pub step: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use lipscope_plot::{Style, Theme};

    #[test]
    fn a_lecture_hall_reads_every_letter_of_a_picture() {
        for (window, least) in [((1280.0, 720.0), 22.0), ((1920.0, 1080.0), 33.0), ((390.0, 844.0), 11.0)] {
            let style = Style::canvas(Theme::Light, 1.0).enlarged(Stage::Teacher.size_of_type(window));
            assert!(style.font.size_small >= least, "{window:?}: {} px", style.font.size_small);
        }
    }
}
