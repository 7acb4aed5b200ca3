//! The plots, and the views that they belong to.

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
    Certify,
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
        ("estimators", PlotChoice::EstimatorComparison),
        ("model", PlotChoice::Model),
        ("train", PlotChoice::Train),
        ("lab", PlotChoice::Gallery),
        ("certify", PlotChoice::Certify),
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
                PlotChoice::Certify,
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
