//! The names of the plots: in their switch, in their headings, in the gallery of the lab.

use crate::state::PlotChoice;
use crate::strings;

/// The id of a plot's button, its words, the heading of the plot, and a line about it.
pub fn plot_name(choice: PlotChoice) -> (&'static str, &'static str, &'static str, &'static str) {
    match choice {
        PlotChoice::Explore => ("plot-explore", strings::plot_explore(), strings::lead(), strings::plot_explore_hint()),
        PlotChoice::Growth => {
            ("plot-growth", strings::plot_growth(), strings::growth_heading(), strings::plot_growth_hint())
        }
        PlotChoice::Tokens => {
            ("plot-tokens", strings::plot_tokens(), strings::plane_heading(), strings::plot_tokens_hint())
        }
        PlotChoice::Spectrum => {
            ("plot-spectrum", strings::plot_spectrum(), strings::spectrum_heading(), strings::plot_spectrum_hint())
        }
        PlotChoice::EstimatorComparison => (
            "plot-estimators",
            strings::plot_estimators(),
            strings::estimators_heading(),
            strings::plot_estimators_hint(),
        ),
        PlotChoice::Scaled => {
            ("plot-scaled", strings::plot_scaled(), strings::scaled_heading(), strings::plot_scaled_hint())
        }
        PlotChoice::Tightness => {
            ("plot-tightness", strings::plot_tightness(), strings::tightness_heading(), strings::plot_tightness_hint())
        }
        PlotChoice::Inverse => {
            ("plot-inverse", strings::plot_inverse(), strings::inverse_heading(), strings::plot_inverse_hint())
        }
        PlotChoice::Model => {
            ("plot-model", strings::plot_model(), strings::model_heading(), strings::plot_model_hint())
        }
        PlotChoice::Train => {
            ("plot-train", strings::plot_train(), strings::train_heading(), strings::plot_train_hint())
        }
        PlotChoice::Gallery => ("plot-lab", strings::gallery(), strings::gallery_heading(), strings::gallery_hint()),
        PlotChoice::Certify => {
            ("plot-certify", strings::plot_certify(), strings::certify_heading(), strings::plot_certify_hint())
        }
    }
}
