//! A window of text becomes the reader's own experiment.

use leptos::prelude::*;

use super::desk::Desk;
use crate::app::page::PlotChoice;
use crate::app::strings;
use crate::models::WindowExperiment;

/// Takes a window's tokens and weights into the explorer.
pub(super) fn take(desk: Desk, window: WindowExperiment) {
    let page = desk.page;
    let WindowExperiment { experiment, left_out } = window;
    if page.take_experiment(experiment) {
        page.plot.set(PlotChoice::Tokens);
        page.live.status.set(Some(strings::model_window_opened(left_out).into()));
    } else if let Some(problem) = page.live.problem.get_untracked() {
        desk.complain(problem.text);
    }
}
