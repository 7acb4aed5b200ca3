//! The row of plot names: the words of each, and the scrolling that keeps the current plot's name visible.

use crate::prelude::*;

use crate::page::{Page, PlotChoice};
use crate::strings;

/// How much of the neighbouring name stays visible, in CSS pixels.
const MARGIN: f64 = 24.0;

/// When another plot is shown, also by a link or a key, scrolls the page to the top and the row to the plot's name.
pub fn keep_in_sight(page: Page) {
    effect(move |before: Option<PlotChoice>| {
        let plot = page.plot.get();
        if before.is_some_and(|before| before != plot) {
            to_top();
        }
        // In the next frame, when the button is marked as pressed.
        request_animation_frame(scroll);
        plot
    });
}

/// Scrolls to the top of the new plot, wherever the button was. On a phone the whole page scrolls.
fn to_top() {
    window().scroll_to_with_x_and_y(0.0, 0.0);
    if let Some(main) = document().get_element_by_id("main") {
        main.set_scroll_top(0);
    }
}

fn scroll() {
    let found = |selector| document().query_selector(selector).ok().flatten();
    let (Some(row), Some(tab)) = (found(".plot-head .tabs"), found(".plot-head .tabs [aria-pressed=true]")) else {
        return;
    };
    let (row_box, tab_box) = (row.get_bounding_client_rect(), tab.get_bounding_client_rect());
    let before = (row_box.left() + MARGIN - tab_box.left()).max(0.0);
    let after = (tab_box.right() + MARGIN - row_box.right()).max(0.0);
    if before > 0.0 || after > 0.0 {
        row.set_scroll_left(row.scroll_left() + (after - before).round() as i32);
    }
}

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
        PlotChoice::Compare => {
            ("plot-compare", strings::plot_compare(), strings::compare_heading(), strings::plot_compare_hint())
        }
        PlotChoice::Scaled => {
            ("plot-scaled", strings::plot_scaled(), strings::scaled_heading(), strings::plot_scaled_hint())
        }
        PlotChoice::Tightness => {
            ("plot-tightness", strings::plot_tightness(), strings::tightness_heading(), strings::plot_tightness_hint())
        }
        PlotChoice::Gap => ("plot-gap", strings::plot_gap(), strings::gap_heading(), strings::plot_gap_hint()),
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
