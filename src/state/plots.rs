//! The plots, and the views with these plots.

/// The plots, one of which is on screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlotChoice {
    /// The opening view: tokens in a disc, and their constant over n.
    #[default]
    Explore,
    /// Measured norms and bounds over n up to 1e18.
    Growth,
    /// Tokens scaled without bound.
    Scaled,
    /// Norms that a search finds, against a bound.
    Tightness,
    /// The ratio of the best bounds over n and R.
    Gap,
    /// The inverse of attention with a skip.
    Inverse,
    /// The plane on which the reader moves tokens.
    Tokens,
    /// The singular values.
    Spectrum,
    /// Estimators of the largest singular value.
    EstimatorComparison,
    /// Attention inside transformers, over windows of text.
    Model,
    /// Small transformers that are trained here.
    Train,
    /// All experiments of the lab, a picture and a sentence each.
    Gallery,
    /// The bounds for all tokens within eps of the present ones.
    Certify,
    /// Several kinds of attention at the same tokens.
    Compare,
}

impl PlotChoice {
    /// All, with their words in links.
    pub const ALL: [(&'static str, PlotChoice); 14] = [
        ("explore", PlotChoice::Explore),
        ("growth", PlotChoice::Growth),
        ("scaled", PlotChoice::Scaled),
        ("tightness", PlotChoice::Tightness),
        ("gap", PlotChoice::Gap),
        ("inverse", PlotChoice::Inverse),
        ("tokens", PlotChoice::Tokens),
        ("spectrum", PlotChoice::Spectrum),
        ("estimators", PlotChoice::EstimatorComparison),
        ("model", PlotChoice::Model),
        ("train", PlotChoice::Train),
        ("lab", PlotChoice::Gallery),
        ("certify", PlotChoice::Certify),
        ("compare", PlotChoice::Compare),
    ];
}

/// The four views of the page. Each has one plot or several, one of them on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum View {
    /// Tokens, their constant, and its meaning.
    Explore,
    /// How the constant and its bounds grow with n.
    Growth,
    /// Attention inside transformers.
    Models,
    /// Experiments with settings of their own.
    Lab,
}

impl View {
    /// All, in the order of the page.
    pub const ALL: [View; 4] = [View::Explore, View::Growth, View::Models, View::Lab];

    /// Its word in the page's attributes.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.into()
    }

    /// Its plots; it opens with the first.
    #[must_use]
    pub fn plots(self) -> &'static [PlotChoice] {
        match self {
            View::Explore => &[PlotChoice::Explore, PlotChoice::Tokens, PlotChoice::Spectrum],
            View::Growth => &[PlotChoice::Growth],
            View::Models => &[PlotChoice::Model, PlotChoice::Train],
            View::Lab => &[
                PlotChoice::Gallery,
                PlotChoice::Compare,
                PlotChoice::Certify,
                PlotChoice::Gap,
                PlotChoice::Scaled,
                PlotChoice::Tightness,
                PlotChoice::Inverse,
                PlotChoice::EstimatorComparison,
            ],
        }
    }

    /// Whether it shows the tokens and weights of the controls.
    #[must_use]
    pub fn has_tokens(self) -> bool {
        matches!(self, View::Explore | View::Growth)
    }

    /// Whether a row of names chooses its plots; the plots of the lab are in its gallery.
    #[must_use]
    pub fn has_tabs(self) -> bool {
        self != View::Lab && self.plots().len() > 1
    }
}

impl PlotChoice {
    /// The view that has this plot.
    #[must_use]
    pub fn view(self) -> View {
        // A test holds that every plot is in one view.
        View::ALL.into_iter().find(|view| view.plots().contains(&self)).unwrap_or(View::Explore)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plot_is_in_one_view_and_has_a_word_in_links() {
        for (word, plot) in PlotChoice::ALL {
            assert_eq!(View::ALL.iter().filter(|view| view.plots().contains(&plot)).count(), 1, "`{word}`");
        }
        for plot in View::ALL.iter().flat_map(|view| view.plots()) {
            assert!(PlotChoice::ALL.iter().any(|(_, known)| known == plot), "{plot:?} has no word");
        }
    }
}
